/* Sets each piece of a block's work against the roofs of a machine. */
#include "views/headroom.h"

#include <math.h>
#include <string.h>

struct finder {
    const struct ets_inspection *inspection;
    const struct ets_costs *costs;
    const struct ets_headroom_options *options;
    const struct ets_chosen_runs *runs;
    const struct ets_work *work;
    double *per_run; /* [run of the block] scratch */
    struct ets_row_headroom *rows;
    struct ets_headroom *out;
};

static enum ets_roof_reason reason_of(const struct finder *f, const struct ets_row *row,
                                      const struct ets_cost *cost)
{
    if (ets_cost_state(cost) != ETS_COST_KNOWN) return ETS_ROOF_NO_COST;
    if (cost->at_most) return ETS_ROOF_AT_MOST;
    if (cost->is_example) return ETS_ROOF_EXAMPLE;
    if (row->tie == ETS_TIE_NEAR && row->payload_node_count == 0) return ETS_ROOF_NEAR;
    if (f->options->tick_ns <= 0 || ets_row_has_own_clock(row)) return ETS_ROOF_NO_TIME;
    return cost->macs > 0 ? ets_roof_missing(cost->arithmetic) : ETS_ROOF_REASON_NONE;
}

static struct ets_roof_question ask(const struct finder *f, const struct ets_row *row,
                                    const struct ets_cost *cost,
                                    const struct ets_chosen_times *times)
{
    const double tick_ns = f->options->tick_ns, calls = row->calls_per_run;
    /* Work that is the mean over positions is not held against the shortest of them. */
    const struct ets_block_tokens *tokens = &f->costs->tokens[row->block];
    const bool varies =
        tokens->group_count > 1 || (tokens->group_count == 1 && cost->state_bytes > 0 &&
                                    tokens->first_position != tokens->last_position);
    const double shortest = varies ? times->statistics.p50 : times->statistics.min;
    const struct ets_span time = ets_span_of(shortest, ets_row_clock_error(row), 1);
    struct ets_roof_question question = {
        .numbers = ets_roof_program_of(cost->arithmetic),
        .operations = (double)ets_cost_flops(cost),
        .bytes = (double)ets_cost_bytes(cost),
        .in_place_bytes = cost->in_place ? (double)cost->bytes_written : 0,
        .calls = calls > 0 ? calls : 1,
        .least_ns = time.lower * tick_ns,
        .most_ns = time.upper * tick_ns,
        .threads = f->options->threads,
        .is_delegated = row->backend != NULL,
        .reason = reason_of(f, row, cost),
    };
    /* Integers outside of products have no roof of their own; their bytes have. */
    if (question.numbers == ETS_ROOF_PROGRAMS && cost->macs == 0) question.operations = 0;
    return question;
}

/* What the operator takes longer than at its roof, of whole steps half of one more. */
static double saved_by(const struct finder *f, const struct ets_row *row,
                       const struct ets_roof_answer *roof, double middle)
{
    if (isnan(roof->least_share)) return 0;
    const double steps = ets_row_clock_error(row).above / 2;
    return fmax(0, middle + steps - roof->bound_ns / f->options->tick_ns);
}

static void judge(struct finder *f, const struct ets_work_piece *piece)
{
    struct ets_chosen_times times;
    const struct ets_row *row = ets_inspection_row(f->inspection, piece->row);
    memset(f->per_run, 0, f->work->block->run_count * sizeof *f->per_run);
    ets_work_add(f->work, piece, f->per_run);
    ets_chosen_runs_summarise(f->runs, f->per_run, &times);
    const struct ets_roof_question question = ask(f, row, &f->costs->rows[piece->row], &times);
    struct ets_row_headroom *found = &f->rows[piece->row - f->out->first_row];
    found->roof = ets_roof_judge(f->options->machine, &question);
    const double saved = saved_by(f, row, &found->roof, times.middle);
    f->out->verdicts[found->roof.verdict].rows++;
    if (!row->is_delegated || row->parent != ETS_NO_INDEX) {
        f->out->verdicts[found->roof.verdict].ticks += times.middle;
        f->out->saved += saved;
    }
    if (found->roof.reason == ETS_ROOF_TOO_FAST) f->out->too_fast++;
    for (uint32_t at = piece->row; at != ETS_NO_INDEX;
         at = ets_inspection_row(f->inspection, at)->parent) {
        f->rows[at - f->out->first_row].saved += saved;
    }
}

bool ets_headroom_has_operators(const struct ets_headroom *headroom)
{
    for (uint32_t i = 0; i < ETS_ROOF_VERDICT_COUNT; i++) {
        if (headroom->verdicts[i].rows > 0) return true;
    }
    return false;
}

bool ets_headroom_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                       const struct ets_costs *costs, const struct ets_headroom_options *options,
                       const struct ets_chosen_runs *runs, uint32_t block,
                       struct ets_headroom *headroom_out)
{
    struct ets_work work;
    const struct ets_block *b = ets_inspection_block(inspection, block);
    struct finder f = {.inspection = inspection,
                       .costs = costs,
                       .options = options,
                       .runs = runs,
                       .work = &work,
                       .per_run = ets_arena_alloc_array(arena, b->run_count, sizeof *f.per_run),
                       .rows = ets_arena_alloc_array(arena, b->row_count, sizeof *f.rows),
                       .out = headroom_out};
    *headroom_out = (struct ets_headroom){.machine = options->machine,
                                          .threads = options->threads,
                                          .rows = f.rows,
                                          .first_row = b->first_row,
                                          .whole = runs->whole};
    if (f.per_run == NULL || f.rows == NULL ||
        !ets_work_collect(arena, inspection, block, ETS_WORK_KNOWN, NULL, &work)) {
        return false;
    }
    for (uint32_t i = 0; i < work.count; i++) {
        if (!work.pieces[i].is_rest) judge(&f, &work.pieces[i]);
    }
    return true;
}
