/*
 * The work of a block by lines of source: what each line took itself, what it called, and which
 * numeric error its values have.
 *
 *     struct ets_source_lines work;
 *     if (!ets_source_lines_collect(&arena, &pieces, &runs, NULL, NULL, false, &work)) return
 * false; for (uint32_t i = 0; i < work.count; i++) show(&work.places[i]);
 *
 * Every piece of work is counted at one place, so that the own times of all add up to the run, to
 * the tick. Times are ticks of the trace. All memory is the arena's; names are the record's or the
 * arena's.
 */
#ifndef ETSCOPE_VIEWS_SOURCE_LINES_H
#define ETSCOPE_VIEWS_SOURCE_LINES_H

#include "etscope/experimental/delegates.h"
#include "host/strings.h"
#include "views/chosen_runs.h"
#include "views/crowded_line.h"
#include "views/line_errors.h"
#include "views/places.h"
#include "views/work.h"

/* A line of source, or work that is on no line. */
struct ets_place {
    struct ets_text name;                /* "models/zoo.py:16", or "(not in the record)" */
    const struct ets_graph_frame *frame; /* NULL: on no line */
    uint32_t file;                       /* number, or ETS_NO_INDEX */
    uint32_t draft;                      /* number in order of appearance */
    bool is_counted;                     /* work is counted here */
    bool is_caller;                      /* `inclusive` is more than nothing */
    struct ets_chosen_times self, inclusive;
    double quantum, coarse_calls, inclusive_quantum, inclusive_coarse_calls;
    double calls_per_run;
    struct ets_cost cost; /* of what is counted here, in one run; where the work has costs */
    double bytes_per_run; /* written by what is counted here; NaN: not known */
    /* Numbers in `places`: */
    struct ets_numbers fused_here;      /* other lines whose work is counted here */
    struct ets_numbers counted_at;      /* lines where work of this one is counted */
    struct ets_numbers error_in;        /* lines whose own errors hold that of this one */
    const struct ets_line_error *error; /* of the line's values the one to show; NULL: none */
};

struct ets_source_file {
    struct ets_text name;
    double time;           /* mean of its lines in the middle runs, */
    bool is_least;         /* which a clock of steps makes a lower bound */
    uint32_t first, count; /* its places, by line */
};

struct ets_source_lines {
    struct ets_place *places; /* by file, then line; those on no line last */
    uint32_t count, on_lines;
    struct ets_source_file *files; /* the longest first */
    uint32_t file_count;
    double total; /* mean ticks of the middle runs; NaN: not known */
    struct ets_crowded_line crowded;
};

/* Lines of `errors` are places, too, where no work is. `with_callers`: the crowded line may also be
 * one that calls others. Returns false where memory ran out. */
bool ets_source_lines_collect(struct ets_arena *arena, const struct ets_work *work,
                              const struct ets_chosen_runs *runs,
                              const struct ets_delegation *delegations,
                              const struct ets_line_errors *errors, bool with_callers,
                              struct ets_source_lines *lines_out);

/* value_bytes.c: bytes of the tensors that a row gives in one call; NaN: not known. */
double ets_row_written_bytes(const struct ets_inspection *inspection, const struct ets_row *row,
                             const struct ets_delegation *delegations);

#endif
