/* Lists the work of a method's instructions, one by one or in groups. */
#include "views/cost_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "host/text_builder.h"
#include "views/cost_headline.h"
#include "views/delegate_lines.h"
#include "views/token_reads.h"

struct lister {
    struct ets_arena *arena;
    const struct ets_delegation *delegation;
    const struct ets_step_costs *costs;
    const struct ets_cost_view_options *options;
    struct ets_cost_lines *lines;
    struct ets_key_table keys; /* numbers of lists in the places, of groups */
    uint32_t capacity;
};

static struct ets_cost_line *new_line(struct lister *l)
{
    struct ets_cost_line *items =
        ets_arena_grow(l->arena, l->lines->items, l->lines->count, &l->capacity, sizeof *items);
    if (items == NULL) return NULL;
    l->lines->items = items;
    struct ets_cost_line *line = &items[l->lines->count];
    *line = (struct ets_cost_line){.order = l->lines->count++, .unit = ETS_NO_INDEX};
    return line;
}

static bool is_listed(const struct ets_delegation_step *step)
{
    return step->kind == ETS_INSTRUCTION_KERNEL_CALL || step->kind == ETS_INSTRUCTION_DELEGATE_CALL;
}

static bool find_places(struct lister *l, const struct ets_row_node *nodes, size_t count,
                        struct ets_numbers *lines, struct ets_numbers *modules)
{
    const struct ets_row row = {.nodes = nodes, .node_count = count};
    return ets_places_of_row(l->lines->places, &row, lines, modules);
}

/* One thing that ran: an instruction, or an operator inside of a delegate. */
struct piece {
    struct ets_text name;
    const struct ets_delegation_step *step;
    uint32_t unit;
    const struct ets_row_node *nodes;
    size_t node_count;
    const struct ets_cost *cost;
    bool is_taken;
};

static bool add_single(struct lister *l, const struct piece *piece)
{
    struct ets_cost_line *line = new_line(l);
    if (line == NULL) return false;
    line->name = piece->name;
    line->step = piece->step;
    line->unit = piece->unit;
    line->cost = *piece->cost;
    line->is_taken = piece->is_taken;
    line->calls = 1;
    return find_places(l, piece->nodes, piece->node_count, &line->lines, &line->modules);
}

/* How much of a path is its first `depth` components. */
static size_t size_at_depth(struct ets_text path, uint32_t depth)
{
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '.' && --depth == 0) return i;
    }
    return path.size;
}

/* Puts the modules that hold those of a list in their place, each once. */
static bool cut_modules(struct lister *l, struct ets_numbers *list)
{
    const uint32_t count = list->count;
    if (l->options->depth == 0) return true;
    list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ets_text path = ets_places_path(l->lines->places, list->items[i]);
        path.size = size_at_depth(path, l->options->depth);
        const uint32_t cut = ets_places_module(l->lines->places, path);
        bool is_new = cut != ETS_NO_INDEX;
        if (!is_new) return false;
        for (uint32_t k = 0; k < list->count; k++) is_new = is_new && list->items[k] != cut;
        if (is_new) list->items[list->count++] = cut;
    }
    return true;
}

static bool find_key(struct lister *l, const struct piece *piece, enum ets_place_kind *kind,
                     struct ets_numbers *list)
{
    struct ets_numbers lines;
    *kind = ETS_PLACE_MODULE;
    *list = (struct ets_numbers){NULL, 0};
    if (l->options->group_by == ETS_COST_BY_MODULE) {
        if (!find_places(l, piece->nodes, piece->node_count, &lines, list) ||
            !cut_modules(l, list)) {
            return false;
        }
        if (list->count > 0) return true;
    }
    static const char nowhere[] = "(no module)";
    *kind = ETS_PLACE_NONE;
    list->items = ets_arena_alloc_array(l->arena, 1, sizeof *list->items);
    if (list->items == NULL) return false;
    const bool by_op = l->options->group_by == ETS_COST_BY_OP;
    const struct ets_text name =
        by_op ? piece->name : (struct ets_text){nowhere, sizeof nowhere - 1};
    list->items[0] = ets_places_none(l->lines->places, name);
    list->count = 1;
    return list->items[0] != ETS_NO_INDEX;
}

static bool add_to_group(struct lister *l, const struct piece *piece)
{
    enum ets_place_kind kind;
    struct ets_numbers list;
    if (!piece->is_taken) return true;
    if (!find_key(l, piece, &kind, &list)) return false;
    const uint64_t key = ets_places_list(l->lines->places, kind, &list);
    if (key == ETS_NO_INDEX) return false;
    const uint32_t known = l->keys.count;
    const uint32_t number = ets_key_table_add(&l->keys, &key);
    if (number == ETS_KEY_NONE) return false;
    if (number == known) {
        struct ets_cost_line *line = new_line(l);
        if (line == NULL || !ets_places_names(l->lines->places, kind, &list, &line->name)) {
            return false;
        }
        line->is_taken = true;
        if (kind == ETS_PLACE_MODULE) line->group = list;
    }
    struct ets_cost_line *line = &l->lines->items[number];
    line->calls++;
    ets_cost_add(&line->cost, piece->cost);
    return true;
}

