#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"
#include "inspect/patterns.h"
#include "views/module_tree.h"
#include "views/operator_lines.h"

/* Pieces of work of one key. */
struct group {
    struct ets_operator_line line;
    uint32_t first_piece, last_piece; /* ends of a linked list */
};

struct grouper {
    struct ets_arena *arena;
    const struct ets_operator_options *options;
    const struct ets_chosen_runs *runs;
    const struct ets_work *work;
    struct ets_strings keys;
    struct group *groups; /* [key number] */
    uint32_t *next_piece; /* [piece] */
    uint32_t *rows;       /* [piece] scratch */
    double *per_run;      /* [run of the block] scratch */
};

/* "Convolution (NHWC, F32) IGEMM" of "Convolution (NHWC, F32) IGEMM #3". */
static struct ets_text without_number(struct ets_text name)
{
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9') size--;
    if (size < 3 || size == name.size || name.data[size - 1] != '#' || name.data[size - 2] != ' ') {
        return name;
    }
    return (struct ets_text){name.data, size - 2};
}

/* "blocks.py:35, blocks.py:53": rows of several lines or modules are a group of their own. */
bool ets_text_list_join(struct ets_arena *arena, const struct ets_text_list *list,
                        struct ets_text *out)
{
    *out = (struct ets_text){"(not in the record)", 19};
    if (list->count == 0) return true;
    size_t room = 1, used = 0;
    for (size_t i = 0; i < list->count; i++) room += list->items[i].size + 2;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return false;
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) memcpy(text + used, ", ", 2);
        used += i > 0 ? 2 : 0;
        if (list->items[i].size > 0) memcpy(text + used, list->items[i].data, list->items[i].size);
        used += list->items[i].size;
    }
    *out = (struct ets_text){text, used};
    return true;
}

/* "models/zoo.py" of "models/zoo.py:16", each once. */
static void drop_lines(struct ets_text_list *places)
{
    const size_t count = places->count;
    places->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct ets_text file = places->items[i];
        while (file.size > 0 && file.data[file.size - 1] != ':') file.size--;
        if (file.size > 0) file.size--;
        ets_text_list_add(places, file);
    }
}

static bool handles_of(struct ets_arena *arena, const struct ets_row *row,
                       struct ets_text_list *out)
{
    enum { DIGITS = 24 };
    out->items = ets_arena_alloc_array(arena, row->handle_count, sizeof *out->items);
    char *text = ets_arena_alloc_array(arena, row->handle_count, DIGITS);
    if (out->items == NULL || text == NULL) return false;
    for (size_t i = 0; i < row->handle_count; i++, text += DIGITS) {
        const size_t size = ets_print_text(text, DIGITS, "%lld", (long long)row->handles[i]);
        ets_text_list_add(out, (struct ets_text){text, size});
    }
    return true;
}

static bool key_of(const struct grouper *g, const struct ets_row *row, struct ets_text *key_out,
                   struct ets_text_list *places_out)
{
    struct ets_text_list other;
    *places_out = (struct ets_text_list){NULL, 0};
    switch (g->options->group_by) {
    case ETS_GROUP_SOURCE:
    case ETS_GROUP_FILE:
        if (!ets_operator_row_places(g->arena, row, places_out, &other)) return false;
        if (g->options->group_by == ETS_GROUP_FILE) drop_lines(places_out);
        return places_out->count == 0 ? ets_work_name_elsewhere(g->arena, row, true, key_out)
                                      : ets_text_list_join(g->arena, places_out, key_out);
    case ETS_GROUP_HANDLE:
        return handles_of(g->arena, row, places_out) &&
               (places_out->count == 0 ? ets_work_name_elsewhere(g->arena, row, false, key_out)
                                       : ets_text_list_join(g->arena, places_out, key_out));
    case ETS_GROUP_BACKEND:
        *key_out = (struct ets_text){ets_row_backend(row), strlen(ets_row_backend(row))};
        return true;
    default: *key_out = without_number(ets_row_operator(row)); return true;
    }
}

