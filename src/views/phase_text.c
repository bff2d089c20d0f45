/* One line about the runs of a block: which are warm-up, whether the rest is steady. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "etscope/experimental/accounting.h"
#include "views/phase_text.h"

enum { LISTED_OUTLIERS = 5 };

struct line {
    char *text;
    size_t used, room;
};

/* The clause that comes next; the library's own formatter knows no decimals. */
static void add(struct line *line, const char *clause)
{
    line->used += ets_print_text(line->text + line->used, line->room - line->used, "%s%s",
                                 line->used > 0 ? "; " : "", clause);
}

static void add_warm_up(struct line *line, const struct ets_run_phases *phases,
                        const uint32_t *runs)
{
    char clause[160], first[64] = "";
    const uint32_t last = phases->warm_up - 1;
    if (isfinite(phases->first_ratio) && phases->first_ratio >= 1.05) {
        snprintf(first, sizeof first, " (%s%.3g times the median of the others)",
                 last > 0 ? "the first: " : "", phases->first_ratio);
    }
    if (last == 0) snprintf(clause, sizeof clause, "run %u is warm-up%s", runs[0], first);
    else snprintf(clause, sizeof clause, "runs %u to %u are warm-up%s", runs[0], runs[last], first);
    add(line, clause);
    if (phases->state != ETS_PHASE_STEADY) return;
    snprintf(clause, sizeof clause, "steady from run %u", runs[phases->warm_up]);
    add(line, clause);
}

static void add_outliers(struct line *line, const struct ets_run_phases *phases,
                         const uint32_t *runs, const int64_t *ticks)
{
    char clause[160];
    uint32_t listed = 0;
    int used = snprintf(clause, sizeof clause, "%u outlier%s: run%s", phases->outliers,
                        phases->outliers == 1 ? "" : "s", phases->outliers == 1 ? "" : "s");
    for (uint32_t i = 0; i < phases->run_count && listed < LISTED_OUTLIERS; i++) {
        if (!ets_run_phases_is_outlier(phases, i, ticks[i])) continue;
        used += snprintf(clause + used, sizeof clause - (size_t)used, "%s%u",
                         listed > 0 ? ", " : " ", runs[i]);
        listed++;
    }
    if (listed < phases->outliers) {
        snprintf(clause + used, sizeof clause - (size_t)used, " and %u more",
                 phases->outliers - listed);
    }
    add(line, clause);
}

size_t ets_run_phases_print(const struct ets_run_phases *phases, const uint32_t *runs,
                            const int64_t *ticks, char *text, size_t room)
{
    char clause[160];
    struct line line = {text, 0, room};
    if (room > 0) text[0] = '\0';
    if (phases->warm_up > 0) add_warm_up(&line, phases, runs);
    if (phases->state == ETS_PHASE_DRIFTING) {
        snprintf(clause, sizeof clause,
                 "drifts: the last third of runs is %+.1f %% off the first (p %.2g)",
                 100 * phases->drift, phases->trend_p);
        add(&line, clause);
    }
    if (phases->outliers > 0) add_outliers(&line, phases, runs, ticks);
    if (phases->state == ETS_PHASE_TOO_FEW && phases->first_ratio >= 1.5 &&
        isfinite(phases->first_ratio)) {
        snprintf(clause, sizeof clause,
                 "run %u took %.3g times the median of the others; %u runs are too few to tell "
                 "warm-up from noise",
                 runs[0], phases->first_ratio, phases->run_count);
        add(&line, clause);
    }
    return line.used;
}
