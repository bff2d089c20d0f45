/* Says what a row's lengths are, where they are no times of the trace. */
#include "views/measure_words.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void add_grouped(struct ets_text_builder *text, double number)
{
    const uint64_t whole = number < 1e18 ? (uint64_t)number : (uint64_t)1e18;
    uint64_t step = 1;
    while (whole / step >= 1000) step *= 1000;
    ets_add_text(text, "%llu", (unsigned long long)(whole / step));
    for (step /= 1000; step > 0; step /= 1000) {
        ets_add_text(text, ",%03llu", (unsigned long long)(whole / step % 1000));
    }
}

/* The figure comes first: it is what is read, and narrow tables shorten the end. */
static void add_figure(struct ets_text_builder *text, const struct ets_delegate_clock *clock,
                       double length)
{
    if (!isnan(clock->share)) ets_add_text(text, "%.1f %% ", 100 * clock->share);
    add_grouped(text, round(fmax(length, 0)));
    if (strcmp(clock->unit, "count") == 0) ets_add_text(text, " ");
    else ets_add_text(text, " %s ", clock->unit);
}

void ets_add_measured_name(struct ets_text_builder *text, struct ets_text name,
                           const struct ets_row *row, double length)
{
    const struct ets_delegate_clock *clock = row == NULL ? NULL : row->clock;
    const bool is_counted = clock != NULL && clock->state == ETS_CLOCK_COUNTED;
    if (is_counted) add_figure(text, clock, length);
    ets_add_text(text, "%.*s", ETS_TEXT(name));
    if (is_counted) return;
    const bool is_estimate = clock != NULL && clock->state == ETS_CLOCK_ESTIMATED;
    ets_add_text(text, is_estimate ? " (estimate)" : " (clock of its own)");
}
