/*
 * What the structure of a difference gives as the cause of its times: what delegates took or left,
 * or the operator that makes most of the change.
 */
#ifndef ETSCOPE_VIEWS_DIFFERENCE_CAUSE_H
#define ETSCOPE_VIEWS_DIFFERENCE_CAUSE_H

#include <stdbool.h>

#include "etscope/experimental/difference.h"
#include "host/arena.h"
#include "host/text_builder.h"

/*
 * Appends "add.out at net.py:15 left XnnpackBackend: 4 kernels, 4 more delegate calls",
 * "XnnpackBackend took 50 of 106 kernels", or "mostly mul.out at zoo.py:3 (+5.1 us)" after
 * `separator`; nothing if the difference does not tell. `scale` is the unit of the sentence
 * (sentence_numbers.h). False: no memory.
 */
bool ets_difference_add_cause(struct ets_arena *arena, struct ets_text_builder *text,
                              const char *separator, const struct ets_difference *difference,
                              const struct ets_difference_block *block, double tick_ns,
                              double scale);

#endif
