/* Assigns work to stacks of source lines. */
#include "views/source_stacks.h"

#include "base/text.h"
#include "host/key_table.h"
#include "record/record_maps.h"
#include "views/piece_lists.h"

struct stack {
    const struct ets_graph_frame *frames[ETS_DEEPEST_STACK]; /* outermost first */
    uint32_t count;
};

struct tree {
    struct ets_arena *arena;
    const struct ets_work *work;
    const struct ets_source_lines *lines;
    struct ets_places *places;
    struct ets_key_table keys; /* of lines: caller, then kind and number of the place */
    struct ets_stack_line *items;
    uint32_t capacity;
    uint32_t *own, *all; /* [own_capacity], [all_capacity] first entries of each line */
    uint32_t own_capacity, all_capacity;
    struct ets_piece_lists pieces;
    uint32_t *line_of_piece;
};

static bool is_same(const struct ets_graph_frame *a, const struct ets_graph_frame *b)
{
    return a->line == b->line && ets_text_equal(a->file, b->file);
}

static struct stack stack_of(const struct ets_graph_node *node)
{
    struct stack stack = {.count = 0};
    for (uint32_t i = 0; i < node->frame_count && stack.count < ETS_DEEPEST_STACK; i++) {
        const struct ets_graph_frame *frame = &node->frames[i];
        if (ets_graph_frame_is_model(frame)) stack.frames[stack.count++] = frame;
    }
    return stack;
}

/* What all nodes that have frames were called from. */
static struct stack common_stack(const struct ets_row *row)
{
    struct stack common = {.count = 0};
    bool is_first = true;
    for (size_t i = 0; i < row->node_count; i++) {
        if (row->nodes[i].node->frame_count == 0) continue;
        const struct stack own = stack_of(row->nodes[i].node);
        if (is_first) common = own;
        is_first = false;
        uint32_t same = 0;
        while (same < common.count && same < own.count &&
               is_same(common.frames[same], own.frames[same])) {
            same++;
        }
        common.count = same;
    }
    return common;
}

/* Of the node by which a piece has its line. */
static struct stack first_stack(const struct ets_row *row)
{
    struct stack stack = {.count = 0};
    for (size_t i = 0; stack.count == 0 && i < row->node_count; i++) {
        stack = stack_of(row->nodes[i].node);
    }
    return stack;
}

static bool grow(struct tree *t, uint32_t number)
{
    t->items = ets_arena_grow(t->arena, t->items, number, &t->capacity, sizeof *t->items);
    t->own = ets_arena_grow(t->arena, t->own, number, &t->own_capacity, sizeof *t->own);
    t->all = ets_arena_grow(t->arena, t->all, number, &t->all_capacity, sizeof *t->all);
    return t->items != NULL && t->own != NULL && t->all != NULL;
}

/* What a line called; it may be new. ETS_NO_INDEX: no memory. */
static uint32_t find_line(struct tree *t, uint32_t parent, enum ets_place_kind kind, uint32_t place,
                          const struct ets_stack_line *line)
{
    if (place == ETS_NO_INDEX) return ETS_NO_INDEX;
    const uint32_t known = t->keys.count;
    const uint64_t key[2] = {parent, (uint64_t)kind << 32 | place};
    const uint32_t number = ets_key_table_add(&t->keys, key);
    if (number == ETS_KEY_NONE) return ETS_NO_INDEX;
    if (number != known) return number;
    if (!grow(t, number)) return ETS_NO_INDEX;
    t->items[number] = *line;
    t->items[number].parent = parent;
    t->items[number].depth = parent == ETS_NO_INDEX ? 0 : t->items[parent].depth + 1;
    t->own[number] = t->all[number] = 0;
    return number;
}

static uint32_t find_name(struct tree *t, uint32_t parent, struct ets_text name)
{
    const struct ets_stack_line line = {.name = name};
    return find_line(t, parent, ETS_PLACE_NONE, ets_places_none(t->places, name), &line);
}

