/* Assigns work to the tree of modules, with the time of each module and everything inside it. */
#include "views/module_tree.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "views/headroom.h"
#include "views/unplaced_work.h"

/* Paths come from files: deeper ones count with the module at this depth. */
enum { MAX_DEPTH = 64 };

struct node {
    struct ets_operator_line line;
    uint32_t parent, first_child, last_child, next_sibling;
    uint32_t first_piece, last_piece;
    uint32_t at, end; /* its line, and behind its last part's */
};

/* A module of the record, by its number in the places. */
struct module {
    uint32_t cut;           /* the module that it counts with; 0: not looked at yet, else + 1 */
    uint32_t parent, depth; /* of a module that others count with; the model has depth 0 */
    uint32_t piece;         /* the last one that it is in the list of, + 1 */
};

struct tree {
    struct ets_arena *arena;
    const struct ets_work *work;
    const struct ets_operator_options *options;
    const struct ets_chosen_runs *runs;
    struct ets_places *places;
    struct module *modules; /* [module_capacity] */
    uint32_t module_capacity;
    struct ets_key_table keys; /* of nodes 1, 2...: kind, number of the module, list or name */
    struct node *nodes;        /* nodes[0] holds the outermost */
    uint32_t node_capacity;
    uint32_t *next_piece; /* [piece] */
};

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

/* The node of a module, list of modules or name, made as the last part of `parent` and named by
 * `list`; ETS_NO_INDEX: no memory. */
static uint32_t find_node(struct tree *t, enum ets_place_kind kind, const struct ets_numbers *list,
                          uint32_t parent)
{
    const uint32_t known = t->keys.count;
    const uint64_t key = ets_places_list(t->places, kind, list);
    if (key == ETS_NO_INDEX) return ETS_NO_INDEX;
    const uint32_t number = ets_key_table_add(&t->keys, &key);
    if (number == ETS_KEY_NONE) return ETS_NO_INDEX;
    if (number != known) return number + 1;
    struct ets_text name;
    struct node *nodes =
        ets_arena_grow(t->arena, t->nodes, number + 1, &t->node_capacity, sizeof *nodes);
    if (nodes == NULL || !ets_places_names(t->places, kind, list, &name)) return ETS_NO_INDEX;
    t->nodes = nodes;
    init_node(&nodes[number + 1], name, parent);
    struct node *holder = &nodes[parent];
    if (holder->last_child == ETS_NO_INDEX) holder->first_child = number + 1;
    else nodes[holder->last_child].next_sibling = number + 1;
    holder->last_child = number + 1;
    return number + 1;
}

/* NULL: no memory. */
static struct module *module_at(struct tree *t, uint32_t number)
{
    if (number == ETS_NO_INDEX) return NULL;
    struct module *modules =
        ets_arena_grow(t->arena, t->modules, number, &t->module_capacity, sizeof *modules);
    if (modules == NULL) return NULL;
    t->modules = modules;
    return &modules[number];
}

/* How much of a path is its first `depth` components. */
static size_t size_at_depth(struct ets_text path, uint32_t depth)
{
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '.' && --depth == 0) return i;
    }
    return path.size;
}

/*
 * Makes known what "layers.0" is a part of ("layers"), and that of what ("", the model itself). A
 * path here has MAX_DEPTH components at most. Returns false if memory runs out.
 */
static bool know_parents(struct tree *t, struct ets_text path)
{
    uint32_t parent = ets_places_module(t->places, (struct ets_text){path.data, 0});
    struct module *model = module_at(t, parent);
    if (model == NULL) return false;
    model->cut = parent + 1;
    for (uint32_t depth = 1; path.size > 0; depth++) {
        size_t end = size_at_depth(path, depth);
        if (end == 0) continue; /* ".layers" is a part of the model */
        const uint32_t number = ets_places_module(t->places, (struct ets_text){path.data, end});
        struct module *module = module_at(t, number);
        if (module == NULL) return false;
        const uint32_t above = t->modules[parent].depth + 1;
        *module = (struct module){number + 1, parent, above, module->piece};
        parent = number;
        if (end == path.size) break;
    }
    return true;
}

/* The module that a module counts with, whose parents are known; ETS_NO_INDEX: no memory. */
static uint32_t cut_module(struct tree *t, uint32_t number)
{
    const uint32_t depth = t->options->depth;
    struct module *module = module_at(t, number);
    if (module == NULL) return ETS_NO_INDEX;
    if (module->cut != 0) return module->cut - 1;
    struct ets_text path = ets_places_path(t->places, number);
    path.size = size_at_depth(path, depth == 0 || depth > MAX_DEPTH ? MAX_DEPTH : depth);
    const uint32_t cut = ets_places_module(t->places, path);
    if (cut == ETS_NO_INDEX || !know_parents(t, path)) return ETS_NO_INDEX;
    t->modules[number].cut = cut + 1;
    return cut;
}

