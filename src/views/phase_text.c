/* One line about the runs of a block: which are warm-up, whether the rest is steady. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "host/text_builder.h"
#include "inspect/accounting/accounting.h"
#include "views/phase_text.h"

enum { LISTED_OUTLIERS = 5 };

/* The clause that comes next. */
#define add(line, ...) (begin_clause(line), ets_add_text((line), __VA_ARGS__))

static void begin_clause(struct ets_text_builder *line)
{
    if (line->used > 0) ets_add_text(line, "; ");
}

static void add_warm_up(struct ets_text_builder *line, const struct ets_run_phases *phases,
                        const uint32_t *runs)
{
    char first[64] = "";
    const uint32_t last = phases->warm_up - 1;
    if (isfinite(phases->first_ratio) && phases->first_ratio >= 1.05) {
        snprintf(first, sizeof first, " (%s%.3g times the median of the others)",
                 last > 0 ? "the first: " : "", phases->first_ratio);
    }
    if (last == 0) add(line, "run %u is warm-up%s", runs[0], first);
    else add(line, "runs %u to %u are warm-up%s", runs[0], runs[last], first);
    if (phases->state == ETS_PHASE_STEADY) add(line, "steady from run %u", runs[phases->warm_up]);
}

static void add_outliers(struct ets_text_builder *line, const struct ets_run_phases *phases,
                         const uint32_t *runs, const int64_t *ticks)
{
    uint32_t listed = 0;
    add(line, "%u outlier%s: run%s", phases->outliers, phases->outliers == 1 ? "" : "s",
        phases->outliers == 1 ? "" : "s");
    for (uint32_t i = 0; i < phases->run_count && listed < LISTED_OUTLIERS; i++) {
        if (!ets_run_phases_is_outlier(phases, i, ticks[i])) continue;
        ets_add_text(line, "%s%u", listed > 0 ? ", " : " ", runs[i]);
        listed++;
    }
    if (listed < phases->outliers) {
        ets_add_text(line, " and %u more", phases->outliers - listed);
    }
}

size_t ets_run_phases_print(const struct ets_run_phases *phases, const uint32_t *runs,
                            const int64_t *ticks, enum ets_run_stage stage, char *text, size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    if (room > 0) text[0] = '\0';
    if (phases->warm_up > 0) add_warm_up(&line, phases, runs);
    if (phases->state == ETS_PHASE_DRIFTING) {
        const bool is_less = phases->drift < 0, is_decode = stage == ETS_STAGE_DECODE;
        add(&line, is_decode ? "later tokens take " : "runs got ");
        ets_add_text(&line, "%.1f %% %s (last third against the first, p %.2g)",
                     100 * fabs(phases->drift),
                     is_decode ? (is_less ? "less" : "longer")
                               : (is_less ? "faster over time" : "slower over time"),
                     phases->trend_p);
    }
    if (phases->outliers > 0) add_outliers(&line, phases, runs, ticks);
    if (phases->state == ETS_PHASE_TOO_FEW && phases->first_ratio >= 1.5 &&
        isfinite(phases->first_ratio)) {
        add(&line,
            "run %u took %.3g times the median of the others; %u runs are too few to distinguish "
            "warm-up from noise",
            runs[0], phases->first_ratio, phases->run_count);
    }
    return line.used;
}
