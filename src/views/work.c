/* Collects the work of a block: rows that count once, and the rest of delegate calls. */
#include "views/work.h"

#include <math.h>
#include "inspect/patterns.h"
#include "inspect/stated_nodes.h"

#include "base/text.h"
#include "views/operator_rows.h"

struct collector {
    const struct ets_inspection *inspection;
    const struct ets_block *block;
    enum ets_work_detail detail;
    const struct ets_row_filter *filter;
    uint8_t *taken_apart; /* [row of the block] 1: a call that its parts stand for */
    bool is_told;         /* another runtime's nodes, which may enclose others */
};

/* Whether the row is a part of its parent: a delegate's event, or a node inside a node. */
static bool is_part(const struct collector *c, const struct ets_row *row)
{
    if (row->parent == ETS_NO_INDEX) return false;
    return row->is_delegated ||
           (c->is_told && ets_inspection_row(c->inspection, row->parent)->chain != -1);
}

static void find_taken_apart(struct collector *c)
{
    enum { NOTHING, APART, WHOLE };
    if (c->detail == ETS_WORK_CALLS && !c->is_told) return;
    for (uint32_t i = 0; i < c->block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(c->inspection, c->block->first_row + i);
        if (!is_part(c, row)) continue;
        uint8_t *call = &c->taken_apart[row->parent - c->block->first_row];
        const bool is_known = row->tie != ETS_TIE_NONE && row->tie != ETS_TIE_CALL;
        if (row->clock != NULL) *call = WHOLE; /* its events do not add up to a part of it */
        else if (c->detail == ETS_WORK_KNOWN && !is_known && !c->is_told) *call = WHOLE;
        else if (*call == NOTHING) *call = APART;
    }
    for (uint32_t i = 0; i < c->block->row_count; i++) {
        c->taken_apart[i] = c->taken_apart[i] == APART;
    }
}

static bool is_taken_apart(const struct collector *c, uint32_t index)
{
    return index != ETS_NO_INDEX && c->taken_apart[index - c->block->first_row] != 0 &&
           (c->is_told ||
            ets_text_is(ets_inspection_row(c->inspection, index)->name, "DELEGATE_CALL"));
}

/*
 * Time that is counted once: kernels, calls without a kernel event of their own, and delegate
 * calls. Of a call that is taken apart the delegate's own events count, and what they leave over.
 */
static bool is_work(const struct collector *c, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(c->inspection, index);
    if (row->is_delegated) {
        const bool is_loose = c->detail == ETS_WORK_ALL && row->parent == ETS_NO_INDEX;
        return row->chain != -1 && (is_loose || is_taken_apart(c, row->parent));
    }
    if (row->chain == -1 || ets_text_is(row->name, "Method::step")) return false;
    if (!ets_operator_row_is_shown(c->inspection, false, index)) return false;
    const uint32_t parent = row->parent;
    /* An event inside a delegate call that is not the delegate's own counts with the call. */
    return parent == ETS_NO_INDEX ||
           !ets_text_is(ets_inspection_row(c->inspection, parent)->name, "DELEGATE_CALL");
}

bool ets_work_has_operators(const struct ets_inspection *inspection, uint32_t block)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    const struct collector c = {.inspection = inspection, .block = b};
    for (uint32_t i = 0; i < b->row_count; i++) {
        const uint32_t row = b->first_row + i;
        /* Events of a delegate count with their call, which is work. */
        if (!ets_inspection_row(inspection, row)->is_delegated && is_work(&c, row)) return true;
    }
    return false;
}

/* What is left over of a call has the call's name, but none of its places. */
static bool is_wanted(const struct collector *c, uint32_t index, bool is_rest)
{
    const struct ets_row_filter *f = c->filter;
    if (f == NULL) return true;
    if (is_rest && (f->module != NULL || f->source != NULL || f->handle_count > 0)) return false;
    return ets_row_filter_matches(f, c->inspection, index);
}

/* Lists the parts of each row. */
static void list_parts(const struct collector *c, struct ets_work *work)
{
    const uint32_t first = c->block->first_row;
    for (uint32_t i = 0; i < c->block->row_count; i++) work->first_part[i] = ETS_NO_INDEX;
    for (uint32_t i = c->block->row_count; i-- > 0;) { /* backwards, so that lists are in order */
        const struct ets_row *row = ets_inspection_row(c->inspection, first + i);
        if (!is_part(c, row)) continue;
        work->next_part[i] = work->first_part[row->parent - first];
        work->first_part[row->parent - first] = first + i;
    }
}

