// SPDX-License-Identifier: GPL-2.0
/* Parameters whose values have names, by the list of gen_arg_sigs */
typedef unsigned int flags_u32;
typedef int flags_int;
typedef unsigned long flags_ulong;
struct path;

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

int (*flags_kill)(struct path *pid, int sig, int priv) = kill_pid;
