/* The rules of findings.h, and what they share. */
#ifndef ETSCOPE_VIEWS_FINDING_RULES_H
#define ETSCOPE_VIEWS_FINDING_RULES_H

#include "views/findings.h"
#include "views/timed_blocks.h"

enum { ETS_FINDING_BYTES = 1024 };

struct ets_finder {
    struct ets_arena *arena;
    const struct ets_findings_subject *subject;
    struct ets_timed_blocks blocks;                /* without an inspection: none */
    const struct ets_timed_block *block;           /* at hand, of a rule of blocks */
    struct ets_operator_lines backends, operators; /* of that block, grouped */
    struct ets_findings *out;
    char text[ETS_FINDING_BYTES];
    struct ets_text_builder line; /* the sentence that grows */
};

#define ets_find_say(finder, ...) ets_add_plain_text(&(finder)->line, __VA_ARGS__)

/* A finding that is not a time of a run. */
struct ets_finding ets_finding_of(const char *kind, enum ets_severity severity, const char *view);
/* A finding that takes `share` of each run of the block at hand. */
struct ets_finding ets_finding_timed(const struct ets_finder *finder, const char *kind,
                                     struct ets_span share, const char *view);
/* Adds it with the sentence that was said. Returns false if memory runs out, as every rule. */
bool ets_finding_add(struct ets_finder *finder, struct ets_finding finding);

/* Shares below are not worth a look. */
#define ETS_FINDING_LEAST_SHARE 0.05

/* Of each block that executed a method: time_findings.c. */
bool ets_find_between(struct ets_finder *finder);
bool ets_find_not_reported(struct ets_finder *finder);
bool ets_find_copies(struct ets_finder *finder);
/* outside_findings.c */
bool ets_find_outside(struct ets_finder *finder);
/* run_findings.c */
bool ets_find_phases(struct ets_finder *finder);
bool ets_find_few_runs(struct ets_finder *finder);
bool ets_find_unjoined(struct ets_finder *finder);

/* Of the trace: trace_findings.c. */
bool ets_find_load(struct ets_finder *finder);
bool ets_find_clocks(struct ets_finder *finder);
bool ets_find_losses(struct ets_finder *finder);
bool ets_find_damage(struct ets_finder *finder);
bool ets_find_other_program(struct ets_finder *finder);
/* Of the program and the values: model_findings.c. */
bool ets_find_plan(struct ets_finder *finder);
bool ets_find_plan_mistakes(struct ets_finder *finder);
bool ets_find_duplicates(struct ets_finder *finder);
bool ets_find_numbers(struct ets_finder *finder);
bool ets_find_nonfinite(struct ets_finder *finder);
/* peak_finding.c */
bool ets_find_peak(struct ets_finder *finder);

#endif
