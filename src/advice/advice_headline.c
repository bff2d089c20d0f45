/* The sentence that answers what to change. */
#include "advice/advice_headline.h"

#include "views/drift_sentence.h"

/* Of the block that ran longest. */
static bool add_drift(struct ets_arena *arena, const struct ets_inspection *inspection,
                      struct ets_text_builder *text)
{
    struct ets_timed_blocks blocks;
    const size_t begin = text->used;
    if (inspection == NULL) return true;
    if (!ets_timed_blocks_find(arena, inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0, &blocks)) {
        return false;
    }
    if (blocks.count == 0) return true;
    if (!ets_add_trace_drift(arena, &blocks, &blocks.items[0], text)) return false;
    if (text->used > begin) ets_add_plain_text(text, "; ");
    return true;
}

bool ets_advice_headline(struct ets_arena *arena, const struct ets_inspection *inspection,
                         const struct ets_saving_total *total,
                         const struct ets_advice_coverage *coverage, double tick_ns,
                         struct ets_text_builder *text, bool *is_undecided_out)
{
    *is_undecided_out = false;
    if (!add_drift(arena, inspection, text)) return false;
    char named[ETS_ADVICE_HEADLINE_BYTES] = "";
    char *at = text->text + text->used;
    const size_t room = text->room - text->used;
    const bool is_empty = total->bad == 0 && total->advice == 0 && coverage != NULL;
    if (is_empty) {
        const size_t size = ets_advice_coverage_print(coverage, at, room);
        text->used += size;
        *is_undecided_out = size > 0;
        if (size > 0) return true;
    }
    if (is_empty) (void)ets_advice_named_print(coverage, named, sizeof named);
    text->used += ets_saving_total_print(total, named, tick_ns, at, room);
    return true;
}
