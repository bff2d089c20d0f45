/*
 * The work of a run in a sentence.
 *
 *     char text[ETS_COST_HEADLINE];
 *     const size_t size = ets_cost_headline(&costs.blocks[block], "a run", text, sizeof text);
 */
#ifndef ETSCOPE_VIEWS_COST_HEADLINE_H
#define ETSCOPE_VIEWS_COST_HEADLINE_H

#include <stddef.h>

#include "cost/instruction_costs.h"

enum { ETS_COST_HEADLINE = 512 };

/*
 * "0.601 GFLOP a run; 98 % in 52 convolutions; 8.61 operations a byte": how much, in what, and how
 * much of it for each byte; behind that, what the numbers leave open. `of`: "a run", "a call".
 * Returns the length, 0 where there is no operator; cut to `room`.
 */
size_t ets_cost_headline(const struct ets_total_cost *total, const char *of, char *text,
                         size_t room);

/* A count of operations with a prefix: 601548544 is "0.602 GFLOP". Returns the length. */
size_t ets_print_flops(double flops, char *text, size_t room);

/* 1e3, 1e6, 1e9 or 1e12: what counts up to `flops` are best shown in; *name_out: "kFLOP", "MFLOP".
 */
double ets_flops_unit(uint64_t flops, const char **name_out);

#endif
