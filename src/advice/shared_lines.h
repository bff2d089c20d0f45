/*
 * Kernels that one call at a source line makes: `softplus(x)` becomes gt, log1p and where, which
 * are one thing to change.
 *
 *     struct ets_line_key *keys; // of each kernel that a rule is about
 *     ets_shared_lines_find(keys, count, groups);
 *     if (groups[a] != 0 && groups[a] == groups[b]) join(a, b);
 *
 * Lines with the same names are one group: a line in a loop, or the same call at several lines.
 */
#ifndef ETSCOPE_ADVICE_SHARED_LINES_H
#define ETSCOPE_ADVICE_SHARED_LINES_H

#include <stdint.h>

#include "etscope/base.h"

struct ets_line_key {
    struct ets_text place; /* "net.py:15"; empty: not known */
    struct ets_text
        module; /* that the line was called for: x = self.fc(self.norm(x)) has several */
    struct ets_text family; /* only kernels of the same are joined; may be empty */
    struct ets_text name;   /* of the operator, or the reason that is told */
    uint32_t line;          /* of the method */
};

/* Sorts the keys. `groups`: [line] 0: its source line has no other name. */
void ets_shared_lines_find(struct ets_line_key *keys, uint32_t count, uint64_t *groups);

#endif
