// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptions of types that the KUnit tests of signatures use
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <kunit/test.h>

#include "kunit.h"

/* Descriptions as gen_arg_sigs writes them; ids are arbitrary here */
static const char test_types_text[] =
	"AAAAAAAAejcolour;RED;GREEN;BLUE=10;\0"
	"AAAAAAABbjflags;F_READ=1;F_WRITE=2;F_EXEC=4;F_SYNC=80000000;\0"
	"AAAAAAACeilevel;LOW=-2;MID=0;HIGH;\0"
	"AAAAAAADs40;big;\0"
	"AAAAAAAEbj;NONE=0;ONE=1;TWO=2;FOUR=4;\0"
	"AAAAAAAFeha;SMALL=0;LAST=ff;\0"
	"AAAAAAAGemwide;LO=1;HI=8000000000000000;TOP=ffffffffffffffff;\0"
	"AAAAAAAHelwide;MIN=-8000000000000000;M1=-1;\0"
	"AAAAAAAIbmwide;B0=1;B63=8000000000000000;\0"
	"AAAAAAAJbisigned;S_ONE=1;S_TWO;S_TOP=-80000000;\0"
	"AAAAAAAKbsshort;S_FOUR=4;\0"
	"RECPOINTs8;point;0ix;4jy;\0"
	"RECMIXEDs16;mixed;0ca;2sb;4ic;8Pvd;\0"
	"RECBITSAs8;bits;0:3jlow;3:5isign;8:1bflag;9:23jrest;32:32jhigh;\0"
	"RECSTRADs16;packed;60:10jx;1iy;6jz;\0"
	"RECNESTAs24;outer;0RRECPOINT1;p;8A2_RRECPOINT1;ps;\0"
	"RECUNIONu8;val;0ii;0ll;0A8_hbytes;\0"
	"RECHUGEAs4096;huge;0A512_mbuf;\0"
	"RECEMPTYs0;none;\0"
	"RECFLEXAs8;flex;0inr;4jlen;8A_ctail;\0"
	"RECFLOATs16;fl;0df;8in;\0"
	"RECSELFAs8;self;0RRECSELFA1;s;\0"
	"RECKINDSs40;kinds;0bb;1hu8;2EtENUMSHRTe;4Dpid_t;ipid;8Pcs;"
	"16Oumode_t;tmode;18A2_A2_ha;24nbig;\0"
	"ENUMSHRTettiny;NIL;ONE;\0"
	"RECEBITSs8;eb;0:2EjAAAAAAAAcolour;2:4EiAAAAAAAClevel;6:2cc;"
	"64:1jbehind;8:0jnone;8:40jwide;\0"
	"RECUNKNOs8;unknown;0A2_RZZZZZZZZ1;r;0A2_ff;0A2_Xx;1;x;4A1_ia;\0"
	"RECMANYAs32;many;0A2_RRECMANYBB4;a;\0"
	"RECMANYBs0;many;0A99999_RRECMANYBB4;a;\0"
	"RECFLAGSs8;flagged;0:4ilo_bits;4:4in;8:24imask;4A2_sbits;\0"
	"DIGFILEAdvfile;72>40Pcd->name;\0"
	"DIGINODEdFinode;64Du;mino=i_ino;40>8A32_csb->s_id;\0"
	"DIGKINDSdekinds;8:3jlow=low;10>0>2sflags=p->q->flags;0PFv_func;1EjAAAAAAAAc=c;\0"
	"DIGSOCKAdgsockaddr;0Tsockaddr;yaddress;8yaddress;16yaddress;\0"
	"DIGIN6AAdhin6_addr;0Tin6_addr;yaddress;8yaddress;\0"
	"DIGNONEAd5none;";

/*
 * One suite at a time uses the types, between arg_sigs_kunit_init() and
 * arg_sigs_kunit_exit()
 */
struct arg_types arg_sigs_kunit_types;
static struct arg_digests test_digests;

/**
 * arg_sigs_kunit_init - set up arg_sigs_kunit_types for a suite
 * @suite: the suite
 *
 * Suites run one after another. May sleep.
 *
 * Return: 0; -EINVAL if the descriptions are malformed, -ENOMEM.
 */
int arg_sigs_kunit_init(struct kunit_suite *suite)
{
	arg_sigs_kunit_types.text = test_types_text;
	arg_sigs_kunit_types.size = sizeof(test_types_text);
	arg_digests_find(&test_digests, &arg_sigs_kunit_types);
	arg_sigs_kunit_types.digests = &test_digests;
	return arg_types_alloc(&arg_sigs_kunit_types);
}

/**
 * arg_sigs_kunit_exit - undo arg_sigs_kunit_init()
 * @suite: the suite
 *
 * May sleep.
 */
void arg_sigs_kunit_exit(struct kunit_suite *suite)
{
	kvfree(arg_sigs_kunit_types.index);
}

MODULE_DESCRIPTION("KUnit tests of signatures of functions");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a string since v6.13, and took a name before v6.13 */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