static bool add_piece(struct grouper *g, uint32_t index)
{
    const struct ets_work_piece *piece = &g->work->pieces[index];
    const struct ets_row *row = ets_inspection_row(g->work->inspection, piece->row);
    struct ets_text key;
    struct ets_text_list places = {NULL, 0};
    if (piece->is_rest ? !ets_work_name_rest(g->arena, row, &key)
                       : !key_of(g, row, &key, &places)) {
        return false;
    }
    const uint32_t known = g->keys.count;
    const uint32_t number = ets_strings_add(&g->keys, key);
    if (number == UINT32_MAX) return false;
    struct group *group = &g->groups[number];
    g->next_piece[index] = ETS_NO_INDEX;
    if (number == known) {
        *group = (struct group){.first_piece = index, .last_piece = index};
        group->line = (struct ets_operator_line){.name = key,
                                                 .row = ETS_NO_INDEX,
                                                 .parent = ETS_NO_INDEX,
                                                 .order = number,
                                                 .places = places,
                                                 .is_rest = piece->is_rest};
    } else {
        g->next_piece[group->last_piece] = index;
        group->last_piece = index;
    }
    if (!piece->is_rest) group->line.calls_per_run += row->calls_per_run;
    if (piece->quantum != 0) group->line.quantum_ns = piece->quantum;
    group->line.coarse_calls += piece->coarse_calls;
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
    *line = (struct ets_operator_line){.name = {"(between operators)", 19},
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
    g->groups = ets_arena_alloc_array(arena, pieces + 2, sizeof *g->groups);
    g->next_piece = ets_arena_alloc_array(arena, pieces, sizeof *g->next_piece);
    g->rows = ets_arena_alloc_array(arena, pieces, sizeof *g->rows);
    lines->items = ets_arena_alloc_array(arena, pieces + 1, sizeof *lines->items);
    return g->groups != NULL && g->next_piece != NULL && g->rows != NULL && lines->items != NULL &&
           ets_strings_init(&g->keys, arena) == 0;
}

static bool offer_crowded(const struct grouper *g, const struct group *group,
                          struct ets_crowded_line *line)
{
    const double whole = g->runs->whole;
    const struct ets_crowded_line offered = {
        .name = group->line.name,
        .share = ets_span_of(group->line.times.middle / whole, group->line.quantum_ns / whole,
                             group->line.coarse_calls)};
    uint32_t count = 0;
    if (g->options->group_by != ETS_GROUP_SOURCE || group->line.places.count != 1) return true;
    for (uint32_t i = group->first_piece; i != ETS_NO_INDEX; i = g->next_piece[i]) {
        g->rows[count++] = g->work->pieces[i].row;
    }
    return ets_crowded_line_offer(g->arena, g->work->inspection, &offered, g->rows, count, line);
}

static bool flat_groups(struct grouper *g, struct ets_operator_lines *lines)
{
    if (!allocate(g, lines)) return false;
    for (uint32_t i = 0; i < g->work->count; i++) {
        if (!add_piece(g, i)) return false;
    }
    for (uint32_t number = 1; number < g->keys.count; number++) {
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
    return group_by == ETS_GROUP_OP ? ETS_WORK_ALL : ETS_WORK_KNOWN;
}

bool ets_operator_lines_by_group(struct ets_arena *arena, const struct ets_inspection *inspection,
                                 const struct ets_operator_options *options,
                                 const struct ets_chosen_runs *runs, const uint32_t *run_number,
                                 uint32_t block, struct ets_operator_lines *lines_out)
{
    struct ets_work work;
    *lines_out = (struct ets_operator_lines){.count = 0};
    if (ets_inspection_block(inspection, block)->row_count == 0) return true;
    if (!ets_work_collect(arena, inspection, block, detail_of(options->group_by), &options->filter,
                          run_number, &work)) {
        return false;
    }
    struct grouper g = {
        .arena = arena,
        .options = options,
        .runs = runs,
        .work = &work,
        .per_run = ets_arena_alloc_array(arena, work.block->run_count, sizeof *g.per_run)};
    if (g.per_run == NULL) return false;
    const bool ok = options->group_by == ETS_GROUP_MODULE
                        ? ets_module_tree_lines(arena, &work, options, runs, g.per_run, lines_out)
                        : flat_groups(&g, lines_out);
    if (ok && ets_row_filter_is_empty(&options->filter)) add_between(&g, lines_out);
    return ok;
}
