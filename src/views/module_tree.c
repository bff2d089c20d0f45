/* Lays out work over the tree of modules, with the time of each module and all inside of it. */
#include "views/module_tree.h"

#include <string.h>

#include "base/text.h"
#include "host/strings.h"

/* Paths come from files: deeper ones count with the module at this depth. */
enum { MAX_DEPTH = 64 };

struct node {
    struct ets_operator_line line;
    uint32_t parent, first_child, last_child, next_sibling;
    uint32_t first_piece, last_piece;
    uint32_t at, end; /* its line, and behind its last part's */
};

struct tree {
    struct ets_arena *arena;
    const struct ets_work *work;
    const struct ets_operator_options *options;
    const struct ets_chosen_runs *runs;
    struct ets_strings names; /* paths, and names of lines that are no module */
    struct node *nodes;       /* [name number] nodes[0] holds the outermost */
    uint32_t capacity;
    uint32_t *next_piece; /* [piece] */
};

static const struct ets_text whole_model = {"(model)", 7};

static bool has_room(struct tree *t, uint32_t count)
{
    if (count <= t->capacity) return true;
    const uint32_t capacity = t->capacity == 0 ? 64 : 2 * t->capacity;
    struct node *nodes = ets_arena_alloc_array(t->arena, capacity, sizeof *nodes);
    if (nodes == NULL) return false;
    if (t->capacity > 0) memcpy(nodes, t->nodes, t->capacity * sizeof *nodes);
    t->nodes = nodes;
    t->capacity = capacity;
    return true;
}

static void init_node(struct node *node, struct ets_text name, uint32_t parent)
{
    *node = (struct node){.parent = parent,
                          .first_child = ETS_NO_INDEX,
                          .last_child = ETS_NO_INDEX,
                          .next_sibling = ETS_NO_INDEX,
                          .first_piece = ETS_NO_INDEX,
                          .last_piece = ETS_NO_INDEX};
    node->line =
        (struct ets_operator_line){.name = name, .row = ETS_NO_INDEX, .parent = ETS_NO_INDEX};
}

/* The node named `name`, made as the last part of `parent`; UINT32_MAX: no memory. */
static uint32_t find_node(struct tree *t, struct ets_text name, uint32_t parent)
{
    const uint32_t known = t->names.count;
    const uint32_t number = ets_strings_add(&t->names, name);
    if (number == UINT32_MAX || number != known) return number;
    if (!has_room(t, number + 1)) return UINT32_MAX;
    init_node(&t->nodes[number], name, parent);
    struct node *holder = &t->nodes[parent];
    if (holder->last_child == ETS_NO_INDEX) holder->first_child = number;
    else t->nodes[holder->last_child].next_sibling = number;
    holder->last_child = number;
    return number;
}

/* "(model)", "layers", "layers.0": each a part of the one before. */
static uint32_t find_module(struct tree *t, struct ets_text path)
{
    uint32_t node = find_node(t, whole_model, 0);
    if (ets_text_equal(path, whole_model)) return node;
    for (size_t end = 0; node != UINT32_MAX && end < path.size; end++) {
        const bool is_part = end + 1 == path.size || path.data[end + 1] == '.';
        if (is_part) node = find_node(t, (struct ets_text){path.data, end + 1}, node);
    }
    return node;
}

/* The first `depth` components of a path. */
static struct ets_text cut_path(struct ets_text path, uint32_t depth)
{
    if (depth == 0 || ets_text_equal(path, whole_model)) return path;
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '.' && --depth == 0) return (struct ets_text){path.data, i};
    }
    return path;
}

/* The innermost path that holds both. */
static struct ets_text common_path(struct ets_text left, struct ets_text right)
{
    if (ets_text_equal(left, whole_model) || ets_text_equal(right, whole_model)) return whole_model;
    size_t common = 0;
    for (size_t i = 0; i <= left.size && i <= right.size; i++) {
        const bool ends_left = i == left.size || left.data[i] == '.';
        const bool ends_right = i == right.size || right.data[i] == '.';
        if (ends_left && ends_right) common = i;
        if (i == left.size || i == right.size || left.data[i] != right.data[i]) break;
    }
    return common == 0 ? whole_model : (struct ets_text){left.data, common};
}

/* The node whose own work a piece is; UINT32_MAX: no memory. */
static uint32_t node_of(struct tree *t, const struct ets_work_piece *piece)
{
    const struct ets_row *row = ets_inspection_row(t->work->inspection, piece->row);
    struct ets_text_list sources, modules;
    struct ets_text name;
    if (piece->is_rest) {
        return ets_work_name_rest(t->arena, row, &name) ? find_node(t, name, 0) : UINT32_MAX;
    }
    if (!ets_operator_row_places(t->arena, row, &sources, &modules)) return UINT32_MAX;
    const size_t count = modules.count;
    modules.count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t depth = t->options->depth;
        ets_text_list_add(&modules, cut_path(modules.items[i],
                                             depth == 0 || depth > MAX_DEPTH ? MAX_DEPTH : depth));
    }
    if (modules.count == 1) return find_module(t, modules.items[0]);
    if (modules.count == 0) {
        return ets_work_name_elsewhere(t->arena, row, false, &name) ? find_node(t, name, 0)
                                                                    : UINT32_MAX;
    }
    if (!ets_text_list_join(t->arena, &modules, &name)) return UINT32_MAX;
    struct ets_text holder = modules.items[0];
    for (size_t i = 1; i < modules.count; i++) holder = common_path(holder, modules.items[i]);
    const uint32_t parent = find_module(t, holder);
    const uint32_t number = parent == UINT32_MAX ? parent : find_node(t, name, parent);
    if (number != UINT32_MAX) t->nodes[number].line.places = modules;
    return number;
}