static bool add_units(struct lister *l, uint32_t index, const struct piece *call)
{
    const bool is_grouped = l->options->group_by != ETS_COST_BY_NONE;
    for (uint32_t i = 0; i < call->step->unit_count; i++) {
        const struct ets_delegate_unit *unit = &call->step->units[i];
        if (is_grouped && unit->is_counted_elsewhere) continue;
        struct piece piece = {.step = call->step,
                              .unit = i,
                              .nodes = unit->nodes,
                              .node_count = unit->node_count,
                              .cost = &l->costs->units[index][i],
                              .is_taken = call->is_taken};
        if (!ets_delegate_unit_name(l->arena, unit, &piece.name)) return false;
        if (!(is_grouped ? add_to_group(l, &piece) : add_single(l, &piece))) return false;
    }
    return true;
}

/* Whether a call's operators come to what the call does: else they are not all known. */
static bool adds_up(const struct lister *l, uint32_t index)
{
    struct ets_cost sum = {.operators = 0};
    const struct ets_delegation_step *step = ets_delegation_step_at(l->delegation, index);
    const struct ets_cost *call = &l->costs->steps[index].cost;
    for (uint32_t i = 0; i < step->unit_count; i++) {
        ets_cost_add(&sum, &l->costs->units[index][i]);
    }
    return sum.unknown == call->unknown && ets_cost_flops(&sum) == ets_cost_flops(call);
}

static bool add_step(struct lister *l, uint32_t index)
{
    const struct ets_delegation_step *step = ets_delegation_step_at(l->delegation, index);
    const bool is_grouped = l->options->group_by != ETS_COST_BY_NONE;
    const struct piece piece = {.name = step->name,
                                .step = step,
                                .unit = ETS_NO_INDEX,
                                .nodes = step->nodes,
                                .node_count = step->node_count,
                                .cost = &l->costs->steps[index].cost,
                                .is_taken = l->costs->is_taken[index]};
    if (!is_listed(step)) return true;
    if (!is_grouped) return add_single(l, &piece) && add_units(l, index, &piece);
    if (step->unit_count > 0 && adds_up(l, index)) return add_units(l, index, &piece);
    return add_to_group(l, &piece);
}

static int by_flops(const void *left, const void *right)
{
    const struct ets_cost_line *a = left, *b = right;
    const uint64_t x = ets_cost_flops(&a->cost), y = ets_cost_flops(&b->cost);
    return x != y ? (x < y) - (x > y) : (a->order > b->order) - (a->order < b->order);
}

static int by_bytes(const void *left, const void *right)
{
    const struct ets_cost_line *a = left, *b = right;
    const uint64_t x = ets_cost_bytes(&a->cost), y = ets_cost_bytes(&b->cost);
    return x != y ? (x < y) - (x > y) : (a->order > b->order) - (a->order < b->order);
}

bool ets_cost_lines_collect(struct ets_arena *arena, const struct ets_delegation *delegation,
                            const struct ets_step_costs *costs, uint32_t first_step,
                            const struct ets_cost_view_options *options,
                            struct ets_cost_lines *lines_out)
{
    struct lister l = {.arena = arena,
                       .delegation = delegation,
                       .costs = costs,
                       .options = options,
                       .lines = lines_out};
    const struct ets_delegation_step *first = ets_delegation_step_at(delegation, first_step);
    *lines_out = (struct ets_cost_lines){.method = first->method_name,
                                         .total = &costs->methods[first->method],
                                         .places = ets_places_new(arena)};
    ets_key_table_init(&l.keys, arena, 1);
    if (lines_out->places == NULL) return false;
    const uint32_t count = ets_delegation_count(delegation);
    for (uint32_t i = first_step; i < count; i++) {
        if (ets_delegation_step_at(delegation, i)->method != first->method) break;
        if (!add_step(&l, i)) return false;
    }
    if (options->sort != ETS_COST_SORT_ORDER && lines_out->count > 0) {
        qsort(lines_out->items, lines_out->count, sizeof *lines_out->items,
              options->sort == ETS_COST_SORT_FLOPS ? by_flops : by_bytes);
    }
    return true;
}

size_t ets_cost_lines_headline(const struct ets_cost_lines *lines, char *text, size_t room)
{
    struct ets_text_builder out = {text, room, 0};
    const struct ets_method_cost *method = lines->total;
    ets_add_plain_text(&out, "%s: ", lines->method);
    const size_t size =
        ets_cost_headline(&method->total, "a run", text + out.used, room - out.used);
    if (size == 0) ets_add_text(&out, "no operators");
    out.used += size;
    if (method->choices > 0) ets_add_text(&out, "; of branches the larger counts");
    if (method->loops > 0) ets_add_text(&out, "; loops count once");
    ets_add_token_cost(&out, &method->token);
    return out.used;
}
