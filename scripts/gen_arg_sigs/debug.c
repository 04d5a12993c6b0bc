// SPDX-License-Identifier: GPL-2.0
/*
 * Print what decided the place of each parameter, for --debug
 *
 * Strategy: debug_evidence() notes what the ABI and the location say, before another file
 * decides on the place.  The file that decides sets @why of the place.  debug_function()
 * prints a line for each parameter when the signature is complete.
 * Documentation/kbuild/gen_arg_sigs.rst describes the line.
 */
#include <stdio.h>
#include <stdlib.h>

#include "clone.h"

static void add_place(struct text *out, const struct abi_place *place)
{
	unsigned int i;

	for (i = 0; i < place->longs && i < ARG_SIGS_MAX_LONGS; i++)
		text_addf(out, "%c", abi_slot(place, i));
}

static void add_location(struct text *out, const struct evidence *ev)
{
	switch (ev->kind) {
	case EVIDENCE_NOWHERE:
		text_add(out, "none");
		break;
	case EVIDENCE_LATER:
		text_add(out, "later");
		break;
	case EVIDENCE_VALUE:
		text_add(out, "value");
		break;
	case EVIDENCE_ELSEWHERE:
		text_add(out, "elsewhere");
		break;
	case EVIDENCE_FOREIGN:
		text_add(out, "foreign");
		break;
	case EVIDENCE_PLACE:
		text_addf(out, "%c", ev->word >= 0 ? 'A' + ev->word : ev->slots[0]);
		if (ev->word < 0 && ev->slots[1] != '-')
			text_addf(out, "%c", ev->slots[1]);
		break;
	}
}

/* Note what the ABI and the locations say about the parameters */
void debug_evidence(struct prototype *proto, const struct evidence *evs)
{
	struct abi_state state;
	struct abi_place place;
	size_t i;

	abi_begin(&state, proto->ret.exists ? &proto->ret.type : NULL, proto->compiler.clang);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		struct text text = {};

		abi_next(&state, &param->type, -1, &place);
		text_add(&text, "abi=");
		add_place(&text, &place);
		text_add(&text, " location=");
		add_location(&text, &evs[i]);
		param->evidence = text.buf;
	}
}

/* The decision on a parameter: its place or what replaces it, and the reason */
static void add_decision(struct text *out, const struct param *param)
{
	const struct abi_place *place = &param->place;

	if (param->removed)
		text_add(out, ".");
	else
		add_place(out, place);
	if (param->removed && param->has_constant)
		text_addf(out, "=%lld", (long long)param->constant);
	text_add(out, " (");
	if (place->reason)
		text_addf(out, "%s%s", reason_names[place->reason], place->why ? ": " : "");
	text_addf(out, "%s)", place->why ?: "");
}

/* Print what decided the places of a function's parameters */
void debug_function(const struct sigs *sigs, const struct site *site,
		    const struct prototype *proto)
{
	const char *name = site->symbol ?: "?";
	struct text line = {};
	size_t i;

	if (site->reason) {
		fprintf(stderr, "%s: no signature (%s%s%s)\n", name, reason_names[site->reason],
			sigs->malformed ? ": " : "", sigs->malformed ?: "");
		return;
	}
	for (i = 0; i < proto->nr_params; i++) {
		const struct param *param = &proto->params[i];
		Dwarf_Die die = param->die;

		text_reset(&line);
		add_decision(&line, param);
		fprintf(stderr, "%s %s: %s -> %s\n", name, dwarf_diename(&die) ?: "?",
			param->evidence, line.buf);
		free(param->evidence);
	}
	if (proto->ret.exists && !proto->ret.kept)
		fprintf(stderr, "%s return: -> ? (clone: no caller is known to use it)\n", name);
	else if (proto->ret.exists && proto->ret.place == ABI_RETURN_UNKNOWN)
		fprintf(stderr, "%s return: -> ? (RAX and RDX may not have it)\n", name);
	free(line.buf);
}