static bool add_piece(struct tree *t, uint32_t index)
{
    const struct ets_work_piece *piece = &t->work->pieces[index];
    const uint32_t number = node_of(t, piece);
    if (number == UINT32_MAX) return false;
    struct node *node = &t->nodes[number];
    t->next_piece[index] = ETS_NO_INDEX;
    if (node->first_piece == ETS_NO_INDEX) node->first_piece = index;
    else t->next_piece[node->last_piece] = index;
    node->last_piece = index;
    node->line.is_rest = piece->is_rest;
    if (!piece->is_rest) {
        node->line.calls_per_run +=
            ets_inspection_row(t->work->inspection, piece->row)->calls_per_run;
    }
    if (piece->quantum != 0) node->line.self_quantum_ns = piece->quantum;
    node->line.self_coarse_calls += piece->coarse_calls;
    return true;
}

/* Numbers the lines, parts behind what they are a part of; `order_out[line]` is its node. */
static void number_lines(struct tree *t, uint32_t *order_out)
{
    uint32_t at = t->nodes[0].first_child, count = 0;
    while (at != 0 && at != ETS_NO_INDEX) {
        struct node *node = &t->nodes[at];
        const struct node *holder = &t->nodes[node->parent];
        node->line.depth = node->parent == 0 ? 0 : holder->line.depth + 1;
        node->line.parent = node->parent == 0 ? ETS_NO_INDEX : holder->at;
        node->line.order = node->at = count;
        order_out[count++] = at;
        if (node->first_child != ETS_NO_INDEX) {
            at = node->first_child;
            continue;
        }
        while (at != 0 && t->nodes[at].next_sibling == ETS_NO_INDEX) {
            t->nodes[at].end = count;
            at = t->nodes[at].parent;
        }
        if (at == 0) break;
        t->nodes[at].end = count;
        at = t->nodes[at].next_sibling;
    }
}

static void add_own(const struct tree *t, const struct node *node, double *per_run)
{
    for (uint32_t i = node->first_piece; i != ETS_NO_INDEX; i = t->next_piece[i]) {
        ets_work_add(t->work, &t->work->pieces[i], per_run);
    }
}

/* The times of a line, and of all that are a part of it. */
static void measure(const struct tree *t, const uint32_t *order, const struct node *node,
                    double *per_run, struct ets_operator_line *line)
{
    const size_t bytes = t->work->block->run_count * sizeof *per_run;
    *line = node->line;
    memset(per_run, 0, bytes);
    add_own(t, node, per_run);
    ets_chosen_runs_summarise(t->runs, per_run, &line->self);
    memset(per_run, 0, bytes);
    line->calls_per_run = 0;
    for (uint32_t i = node->at; i < node->end; i++) {
        const struct node *part = &t->nodes[order[i]];
        add_own(t, part, per_run);
        line->calls_per_run += part->line.calls_per_run;
        line->coarse_calls += part->line.self_coarse_calls;
        if (part->line.self_quantum_ns != 0) line->quantum_ns = part->line.self_quantum_ns;
    }
    ets_chosen_runs_summarise(t->runs, per_run, &line->times);
}

bool ets_module_tree_lines(struct ets_arena *arena, const struct ets_work *work,
                           const struct ets_operator_options *options,
                           const struct ets_chosen_runs *runs, double *per_run,
                           struct ets_operator_lines *lines_out)
{
    struct tree t = {.arena = arena, .work = work, .options = options, .runs = runs};
    t.next_piece = ets_arena_alloc_array(arena, work->count, sizeof *t.next_piece);
    if (t.next_piece == NULL || ets_strings_init(&t.names, arena) != 0 || !has_room(&t, 1)) {
        return false;
    }
    init_node(&t.nodes[0], (struct ets_text){NULL, 0}, 0);
    for (uint32_t i = 0; i < work->count; i++) {
        if (!add_piece(&t, i)) return false;
    }
    const uint32_t count = t.names.count - 1;
    uint32_t *order = ets_arena_alloc_array(arena, count, sizeof *order);
    lines_out->items = ets_arena_alloc_array(arena, (size_t)count + 1, sizeof *lines_out->items);
    if (order == NULL || lines_out->items == NULL) return false;
    number_lines(&t, order);
    for (uint32_t i = 0; i < count; i++) {
        measure(&t, order, &t.nodes[order[i]], per_run, &lines_out->items[i]);
    }
    lines_out->count = count;
    lines_out->is_tree = true;
    return true;
}
