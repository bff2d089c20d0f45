/*
 * Finds work of a prompt's call that is not the prompt's: what a process does when something is
 * used for the first time, such as memory that is touched and threads that are started.
 *
 *     if (!ets_add_first_use(&arena, inspection, block, tick_ns, &text)) return no_memory;
 *
 * adds "instruction 7 (XnnpackBackend) took 5.18 ms for 8 tokens, but at most 2.1 us a token in
 * decode: ..." for the instruction with the most of such time. An instruction is compared with the
 * same one of the same method in decode. Its time for n tokens is at most n times that of one,
 * because decode reads as many weights for one token and looks at more tokens before it; three
 * times that is allowed. Nothing is added below a tenth of the run.
 */
#ifndef ETSCOPE_VIEWS_FIRST_USE_H
#define ETSCOPE_VIEWS_FIRST_USE_H

#include "etscope/inspect.h"
#include "host/arena.h"
#include "host/text_builder.h"

/* False: no memory. Blocks that are no prompt add nothing. */
bool ets_add_first_use(struct ets_arena *arena, const struct ets_inspection *inspection,
                       uint32_t block, double tick_ns, struct ets_text_builder *text);

#endif
