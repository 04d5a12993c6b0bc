// SPDX-License-Identifier: GPL-2.0
/* Two modules, see images-made.pl. CHANGED is another build of the first module. */
#define __exit __attribute__((__section__(".exit.text")))

int count;

#ifdef TWO
void two_free(int nr);

int two_start(int nr)
{
	return nr;
}

__exit void cleanup_module(void)
{
	two_free(1);
	two_free(2);
	two_free(3);
}
#else
void one_stop(int nr)
{
	while (nr--)
		count += nr * count;
}

#ifdef CHANGED
int one_more(int nr)
{
	return nr * count;
}
#endif

int one_start(int nr)
{
	return nr + count;
}

__exit void cleanup_module(void)
{
	int i;

	for (i = 0; i < 10; i++)
		one_stop(i);
}
#endif
