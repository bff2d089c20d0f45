/* Groups work by operator, source line, file, module, backend or handle. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "inspect/patterns.h"
#include "views/headroom.h"
#include "views/module_tree.h"
#include "views/operator_lines.h"
#include "views/unplaced_work.h"
#include "views/work_kinds.h"

/* Pieces of work of one key. */
struct group {
    struct ets_operator_line line;
    uint32_t first_piece, last_piece; /* ends of a linked list */
};

/* What a piece is grouped by: a list of places, or the one number of a name. */
struct key {
    enum ets_place_kind kind;
    struct ets_numbers list;
};

struct grouper {
    struct ets_arena *arena;
    const struct ets_operator_options *options;
    const struct ets_chosen_runs *runs;
    const struct ets_work *work;
    struct ets_places *places;
    struct ets_key_table keys; /* numbers of lists in `places` */
    struct group *groups;      /* [key number] */
    uint32_t *next_piece;      /* [piece] */
    uint32_t *rows;            /* [piece] scratch */
    uint32_t *call_kinds;      /* [row of the block] of whole calls, the part or layer; else none */
    double *per_run;           /* [run of the block] scratch */
};

/* Where the row's nodes are from; `list` is empty where they are from nowhere. */
static bool find_places(const struct grouper *g, const struct ets_row *row, struct key *key)
{
    struct ets_numbers modules;
    switch (g->options->group_by) {
    case ETS_GROUP_SOURCE:
        key->kind = ETS_PLACE_LINE;
        return ets_places_of_row(g->places, row, &key->list, &modules);
    case ETS_GROUP_FILE:
        key->kind = ETS_PLACE_FILE;
        return ets_places_files_of_row(g->places, row, &key->list);
    case ETS_GROUP_HANDLE:
        key->kind = ETS_PLACE_HANDLE;
        return ets_places_handles_of_row(g->places, row, &key->list);
    default: return true;
    }
}

/* The number of the row's part or layer; ETS_NO_INDEX: it is in none. False: no memory. */
static bool find_kind(const struct grouper *g, const struct ets_row *row, uint32_t *number_out)
{
    *number_out = ETS_NO_INDEX;
    switch (g->options->group_by) {
    case ETS_GROUP_CATEGORY:
        *number_out = ets_places_none(g->places, ets_text_of(ets_work_category(row)));
        return *number_out != ETS_NO_INDEX;
    case ETS_GROUP_PART:
        return ets_work_part(g->arena, g->places, g->options->parts, row, number_out);
    case ETS_GROUP_LAYER: return ets_work_layer(g->arena, g->places, row, number_out);
    default: return true;
    }
}

/* The part or layer that all of a call's events are of. False: no memory. */
static bool find_call_kind(const struct grouper *g, uint32_t call, uint32_t *kind_out)
{
    const uint32_t first = g->work->block->first_row;
    uint32_t common = ETS_NO_INDEX;
    *kind_out = ETS_NO_INDEX;
    for (uint32_t i = g->work->first_part[call - first]; i != ETS_NO_INDEX;
         i = g->work->next_part[i - first]) {
        uint32_t kind;
        if (!find_kind(g, ets_inspection_row(g->work->inspection, i), &kind)) return false;
        if (common == ETS_NO_INDEX) common = kind;
        if (kind == ETS_NO_INDEX || kind != common) return true;
    }
    *kind_out = common;
    return true;
}

/*
 * A call whose events are all of one part or layer counts there with its own time, what its
 * delegate did not report included: that time is exact where the delegate's clock is coarse.
 */
static bool find_whole_calls(const struct grouper *g)
{
    const enum ets_group_by by = g->options->group_by;
    const struct ets_block *block = g->work->block;
    for (uint32_t i = 0; i < block->row_count; i++) g->call_kinds[i] = ETS_NO_INDEX;
    if ((by != ETS_GROUP_PART && by != ETS_GROUP_LAYER) || g->work->is_filtered) return true;
    for (uint32_t i = 0; i < g->work->count; i++) {
        const struct ets_work_piece *piece = &g->work->pieces[i];
        uint32_t *kind = &g->call_kinds[piece->row - block->first_row];
        if (piece->is_rest && !find_call_kind(g, piece->row, kind)) return false;
    }
    return true;
}

/* What the whole call of the piece, or that it is a part of, counts with; ETS_NO_INDEX: none. */
static uint32_t call_kind_of(const struct grouper *g, const struct ets_work_piece *piece)
{
    const uint32_t first = g->work->block->first_row;
    const struct ets_row *row = ets_inspection_row(g->work->inspection, piece->row);
    if (piece->is_rest) return g->call_kinds[piece->row - first];
    return row->is_delegated && row->parent != ETS_NO_INDEX ? g->call_kinds[row->parent - first]
                                                            : ETS_NO_INDEX;
}