static bool count_at(struct tree *t, uint32_t piece, uint32_t number)
{
    const struct ets_work_piece *of = &t->work->pieces[piece];
    const double calls =
        of->is_rest ? 0 : ets_inspection_row(t->work->inspection, of->row)->calls_per_run;
    t->line_of_piece[piece] = number;
    t->items[number].has_self = true;
    ets_clock_error_add(&t->items[number].self_error, of->error);
    if (!ets_piece_lists_add(&t->pieces, &t->own[number], piece)) return false;
    for (uint32_t at = number; at != ETS_NO_INDEX; at = t->items[at].parent) {
        t->items[at].calls_per_run += calls;
        ets_clock_error_add(&t->items[at].error, of->error);
        if (!ets_piece_lists_add(&t->pieces, &t->all[at], piece)) return false;
    }
    return true;
}

static bool add_piece(struct tree *t, uint32_t piece)
{
    const struct ets_place *place = &t->lines->places[t->lines->place_of_piece[piece]];
    const struct ets_row *row = ets_inspection_row(t->work->inspection, t->work->pieces[piece].row);
    const struct stack stack = place->frame != NULL ? first_stack(row) : common_stack(row);
    uint32_t at = ETS_NO_INDEX;
    for (uint32_t i = 0; i < stack.count; i++) {
        const struct ets_stack_line line = {.frame = stack.frames[i]};
        at = find_line(t, at, ETS_PLACE_LINE, ets_places_line(t->places, line.frame), &line);
        if (at == ETS_NO_INDEX) return false;
    }
    if (place->frame == NULL) at = find_name(t, at, place->name);
    return at != ETS_NO_INDEX && count_at(t, piece, at);
}

/* What source lines have beside the pieces: the time between operators. */
static bool add_rest(struct tree *t)
{
    const struct ets_source_lines *lines = t->lines;
    bool *is_piece = ets_arena_alloc_array(t->arena, lines->count, sizeof *is_piece);
    if (is_piece == NULL) return false;
    for (uint32_t i = 0; i < t->work->count; i++) is_piece[lines->place_of_piece[i]] = true;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_place *place = &lines->places[i];
        if (is_piece[i] || !place->is_counted) continue;
        const uint32_t number = find_name(t, ETS_NO_INDEX, place->name);
        if (number == ETS_NO_INDEX) return false;
        t->items[number].has_self = true;
        t->items[number].self = t->items[number].inclusive = place->self;
    }
    return true;
}

static bool prepare(struct tree *t)
{
    ets_key_table_init(&t->keys, t->arena, 2);
    t->places = ets_places_new(t->arena);
    t->line_of_piece = ets_arena_alloc_array(t->arena, t->work->count, sizeof *t->line_of_piece);
    return ets_piece_lists_init(&t->pieces, t->arena) && t->places != NULL &&
           t->line_of_piece != NULL;
}

bool ets_source_stacks_collect(struct ets_arena *arena, const struct ets_work *work,
                               const struct ets_chosen_runs *runs,
                               const struct ets_source_lines *lines,
                               struct ets_source_stacks *stacks_out)
{
    struct tree t = {.arena = arena, .work = work, .lines = lines};
    double *per_run = ets_arena_alloc_array(arena, work->block->run_count, sizeof *per_run);
    if (per_run == NULL || !prepare(&t)) return false;
    for (uint32_t i = 0; i < work->count; i++) {
        if (!add_piece(&t, i)) return false;
    }
    for (uint32_t i = 0; i < t.keys.count; i++) {
        ets_piece_lists_measure(&t.pieces, work, runs, t.own[i], per_run, &t.items[i].self);
        ets_piece_lists_measure(&t.pieces, work, runs, t.all[i], per_run, &t.items[i].inclusive);
    }
    if (!add_rest(&t)) return false;
    *stacks_out = (struct ets_source_stacks){t.items, t.keys.count, t.line_of_piece, lines->total};
    return true;
}