/* Of the rest of a call: the steps of its operators make it uncertain downwards. */
static void describe_steps(const struct collector *c, const struct ets_work *parts,
                           struct ets_work_piece *piece)
{
    const struct ets_row *row = ets_inspection_row(c->inspection, piece->row);
    piece->error = ets_row_clock_error(row);
    piece->resolution = (double)row->quantum_ticks;
    uint32_t i =
        piece->has_parts ? parts->first_part[piece->row - c->block->first_row] : ETS_NO_INDEX;
    for (; i != ETS_NO_INDEX; i = parts->next_part[i - c->block->first_row]) {
        const struct ets_row *inner = ets_inspection_row(c->inspection, i);
        ets_clock_error_take(&piece->error, piece->row, ets_row_clock_error(inner));
        piece->resolution = fmax(piece->resolution, (double)inner->quantum_ticks);
    }
}

bool ets_work_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                      uint32_t block, enum ets_work_detail detail,
                      const struct ets_row_filter *filter, struct ets_work *work_out)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    struct collector c = {
        .inspection = inspection,
        .block = b,
        .detail = detail,
        .filter = filter,
        .taken_apart = ets_arena_alloc_array(arena, b->row_count, sizeof *c.taken_apart),
        .is_told = ets_inspection_runtime(inspection).data != NULL,
    };
    *work_out = (struct ets_work){
        .inspection = inspection,
        .block = b,
        .total_row = ets_inspection_total_row(inspection, block),
        .is_filtered = filter != NULL && !ets_row_filter_is_empty(filter),
        .pieces = ets_arena_alloc_array(arena, b->row_count, sizeof *work_out->pieces),
        .first_part = ets_arena_alloc_array(arena, b->row_count, sizeof(uint32_t)),
        .next_part = ets_arena_alloc_array(arena, b->row_count, sizeof(uint32_t)),
    };
    if (c.taken_apart == NULL || work_out->pieces == NULL || work_out->first_part == NULL ||
        work_out->next_part == NULL) {
        return false;
    }
    find_taken_apart(&c);
    list_parts(&c, work_out);
    for (uint32_t row = b->first_row; row < b->first_row + b->row_count; row++) {
        const bool has_parts = is_taken_apart(&c, row), is_rest = has_parts && !c.is_told;
        if (!is_work(&c, row) || !is_wanted(&c, row, is_rest)) continue;
        struct ets_work_piece *piece = &work_out->pieces[work_out->count++];
        *piece = (struct ets_work_piece){.row = row, .is_rest = is_rest, .has_parts = has_parts};
        describe_steps(&c, work_out, piece);
    }
    return true;
}

/* Adds `sign` times the row's ticks to each run's sum. */
static void accumulate(const struct ets_work *work, uint32_t index, double sign, double *per_run)
{
    const uint64_t *lengths = ets_inspection_row_lengths(work->inspection, index);
    const uint32_t calls = ets_inspection_row(work->inspection, index)->calls_per_run;
    for (uint32_t r = 0; r < work->block->run_count; r++) {
        for (uint32_t k = 0; k < calls; k++) per_run[r] += sign * (double)*lengths++;
    }
}

void ets_work_add(const struct ets_work *work, const struct ets_work_piece *piece, double *per_run)
{
    accumulate(work, piece->row, 1, per_run);
    const uint32_t first = work->block->first_row;
    uint32_t i = piece->has_parts ? work->first_part[piece->row - first] : ETS_NO_INDEX;
    for (; i != ETS_NO_INDEX; i = work->next_part[i - first]) accumulate(work, i, -1, per_run);
}

void ets_work_add_cost(const struct ets_costs *costs, const struct ets_work_piece *piece,
                       struct ets_cost *sum)
{
    if (costs != NULL && !piece->is_rest) ets_cost_add(sum, &costs->rows[piece->row]);
}

struct ets_text ets_work_rest_name(const struct ets_work *work)
{
    const bool has_none = work->count == 0 && !work->is_filtered;
    return ets_text_of(has_none ? ETS_REST_NOT_RECORDED : ETS_REST_BETWEEN);
}

bool ets_work_add_total(const struct ets_work *work, double *per_run)
{
    if (work->total_row == ETS_NO_INDEX) return false;
    accumulate(work, work->total_row, 1, per_run);
    return true;
}
