// SPDX-License-Identifier: GPL-2.0
/*
 * A program with known calls in user space, for lab/test branches
 *
 * The program copies /proc/self/maps to the file that its argument names.  With a second argument,
 * a thread makes the calls as well.  With CHANGED, the program has other code in segments of the
 * same sizes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define noinline __attribute__((noinline, noclone, used))

static volatile int sink;

static noinline int user_leaf(int a)
{
#ifdef CHANGED
	a = a * 5 + sink;
#endif
	return a * 3 + sink;
}

static noinline int user_loop(int turns)
{
	int i, sum = 0;

	for (i = 0; i < turns; i++)
		sum += sink + i;
	return sum;
}

static noinline int user_recursion(int nr)
{
	if (!nr)
		return user_leaf(1);
	return user_recursion(nr - 1) + sink;
}

static noinline int user_tail(int nr)
{
	if (nr > 5)
		return user_loop(nr);
	return user_leaf(nr);
}

static inline __attribute__((always_inline)) int user_inlined(int nr)
{
	return nr > sink ? user_leaf(nr) : nr;
}

static noinline int user_pointer(int (*func)(int), int val)
{
	return func(val) + 1;
}

static noinline int user_switch(int val)
{
	switch (val) {
	case 0:
		return sink;
	case 1:
		return user_leaf(2);
	case 2:
		return sink + 4;
	case 3:
		return sink * 5;
	case 4:
		return 7 - sink;
	case 5:
		return sink ^ 3;
	case 6:
		return user_leaf(9) + 1;
	}
	return 0;
}

static noinline int user_all(void)
{
	int sum = 0, i;

	sum += user_leaf(1);
	sum += user_loop(10);
	sum += user_recursion(3);
	sum += user_tail(8);
	sum += user_tail(2);
	sum += user_inlined(4);
	sum += user_pointer(user_leaf, 3);
	for (i = 0; i < 7; i++)
		sum += user_switch(i);
	sum += getppid();
	sum += user_leaf(2);
	return sum;
}

static noinline void copy_maps(const char *to)
{
	int in = open("/proc/self/maps", O_RDONLY);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	char text[4096];
	ssize_t nr;

	while ((nr = read(in, text, sizeof(text))) > 0)
		if (write(out, text, nr) != nr)
			exit(1);
	close(out);
	close(in);
}

static noinline void *user_thread(void *unused)
{
	user_all();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	/* Another task may run during a call */
	for (i = 0; i < 10; i++)
		sink = user_all() & 1;
	if (argc > 2 && !pthread_create(&thread, NULL, user_thread, NULL))
		pthread_join(thread, NULL);
	copy_maps(argv[1]);
	free(malloc(100));
	return 0;
}