/* Puts the modules that those of a list count with in their place, each once. */
static bool cut_list(struct tree *t, uint32_t piece, struct ets_numbers *list)
{
    const uint32_t count = list->count;
    list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cut = cut_module(t, list->items[i]);
        if (cut == ETS_NO_INDEX) return false;
        if (t->modules[cut].piece == piece + 1) continue;
        t->modules[cut].piece = piece + 1;
        list->items[list->count++] = cut;
    }
    return true;
}

/* The innermost module that holds both. */
static uint32_t common_module(const struct tree *t, uint32_t left, uint32_t right)
{
    const struct module *modules = t->modules;
    while (modules[left].depth > modules[right].depth) left = modules[left].parent;
    while (modules[right].depth > modules[left].depth) right = modules[right].parent;
    while (left != right) {
        left = modules[left].parent;
        right = modules[right].parent;
    }
    return left;
}

/* The node of a module, made behind those of the modules that it is in; ETS_NO_INDEX: no memory. */
static uint32_t find_module(struct tree *t, uint32_t module)
{
    uint32_t path[MAX_DEPTH + 1], count = 0, node = 0;
    for (uint32_t at = module;; at = t->modules[at].parent) {
        path[count++] = at;
        if (t->modules[at].depth == 0) break;
    }
    while (count-- > 0 && node != ETS_NO_INDEX) {
        node = find_node(t, ETS_PLACE_MODULE, &(struct ets_numbers){&path[count], 1}, node);
    }
    return node;
}

static uint32_t find_name(struct tree *t, uint32_t name)
{
    if (name == ETS_NO_INDEX) return name;
    return find_node(t, ETS_PLACE_NONE, &(struct ets_numbers){&name, 1}, 0);
}

/* The node whose own work a piece is; ETS_NO_INDEX: no memory. */
static uint32_t node_of(struct tree *t, uint32_t index)
{
    const struct ets_work_piece *piece = &t->work->pieces[index];
    const struct ets_row *row = ets_inspection_row(t->work->inspection, piece->row);
    struct ets_numbers lines, modules;
    if (piece->is_rest) return find_name(t, ets_work_rest(t->arena, t->places, row));
    if (!ets_places_of_row(t->places, row, &lines, &modules) || !cut_list(t, index, &modules)) {
        return ETS_NO_INDEX;
    }
    if (modules.count == 0) {
        return find_name(t, ets_unplaced_work(t->arena, t->places, t->work, row, false));
    }
    uint32_t holder = modules.items[0];
    for (uint32_t i = 1; i < modules.count; i++) {
        holder = common_module(t, holder, modules.items[i]);
    }
    const uint32_t parent = find_module(t, holder);
    if (modules.count == 1 || parent == ETS_NO_INDEX) return parent;
    const uint32_t number = find_node(t, ETS_PLACE_MODULE, &modules, parent);
    if (number != ETS_NO_INDEX) t->nodes[number].line.group = modules;
    return number;
}

static bool add_piece(struct tree *t, uint32_t index)
{
    const struct ets_work_piece *piece = &t->work->pieces[index];
    const uint32_t number = node_of(t, index);
    if (number == ETS_NO_INDEX) return false;
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
    ets_work_add_cost(t->options->costs, piece, &node->line.cost);
    node->line.saved += ets_headroom_of(t->options->headroom, piece);
    ets_clock_error_add(&node->line.self_error, piece->error);
    node->line.resolution = fmax(node->line.resolution, piece->resolution);
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
    line->cost = (struct ets_cost){.operators = 0};
    line->saved = 0;
    for (uint32_t i = node->at; i < node->end; i++) {
        const struct node *part = &t->nodes[order[i]];
        add_own(t, part, per_run);
        line->calls_per_run += part->line.calls_per_run;
        ets_cost_add(&line->cost, &part->line.cost);
        line->saved += part->line.saved;
        ets_clock_error_add(&line->error, part->line.self_error);
        line->resolution = fmax(line->resolution, part->line.resolution);
    }
    ets_chosen_runs_summarise(t->runs, per_run, &line->times);
}

bool ets_module_tree_lines(struct ets_arena *arena, const struct ets_work *work,
                           struct ets_places *places, const struct ets_operator_options *options,
                           const struct ets_chosen_runs *runs, double *per_run,
                           struct ets_operator_lines *lines_out)
{
    struct tree t = {
        .arena = arena, .work = work, .options = options, .runs = runs, .places = places};
    ets_key_table_init(&t.keys, arena, 1);
    t.next_piece = ets_arena_alloc_array(arena, work->count, sizeof *t.next_piece);
    t.nodes = ets_arena_grow(arena, NULL, 0, &t.node_capacity, sizeof *t.nodes);
    if (t.next_piece == NULL || t.nodes == NULL) return false;
    init_node(&t.nodes[0], (struct ets_text){NULL, 0}, 0);
    for (uint32_t i = 0; i < work->count; i++) {
        if (!add_piece(&t, i)) return false;
    }
    const uint32_t count = t.keys.count;
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
