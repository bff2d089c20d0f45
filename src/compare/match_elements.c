/*
 * Finds the elements that debug handles stand for. An export numbers handles along the exported
 * program, so the same model has the same handles with any delegation; a changed model may have
 * others. If all handles used on both sides agree on module and operator, they are the elements.
 * Otherwise the element is the handle's module, its operator in the exported program, and its
 * position among equal ones. Where that matches too little, as between a float build and one whose
 * weights were quantized before the export, the element is the module, or the source line.
 */
#include <stdlib.h>

#include "compare/matching.h"

/* A handle of one side. */
struct handle {
    int64_t number;
    const struct ets_graph_node *node; /* NULL: in no graph */
    uint32_t module, target;           /* text numbers */
    uint32_t element;
};

struct handles {
    struct handle *items; /* ascending */
    uint32_t count;
};

/*
 * Whether the row's handles identify it: those of work, and of a delegate's event unless only its
 * call is known, whose handles it then has.
 */
static size_t handle_count(const struct ets_pool_operator *op)
{
    if (op->row == NULL) return 0;
    const enum ets_tie tie = op->row->tie;
    const bool is_tied = tie == ETS_TIE_MAP || tie == ETS_TIE_NODE || tie == ETS_TIE_NEAR;
    const bool has_own = op->role == ETS_POOL_WORK || (op->role == ETS_POOL_INNER && is_tied);
    return has_own ? op->row->handle_count : 0;
}

static int by_number(const void *left, const void *right)
{
    const struct handle *a = left, *b = right;
    if (a->number != b->number) return (a->number > b->number) - (a->number < b->number);
    return (a->node == NULL) - (b->node == NULL); /* known nodes first */
}

static const struct ets_graph_node *find_node(const struct ets_row *row, int64_t handle)
{
    for (size_t i = 0; i < row->node_count; i++) {
        if (row->nodes[i].handle == handle) return row->nodes[i].node;
    }
    return NULL;
}

static bool collect(struct ets_arena *arena, const struct ets_pool_block *block,
                    struct handles *handles)
{
    size_t most = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) most += handle_count(&block->operators[i]);
    handles->count = 0;
    handles->items = ets_arena_alloc_array(arena, most, sizeof *handles->items);
    if (handles->items == NULL || most > UINT32_MAX / 2) return false;
    uint32_t used = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const struct ets_row *row = block->operators[i].row;
        for (size_t h = 0; h < handle_count(&block->operators[i]); h++) {
            if (row->handles[h] <= 0) continue; /* 0: unset */
            handles->items[used++] =
                (struct handle){.number = row->handles[h], .node = find_node(row, row->handles[h])};
        }
    }
    if (used > 0) qsort(handles->items, used, sizeof *handles->items, by_number);
    for (uint32_t i = 0; i < used; i++) {
        struct handle *last = &handles->items[handles->count == 0 ? 0 : handles->count - 1];
        if (handles->count > 0 && last->number == handles->items[i].number) continue;
        handles->items[handles->count++] = handles->items[i];
    }
    return true;
}

/* The origin of a node in the exported program: "aten.linear.default". */
static struct ets_text target_of(const struct ets_graph_node *node)
{
    for (uint32_t i = node->origin_count; i-- > 0;) { /* the oldest may be Python's own objects */
        const struct ets_text target = node->origins[i].target;
        if (target.size > 0 && target.data[0] != '<') return target;
    }
    return node->op;
}

/* "model.py:12", without folders, which differ between machines; empty: unknown. */
static struct ets_text line_of(struct ets_arena *arena, const struct ets_graph_node *node)
{
    const struct ets_graph_frame *frame = ets_graph_user_frame(node);
    if (frame == NULL) return (struct ets_text){"", 0};
    const struct ets_text file = ets_text_without_folder(frame->file);
    char *text = ets_arena_alloc(arena, file.size + 24);
    if (text == NULL) return (struct ets_text){NULL, 0};
    return (struct ets_text){text, ets_print_text(text, file.size + 24, "%.*s:%lld", ETS_TEXT(file),
                                                  (long long)frame->line)};
}

/* The module or line that a handle stands for; handles without one keep their number. */
static bool place(struct ets_match *match, struct ets_strings *texts,
                  struct ets_key_table *elements, struct handles *handles)
{
    for (uint32_t i = 0; i < handles->count; i++) {
        struct handle *handle = &handles->items[i];
        uint64_t key[2] = {UINT64_MAX, (uint64_t)handle->number};
        struct ets_text text = {"", 0};
        if (handle->node != NULL) {
            text = match->scheme == ETS_SCHEME_MODULES ? ets_graph_module_path(handle->node)
                                                       : line_of(match->arena, handle->node);
            if (text.data == NULL && match->scheme == ETS_SCHEME_LINES) return false;
        }
        if (text.size > 0) {
            key[0] = 0;
            key[1] = ets_strings_add(texts, text);
            if (key[1] == UINT32_MAX) return false;
        }
        handle->element = ets_key_table_add(elements, key);
        if (handle->element == ETS_KEY_NONE) return false;
    }
    return true;
}

