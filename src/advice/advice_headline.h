/* The sentence that answers what to change. */
#ifndef ETSCOPE_ADVICE_ADVICE_HEADLINE_H
#define ETSCOPE_ADVICE_ADVICE_HEADLINE_H

#include "advice/coverage.h"
#include "advice/saving_total.h"
#include "host/text_builder.h"

enum { ETS_ADVICE_HEADLINE_BYTES = 1536 };

/*
 * Appends it: "2 things to do, ...", "nothing to do was found" or, where nothing was found but not
 * all was read, "cannot say what to change: ...". Runs that drift come before: no saving of a
 * median describes them. `inspection`, `coverage` NULL: none. `*is_undecided_out`: nothing can be
 * said. Returns false if memory runs out.
 */
bool ets_advice_headline(struct ets_arena *arena, const struct ets_inspection *inspection,
                         const struct ets_saving_total *total,
                         const struct ets_advice_coverage *coverage, double tick_ns,
                         struct ets_text_builder *text, bool *is_undecided_out);

#endif
