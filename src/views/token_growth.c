/* Words how the time of a token grows with what is before it. */
#include "views/token_growth.h"

#include <math.h>

#include "base/slope.h"
#include "inspect/time_details.h"
#include "views/sentence_numbers.h"

/* A growth may be negative, which a span of time is not. */
static struct ets_span size_of(double low, double high)
{
    const double a = fabs(low), b = fabs(high);
    return (struct ets_span){a < b ? a : b, a < b ? b : a};
}

static void say_growth(struct ets_text_builder *text, const struct ets_slope *slope, double tick_ns)
{
    const double value = fabs(slope->value), scale = ets_time_scale(value, tick_ns);
    ets_add_text(text, "each token takes ");
    ets_add_time_in(text, (struct ets_span){value, value}, tick_ns, scale);
    ets_add_text(text, " %s than the one before (95 %% interval ",
                 slope->value > 0 ? "more" : "less");
    ets_add_time_in(text, size_of(slope->low, slope->high), tick_ns, scale);
    ets_add_text(text, ")");
}

bool ets_add_token_growth(struct ets_arena *arena, const struct ets_inspection *inspection,
                          uint32_t block, double tick_ns, struct ets_text_builder *text)
{
    const struct ets_block *of = ets_inspection_block(inspection, block);
    const uint32_t whole = ets_inspection_total_row(inspection, block), count = of->run_count;
    if (of->stage != ETS_STAGE_DECODE || whole == ETS_NO_INDEX || count < 2) return true;
    double *ticks = ets_arena_alloc_array(arena, count, sizeof *ticks);
    double *places = ets_arena_alloc_array(arena, count, sizeof *places);
    double *slopes = ets_arena_alloc_array(arena, count, sizeof *slopes);
    if (ticks == NULL || places == NULL || slopes == NULL) return false;
    ets_inspection_row_ticks(inspection, whole, ETS_NO_INDEX, ticks);
    for (uint32_t run = of->first_run, i = 0; i < count; run++) {
        const struct ets_run *each = ets_inspection_run(inspection, run);
        if (each->block == block) places[i++] = (double)each->position;
    }
    const struct ets_slope slope = ets_slope_of(places + 1, ticks + 1, count - 1, slopes);
    if (!ets_slope_is_clear(&slope)) return true;
    say_growth(text, &slope, tick_ns);
    ets_add_text(text, ", at tokens %.0f to %.0f", places[1], places[count - 1]);
    return true;
}
