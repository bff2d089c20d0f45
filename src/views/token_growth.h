/* How much longer each token takes than the one before it, as a decoder's context grows. */
#ifndef ETSCOPE_VIEWS_TOKEN_GROWTH_H
#define ETSCOPE_VIEWS_TOKEN_GROWTH_H

#include "host/text_builder.h"
#include "views/chosen_runs.h"

/*
 * Appends "each token takes 3.1 us more than the one before (95 % interval 2.8..3.3 us), at tokens
 * 8 to 47" of a block of decode whose runs tell their positions, and nothing where the growth is
 * not clear (base/slope.h). The block's first run, which warms up, does not count. False: no
 * memory.
 */
bool ets_add_token_growth(struct ets_arena *arena, const struct ets_inspection *inspection,
                          uint32_t block, double tick_ns, struct ets_text_builder *text);

#endif