/* The number of the name that the row has instead of places. ETS_NO_INDEX: no memory. */
static uint32_t name_of(const struct grouper *g, const struct ets_row *row, bool is_rest)
{
    uint32_t kind;
    const enum ets_group_by by = g->options->group_by;
    const bool by_lines = by == ETS_GROUP_SOURCE || by == ETS_GROUP_FILE;
    const char *backend = ets_row_backend(row);
    if (is_rest) return ets_work_rest(g->arena, g->places, row);
    if (!find_kind(g, row, &kind)) return ETS_NO_INDEX;
    if (kind != ETS_NO_INDEX) return kind;
    if (by == ETS_GROUP_OP) {
        return ets_places_none(g->places, ets_operator_group_name(row));
    }
    if (by == ETS_GROUP_BACKEND) {
        return ets_places_none(g->places, (struct ets_text){backend, strlen(backend)});
    }
    return ets_unplaced_work(g->arena, g->places, g->work, row, by_lines);
}

static bool key_of(const struct grouper *g, const struct ets_work_piece *piece, struct key *key_out)
{
    const struct ets_row *row = ets_inspection_row(g->work->inspection, piece->row);
    *key_out = (struct key){.kind = ETS_PLACE_NONE};
    if (!piece->is_rest && !find_places(g, row, key_out)) return false;
    if (key_out->list.count > 0) return true;
    key_out->kind = ETS_PLACE_NONE;
    key_out->list.items = ets_arena_alloc_array(g->arena, 1, sizeof *key_out->list.items);
    if (key_out->list.items == NULL) return false;
    const uint32_t call_kind = call_kind_of(g, piece);
    key_out->list.items[0] =
        call_kind != ETS_NO_INDEX ? call_kind : name_of(g, row, piece->is_rest);
    key_out->list.count = 1;
    return key_out->list.items[0] != ETS_NO_INDEX;
}

static bool begin_group(const struct grouper *g, struct group *group, const struct key *key,
                        uint32_t piece)
{
    *group = (struct group){.first_piece = piece, .last_piece = piece};
    group->line = (struct ets_operator_line){
        .row = ETS_NO_INDEX,
        .parent = ETS_NO_INDEX,
        .order = (uint32_t)(group - g->groups),
        .is_rest = g->work->pieces[piece].is_rest &&
                   call_kind_of(g, &g->work->pieces[piece]) == ETS_NO_INDEX,
    };
    if (key->kind != ETS_PLACE_NONE) group->line.group = key->list;
    return ets_places_names(g->places, key->kind, &key->list, &group->line.name);
}

/* The clock of a whole call's events does not matter: they and the rest add up to the call. */
static void add_error(const struct grouper *g, const struct ets_work_piece *piece,
                      struct ets_operator_line *line)
{
    const struct ets_row *row = ets_inspection_row(g->work->inspection, piece->row);
    const bool is_of_whole = call_kind_of(g, piece) != ETS_NO_INDEX;
    if (is_of_whole && !piece->is_rest) return;
    ets_clock_error_add(&line->error, is_of_whole ? ets_row_clock_error(row) : piece->error);
    line->resolution =
        fmax(line->resolution, is_of_whole ? (double)row->quantum_ticks : piece->resolution);
}

static bool add_piece(struct grouper *g, uint32_t index)
{
    const struct ets_work_piece *piece = &g->work->pieces[index];
    const struct ets_row *row = ets_inspection_row(g->work->inspection, piece->row);
    struct key key;
    if (!key_of(g, piece, &key)) return false;
    const uint64_t list = ets_places_list(g->places, key.kind, &key.list);
    if (list == ETS_NO_INDEX) return false;
    const uint32_t known = g->keys.count;
    const uint32_t number = ets_key_table_add(&g->keys, &list);
    if (number == ETS_KEY_NONE) return false;
    struct group *group = &g->groups[number];
    g->next_piece[index] = ETS_NO_INDEX;
    if (number == known) {
        if (!begin_group(g, group, &key, index)) return false;
    } else {
        g->next_piece[group->last_piece] = index;
        group->last_piece = index;
    }
    if (!piece->is_rest) group->line.calls_per_run += row->calls_per_run;
    ets_work_add_cost(g->options->costs, piece, &group->line.cost);
    group->line.saved += ets_headroom_of(g->options->headroom, piece);
    add_error(g, piece, &group->line);
    return true;
}

