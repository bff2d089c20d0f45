/*
 * What all advice together would save: never the sum of the findings, which may name the same time.
 *
 *     struct ets_saving_total total;
 *     if (!ets_saving_total_find(&arena, inspection, &findings, &total)) return no_memory;
 *     if (total.count > 0) printf("%.0f of %.0f ticks go away\n", total.away, total.whole);
 */
#ifndef ETSCOPE_ADVICE_SAVING_TOTAL_H
#define ETSCOPE_ADVICE_SAVING_TOTAL_H

#include "advice/findings.h"

struct ets_saving_total {
    uint32_t advice, bad; /* findings with advice, and bad ones, which are not advice as well */
    uint32_t expensive;   /* operators that no other finding is about */
    uint32_t count;       /* findings with advice that save time of this method */
    uint32_t block;       /* that the times are of; ETS_NO_INDEX: none */
    bool has_bound;       /* of some, what takes their place takes time as well */
    double whole, away;   /* ticks of a run, and of it of what goes away */
    struct ets_text method;
};

/* Of the block that the most expensive advice is about. Returns false if memory runs out. */
bool ets_saving_total_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                           const struct ets_findings *findings, struct ets_saving_total *total_out);

/*
 * The sentence that answers what to change: "5 things to do; 4 of them: 40 us of the 140 us of a
 * run of forward (29 %), less the time of what takes its place", "nothing to do was found" and
 * `outside`. Returns its length.
 */
size_t ets_saving_total_print(const struct ets_saving_total *total, const char *outside,
                              double tick_ns, char *text, size_t room);

#endif
