/*
 * The work of a block by source line: self time, time of what the line called, and the numeric
 * error of its values.
 *
 *     struct ets_source_lines work;
 *     if (!ets_source_lines_collect(&arena, &pieces, &runs, NULL, NULL, false, &work)) return
 * false; for (uint32_t i = 0; i < work.count; i++) show(&work.places[i]);
 *
 * Each piece of work counts at one place, so that self times add up to the run exactly. Times are
 * ticks of the trace. All memory comes from the arena; names belong to the ETRecord or the arena.
 */
#ifndef ETSCOPE_VIEWS_SOURCE_LINES_H
#define ETSCOPE_VIEWS_SOURCE_LINES_H

#include "etscope/experimental/delegates.h"
#include "host/strings.h"
#include "views/chosen_runs.h"
#include "views/line_errors.h"
#include "views/places.h"
#include "views/repeated_line.h"
#include "views/work.h"

/* A source line, or work without a line. */
struct ets_place {
    struct ets_text name;                /* "models/zoo.py:16", or "(not in the record)" */
    const struct ets_graph_frame *frame; /* NULL: on no line */
    uint32_t file;                       /* number in `files`, or ETS_NO_INDEX */
    uint32_t draft;                      /* number in order of appearance */
    bool is_counted;                     /* work is counted here */
    bool is_caller;                      /* `inclusive` is not 0 */
    struct ets_chosen_times self, inclusive;
    struct ets_clock_error own_error, inclusive_error; /* of `self`, of `inclusive` */
    double calls_per_run;
    struct ets_cost cost; /* of the work counted here, in one run; where the work has costs */
    double saved;         /* ticks of a run that it would save at its roofs; with a headroom */
    uint32_t row;         /* that is counted here; ETS_NO_INDEX: several are, or none */
    double bytes_per_run; /* written by the work counted here; NaN: unknown */
    /* Numbers in `places`: */
    struct ets_numbers fused_here;      /* other lines whose work is counted here */
    struct ets_numbers counted_at;      /* lines at which work of this line is counted */
    struct ets_numbers error_in;        /* lines whose own errors include that of this line */
    const struct ets_line_error *error; /* the line's value to show; NULL: none */
};

struct ets_source_file {
    struct ets_text name;
    double time;           /* mean of its lines in the middle runs, */
    bool is_least;         /* a lower bound if the clock is coarse */
    uint32_t first, count; /* its places, by line */
};

struct ets_source_lines {
    struct ets_place *places; /* by file, then line; work without a line last */
    uint32_t count, on_lines;
    struct ets_source_file *files; /* longest first */
    uint32_t file_count;
    uint32_t *place_of_piece; /* [count of the work] where each piece is counted */
    double total;             /* mean ticks of the middle runs; NaN: not known */
    struct ets_repeated_line crowded;
};

/*
 * Lines of `errors` become places even without work. `with_callers`: the crowded line may also be a
 * line that calls others. Returns false if memory runs out.
 */
bool ets_source_lines_collect(struct ets_arena *arena, const struct ets_work *work,
                              const struct ets_chosen_runs *runs,
                              const struct ets_delegation *delegations,
                              const struct ets_line_errors *errors, bool with_callers,
                              struct ets_source_lines *lines_out);

/* value_bytes.c: bytes of the tensors that a row writes in one call; NaN: unknown. */
double ets_row_written_bytes(const struct ets_inspection *inspection, const struct ets_row *row,
                             const struct ets_delegation *delegations);

#endif