/* What the total is longer than all work together: the runtime between operators. */
static void add_between(const struct grouper *g, struct ets_operator_lines *lines)
{
    const struct ets_work *work = g->work;
    const uint32_t runs = work->block->run_count;
    memset(g->per_run, 0, runs * sizeof *g->per_run);
    for (uint32_t i = 0; i < work->count; i++) {
        const struct ets_row *row = ets_inspection_row(work->inspection, work->pieces[i].row);
        if (row->is_delegated && row->parent == ETS_NO_INDEX) continue; /* it is in no call */
        ets_work_add(work, &work->pieces[i], g->per_run);
    }
    for (uint32_t i = 0; i < runs; i++) g->per_run[i] = -g->per_run[i];
    if (!ets_work_add_total(work, g->per_run)) return;
    struct ets_operator_line *line = &lines->items[lines->count];
    *line = (struct ets_operator_line){.name = ets_work_rest_name(work),
                                       .row = ETS_NO_INDEX,
                                       .parent = ETS_NO_INDEX,
                                       .order = lines->count};
    ets_chosen_runs_summarise(g->runs, g->per_run, &line->times);
    line->self = line->times;
    lines->count++;
}

static bool allocate(struct grouper *g, struct ets_operator_lines *lines)
{
    struct ets_arena *arena = g->arena;
    const size_t pieces = g->work->count;
    g->groups = ets_arena_alloc_array(arena, pieces + 1, sizeof *g->groups);
    g->next_piece = ets_arena_alloc_array(arena, pieces, sizeof *g->next_piece);
    g->rows = ets_arena_alloc_array(arena, pieces, sizeof *g->rows);
    g->call_kinds = ets_arena_alloc_array(arena, g->work->block->row_count, sizeof(uint32_t));
    lines->items = ets_arena_alloc_array(arena, pieces + 1, sizeof *lines->items);
    ets_key_table_init(&g->keys, arena, 1);
    return g->groups != NULL && g->next_piece != NULL && g->rows != NULL && g->call_kinds != NULL &&
           lines->items != NULL;
}

static bool offer_crowded(const struct grouper *g, const struct group *group,
                          struct ets_repeated_line *line)
{
    const double whole = g->runs->whole;
    uint32_t count = 0;
    if (g->options->group_by != ETS_GROUP_SOURCE || group->line.group.count != 1) return true;
    const struct ets_repeated_line offered = {
        .frame = ets_places_frame(g->places, group->line.group.items[0]),
        .share = ets_span_part(ets_span_of(group->line.times.middle, group->line.error, 1), whole)};
    for (uint32_t i = group->first_piece; i != ETS_NO_INDEX; i = g->next_piece[i]) {
        g->rows[count++] = g->work->pieces[i].row;
    }
    return ets_repeated_line_offer(g->arena, g->work->inspection, g->places, &offered, g->rows,
                                   count, line);
}

static bool flat_groups(struct grouper *g, struct ets_operator_lines *lines)
{
    if (!allocate(g, lines) || !find_whole_calls(g)) return false;
    for (uint32_t i = 0; i < g->work->count; i++) {
        if (!add_piece(g, i)) return false;
    }
    for (uint32_t number = 0; number < g->keys.count; number++) {
        struct group *group = &g->groups[number];
        memset(g->per_run, 0, g->work->block->run_count * sizeof *g->per_run);
        for (uint32_t i = group->first_piece; i != ETS_NO_INDEX; i = g->next_piece[i]) {
            ets_work_add(g->work, &g->work->pieces[i], g->per_run);
        }
        ets_chosen_runs_summarise(g->runs, g->per_run, &group->line.times);
        lines->items[lines->count++] = group->line;
        if (!offer_crowded(g, group, &lines->crowded)) return false;
    }
    return true;
}

static enum ets_work_detail detail_of(enum ets_group_by group_by)
{
    if (group_by == ETS_GROUP_BACKEND) return ETS_WORK_CALLS;
    return group_by == ETS_GROUP_OP || group_by == ETS_GROUP_CATEGORY ? ETS_WORK_ALL
                                                                      : ETS_WORK_KNOWN;
}

bool ets_operator_lines_by_group(struct ets_arena *arena, const struct ets_inspection *inspection,
                                 const struct ets_operator_options *options,
                                 const struct ets_chosen_runs *runs, uint32_t block,
                                 struct ets_operator_lines *lines_out)
{
    struct ets_work work;
    *lines_out = (struct ets_operator_lines){.count = 0};
    if (ets_inspection_block(inspection, block)->row_count == 0) return true;
    if (!ets_work_collect(arena, inspection, block, detail_of(options->group_by), &options->filter,
                          &work)) {
        return false;
    }
    struct grouper g = {
        .arena = arena,
        .options = options,
        .runs = runs,
        .work = &work,
        .places = ets_places_new(arena),
        .per_run = ets_arena_alloc_array(arena, work.block->run_count, sizeof *g.per_run)};
    if (g.per_run == NULL || g.places == NULL) return false;
    lines_out->places = g.places;
    const bool ok =
        options->group_by == ETS_GROUP_MODULE
            ? ets_module_tree_lines(arena, &work, g.places, options, runs, g.per_run, lines_out)
            : flat_groups(&g, lines_out);
    if (ok && ets_row_filter_is_empty(&options->filter)) add_between(&g, lines_out);
    return ok;
}
