# SPDX-License-Identifier: GPL-2.0
# Convert lines of a trace of arg_sample.ko, without their columns, to the comments of
# arg_sample.c: "f [arg_sample](a=1); /* ret=2 */" becomes "f(a=1); ret=2".
s/^\([a-z0-9_]*\) \[arg_sample\](/\1(/
s/^} \/\* \([a-z0-9_]*\) \[arg_sample\]/} \1/
s|/\* ||
s| \*/||
s| *$||
s/^\(sample_ret_big(.*ret=\)0xffff[0-9a-f]\{12\}$/\1ADDRESS/
s/^\(sample_text(\)a=\(0xffff[0-9a-f]*000\), b=\2,/\1a=ADDRESS, b=ADDRESS,/
s/^\(sample_buffer(.* c=\)0xffff[0-9a-f]\{12\},/\1ADDRESS,/
/^[s}]/p
