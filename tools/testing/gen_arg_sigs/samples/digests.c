// SPDX-License-Identifier: GPL-2.0
/*
 * Pointers to objects whose types are in the list of digests
 */
typedef long long loff_t;
typedef unsigned long ino_t;
typedef struct file *file_t;

struct qstr {
	union {
		struct {
			unsigned int hash;
			unsigned int len;
		};
		unsigned long hash_len;
	};
	const unsigned char *name;
};

struct dentry {
	int flags;
	struct qstr d_name;
};

struct path {
	void *mnt;
	struct dentry *dentry;
};

typedef struct path path_t;

struct file {
	int mode;
	const struct path f_path;
	struct inode *f_inode;
};

struct super_block {
	const struct file_system_type *s_type;
	char s_id[32];
};

struct inode {
	struct super_block *i_sb;
	ino_t i_ino;
};

struct net_device {
	char name[16];
};

/* Bit-fields, also in a struct without a name. A queue may use the place of the device. */
struct sk_buff {
	union {
		struct net_device *dev;
		void *rb_left;
	};
	unsigned int len;
	union {
		struct {
			unsigned char cloned:1, pkt_type:3;
		};
		unsigned char bits;
	};
};

enum module_state { MODULE_STATE_LIVE, MODULE_STATE_COMING };

struct module {
	enum module_state state;
	char name[56];
};

struct upid {
	int nr;
	void *ns;
};

struct pid {
	int count;
	struct upid numbers[];
};

/* DAX uses the place of the index for a count */
struct folio {
	union {
		unsigned long index;
		unsigned long share;
	};
	struct {
		int counter;
	} _refcount;
};

struct work_struct {
	void (*func)(struct work_struct *work);
};

struct delayed_work {
	long timer;
	struct work_struct work;
};

/* Members that other kernels have */
struct gendisk {
	int part0;
};

struct timer_list {
	int function;
	long expires;
};

struct completion;

long digests_files(struct file *file, const struct path *path, const struct qstr *restrict name,
		   struct dentry *dentry, volatile struct inode *inode, loff_t *pos);
long digests_files(struct file *file, const struct path *path, const struct qstr *restrict name,
		   struct dentry *dentry, volatile struct inode *inode, loff_t *pos)
{
	asm volatile("" : : "r" (file), "r" (path), "r" (name), "r" (dentry), "r" (inode), "r" (pos));
	return 0;
}

int digests_kinds(struct sk_buff *skb, struct module *mod, struct pid *pid,
		  struct work_struct *work, struct delayed_work *dwork, const char *text);
int digests_kinds(struct sk_buff *skb, struct module *mod, struct pid *pid,
		  struct work_struct *work, struct delayed_work *dwork, const char *text)
{
	asm volatile("" : : "r" (skb), "r" (mod), "r" (pid), "r" (work), "r" (dwork), "r" (text));
	return 0;
}

/* Pointers to incomplete types, to types without the members, in typedefs and to pointers */
int digests_none(struct completion *done, struct gendisk *disk, struct timer_list *timer,
		 file_t file, path_t *path, struct file **files);
int digests_none(struct completion *done, struct gendisk *disk, struct timer_list *timer,
		 file_t file, path_t *path, struct file **files)
{
	asm volatile("" : : "r" (done), "r" (disk), "r" (timer), "r" (file), "r" (path), "r" (files));
	return 0;
}

/* A type that is a member of several types, so a part does not depend on where it is */
struct socket {
	short type;
	struct file *file;
};

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct tun_file {
	long before;
	struct socket socket;
};

int digests_member(struct socket *sock, struct socket_alloc *alloc, struct tun_file *tfile);
int digests_member(struct socket *sock, struct socket_alloc *alloc, struct tun_file *tfile)
{
	asm volatile("" : : "r" (sock), "r" (alloc), "r" (tfile));
	return 0;
}

int digests_shared(struct folio *folio);
int digests_shared(struct folio *folio)
{
	asm volatile("" : : "r" (folio));
	return 0;
}

/* Functions that return objects */
struct file *digests_found(struct dentry *dentry, int *error);
struct file *digests_found(struct dentry *dentry, int *error)
{
	asm volatile("" : : "r" (dentry), "r" (error));
	return 0;
}

const struct inode *digests_first(void);
const struct inode *digests_first(void)
{
	return 0;
}

struct file **digests_far(void);
struct file **digests_far(void)
{
	return 0;
}
