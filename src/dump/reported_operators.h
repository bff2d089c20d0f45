/* The operators that delegates reported in a trace, one after the other. */
#ifndef ETSCOPE_DUMP_REPORTED_OPERATORS_H
#define ETSCOPE_DUMP_REPORTED_OPERATORS_H

#include <stdbool.h>

#include "etscope/base.h"

/*
 * Whether delegates reported the same operators, by name, in all runs of two ETDumps. Else `text`
 * says where they first differ: "instruction 3 runs "Clamp (NC)" instead of nothing".
 */
bool ets_same_reported_operators(struct ets_bytes before, struct ets_bytes after, char *text,
                                 size_t room);

#endif