static bool describe(struct ets_strings *texts, struct handles *handles)
{
    for (uint32_t i = 0; i < handles->count; i++) {
        struct handle *handle = &handles->items[i];
        if (handle->node == NULL) continue;
        handle->module = ets_strings_add(texts, ets_graph_module_path(handle->node));
        handle->target = ets_strings_add(texts, target_of(handle->node));
        if (handle->module == UINT32_MAX || handle->target == UINT32_MAX) return false;
    }
    return true;
}

static bool agree(const struct handles *before, const struct handles *after)
{
    for (uint32_t i = 0, j = 0; i < before->count && j < after->count;) {
        const struct handle *left = &before->items[i], *right = &after->items[j];
        if (left->number == right->number && left->node != NULL && right->node != NULL &&
            (left->module != right->module || left->target != right->target)) {
            return false;
        }
        if (left->number <= right->number) i++;
        if (left->number >= right->number) j++;
    }
    return true;
}

/* Numbers the elements of the handles, equally on both sides. */
static bool number(struct ets_arena *arena, struct ets_key_table *elements, struct handles *handles,
                   bool agrees)
{
    struct ets_key_table seen; /* module and operator */
    uint32_t *count = ets_arena_alloc_array(arena, handles->count, sizeof *count);
    ets_key_table_init(&seen, arena, 1);
    if (count == NULL) return false;
    for (uint32_t i = 0; i < handles->count; i++) {
        struct handle *handle = &handles->items[i];
        uint64_t key[2] = {UINT64_MAX, (uint64_t)handle->number};
        if (!agrees && handle->node != NULL) {
            key[0] = (uint64_t)handle->module << 32 | handle->target;
            const uint32_t kind = ets_key_table_add(&seen, key);
            if (kind == ETS_KEY_NONE) return false;
            key[1] = count[kind]++;
        }
        handle->element = ets_key_table_add(elements, key);
        if (handle->element == ETS_KEY_NONE) return false;
    }
    return true;
}

static int by_value(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static uint32_t element_of(const struct handles *handles, int64_t number)
{
    const struct handle wanted = {.number = number};
    uint32_t low = 0, high = handles->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (handles->items[middle].number < wanted.number) low = middle + 1;
        else high = middle;
    }
    return handles->items[low].element; /* all were collected */
}

static bool hand_out(struct ets_match *match, int which, const struct handles *handles)
{
    struct ets_match_side *side = &match->sides[which];
    const struct ets_pool_block *block = side->block;
    size_t most = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) most += handle_count(&block->operators[i]);
    side->elements = ets_arena_alloc_array(match->arena, most, sizeof *side->elements);
    side->first_element =
        ets_arena_alloc_array(match->arena, block->operator_count, sizeof *side->first_element);
    side->element_count =
        ets_arena_alloc_array(match->arena, block->operator_count, sizeof *side->element_count);
    if (!side->elements || !side->first_element || !side->element_count) return false;
    uint32_t used = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const struct ets_row *row = block->operators[i].row;
        uint32_t *list = side->elements + used, count = 0, kept = 0;
        for (size_t h = 0; h < handle_count(&block->operators[i]); h++) {
            if (row->handles[h] > 0) list[count++] = element_of(handles, row->handles[h]);
        }
        if (count > 0) qsort(list, count, sizeof *list, by_value);
        for (uint32_t k = 0; k < count; k++) {
            if (kept == 0 || list[kept - 1] != list[k]) list[kept++] = list[k];
        }
        side->first_element[i] = used;
        side->element_count[i] = kept;
        used += kept;
    }
    return true;
}

bool ets_match_find_elements(struct ets_match *match)
{
    struct handles handles[2];
    struct ets_strings texts;
    struct ets_key_table elements;
    for (int side = 0; side < 2; side++) {
        if (match->sides[side].block == NULL) return true;
        if (!collect(match->arena, match->sides[side].block, &handles[side])) return false;
        if (handles[side].count == 0) return true; /* no record: by order */
    }
    if (match->scheme == ETS_SCHEME_NAMES) return true;
    if (ets_strings_init(&texts, match->arena) != 0) return false;
    ets_key_table_init(&elements, match->arena, 2);
    if (match->scheme != ETS_SCHEME_HANDLES) {
        for (int side = 0; side < 2; side++) {
            if (!place(match, &texts, &elements, &handles[side])) return false;
        }
        match->element_count = elements.count;
        match->by_handles = true;
        return hand_out(match, ETS_BEFORE, &handles[ETS_BEFORE]) &&
               hand_out(match, ETS_AFTER, &handles[ETS_AFTER]);
    }
    if (!describe(&texts, &handles[ETS_BEFORE]) || !describe(&texts, &handles[ETS_AFTER])) {
        return false;
    }
    const bool agrees = agree(&handles[ETS_BEFORE], &handles[ETS_AFTER]);
    for (int side = 0; side < 2; side++) {
        if (!number(match->arena, &elements, &handles[side], agrees)) return false;
    }
    match->element_count = elements.count;
    match->by_handles = true;
    return hand_out(match, ETS_BEFORE, &handles[ETS_BEFORE]) &&
           hand_out(match, ETS_AFTER, &handles[ETS_AFTER]);
}
