/* SPDX-License-Identifier: GPL-2.0 */
#define MODULE_DESCRIPTION(text)	struct has_a_description
#define MODULE_LICENSE(text)		struct has_a_license
#define MODULE_INFO(tag, text)		struct has_an_##tag
