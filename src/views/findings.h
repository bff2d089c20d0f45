/*
 * What to look at next: findings in sentences, ordered by what they cost.
 *
 *     const struct ets_findings_subject subject = {.inspection = inspection};
 *     struct ets_findings findings;
 *     if (!ets_findings_collect(&arena, &subject, &findings)) return no_memory;
 *     for (uint32_t i = 0; i < findings.count; i++) print(findings.items[i].sentence);
 *
 * A rule uses what other views compute, and says no more than the data decide: where a range does
 * not decide, there is no finding. Findings are in the arena.
 */
#ifndef ETSCOPE_VIEWS_FINDINGS_H
#define ETSCOPE_VIEWS_FINDINGS_H

#include "contents/byte_map.h"
#include "etscope/experimental/gap.h"
#include "views/advice_words.h"
#include "views/memory_lines.h"
#include "views/work.h"

enum ets_severity { ETS_SEVERITY_BAD = 0, ETS_SEVERITY_NOTE = 1, ETS_SEVERITY_GOOD = 2 };

/* What can be examined; NULL: not there. */
struct ets_findings_subject {
    const struct ets_inspection *inspection;
    struct ets_etrecord *record;           /* that goes with it: why kernels are outside */
    const struct ets_memory_lines *memory; /* of the method that ran longest */
    const struct ets_byte_map *bytes;      /* of the program, with duplicates */
    const struct ets_gap_report *gap;
    const struct ets_advice_words *words; /* NULL: no advice */
};

struct ets_finding {
    const char *kind; /* name of the rule: "between_operators" */
    enum ets_severity severity;
    struct ets_span share; /* of a run of its method; NaN: it is not a time */
    struct ets_text sentence;
    const char *view;       /* of the report, that shows it: "operators", "runs", ... */
    uint32_t row;           /* of the inspection; ETS_NO_INDEX: none, or several */
    uint32_t block;         /* likewise */
    struct ets_text method; /* it is about; data NULL: all of them, or not known */
    struct ets_text place;  /* operator, module or line; data NULL: none */
    double cost; /* ticks of the whole trace, which findings are ordered by; 0: no time */
};

struct ets_findings {
    struct ets_finding *items; /* bad, note, good; the most expensive first */
    uint32_t count, capacity;
};

/* Returns false if memory runs out. */
bool ets_findings_collect(struct ets_arena *arena, const struct ets_findings_subject *subject,
                          struct ets_findings *findings_out);

/* "bad", "note", "good" */
const char *ets_severity_name(enum ets_severity severity);

#endif
