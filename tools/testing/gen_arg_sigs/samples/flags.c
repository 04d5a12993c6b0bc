// SPDX-License-Identifier: GPL-2.0
/* Parameters whose values have names, by the list of gen_arg_sigs */
typedef unsigned int flags_u32;
typedef int flags_int;
typedef unsigned long flags_ulong;
typedef unsigned int blk_opf_t;
struct path;

enum req_op { REQ_OP_READ, REQ_OP_WRITE, REQ_OP_FLUSH = 5, REQ_OP_LAST };
enum req_flag_bits { __REQ_SYNC = 8, __REQ_META, REQ_OTHER, __REQ_FUA = 31, __REQ_NR_BITS };

/* Not static: the name says which function it is */
int filp_open(const char *filename, int flags, unsigned short mode)
{
	return *filename + flags + mode;
}

int path_umount(const struct path *path, const flags_int flags)
{
	return !path + flags;
}

/* Another parameter than the list has, and another type */
int dentry_open(const struct path *path, int *flags, int mode)
{
	return !path + *flags + mode;
}

int do_sys_open(int dfd, const char *filename, short flags)
{
	return dfd + *filename + flags;
}

/* Static: any file may have a function of this name */
static noinline int kill_pid(struct path *pid, int sig, int priv)
{
	return !pid + sig + priv;
}

/* A name of parameters of any function */
long flags_any(flags_u32 newdfd, flags_ulong whence)
{
	return newdfd + whence;
}

/* The enums have the values. The target of a pointer is a plain number. */
int flags_bits(const blk_opf_t op, blk_opf_t *where)
{
	return op == (REQ_OP_WRITE | 1 << __REQ_SYNC) ? 0 : *where;
}

int (*flags_kill)(struct path *pid, int sig, int priv) = kill_pid;
