// SPDX-License-Identifier: GPL-2.0
/* Functions of a module, see ../run.sh. Both sections are the module's code. */
struct device;

/* As modpost writes it */
__attribute__((__used__, __section__(".modinfo"))) static const char modinfo[] = "name=stock_mod";

extern long sink;

long module_read(struct device *dev, unsigned int reg)
{
	return sink + reg;
}

__attribute__((__section__(".init.text"))) int module_begin(int unused)
{
	return sink;
}

__attribute__((__section__(".text.unlikely"))) void module_fail(struct device *dev, int error)
{
	sink = error;
}

static __attribute__((__noinline__)) int module_same(int value)
{
	return value + sink;
}

int module_end(int value)
{
	return module_same(value) + 1;
}
