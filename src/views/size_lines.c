/* Groups the bytes of programs by what they are for, by module, by dtype or by layer. */
#include "views/size_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "host/text_builder.h"
#include "views/work_kinds.h"

/* Number of a part's key beside its text: no text is a key. */
enum { KEY_WORDS = 3, LAYER_WORDS = 4 };

struct grouped {
    uint64_t bytes, offset;
    uint32_t group, item;
};

struct collector {
    struct ets_arena *arena;
    const struct ets_byte_map *map;
    enum ets_size_by by;
    struct ets_strings texts;
    struct ets_key_table keys;
    struct ets_size_group *groups; /* [number in keys] */
    struct grouped *items;
};

/* What a model learned or keeps, as opposed to what describes it. */
static bool is_weights(const struct ets_byte_item *item)
{
    return item->part == ETS_BYTES_CONSTANT || item->part == ETS_BYTES_WEIGHT ||
           item->part == ETS_BYTES_STATE || item->part == ETS_BYTES_NAMED_DATA ||
           item->part == ETS_BYTES_UNUSED_CONSTANT;
}

static struct ets_text text_of(const struct ets_byte_item *item, enum ets_size_by by)
{
    const struct ets_text none = {NULL, 0};
    switch (by) {
    case ETS_SIZE_BY_PART: return item->backend;
    case ETS_SIZE_BY_MODULE: return item->module;
    case ETS_SIZE_BY_LAYER: return is_weights(item) ? ets_module_layer(item->module) : none;
    case ETS_SIZE_BY_DTYPE: break;
    }
    return item->dtype == NULL ? none : (struct ets_text){item->dtype, strlen(item->dtype)};
}

/* The number of a text; ETS_STRING_NONE of an absent one. UINT32_MAX: no memory. */
static uint32_t number_of(struct collector *c, struct ets_text text)
{
    return text.data == NULL ? ETS_STRING_NONE : ets_strings_add(&c->texts, text);
}

/*
 * How weights are stored: "qbint4, groups of 32", "bfloat16 scales", "float32". Absent: not known;
 * `*ok_out` false: no memory.
 */
static struct ets_text scheme_of(struct collector *c, const struct ets_byte_item *item,
                                 bool *ok_out)
{
    enum { ROOM = 80 };
    const bool is_scale = item->role != NULL && strcmp(item->role, "scale") == 0;
    struct ets_text_builder text = {ets_arena_alloc(c->arena, ROOM), ROOM, 0};
    *ok_out = item->dtype == NULL || text.text != NULL;
    if (item->dtype == NULL || text.text == NULL) return (struct ets_text){NULL, 0};
    ets_add_text(&text, "%s", item->dtype);
    if (item->group_size > 0) ets_add_text(&text, ", groups of %u", item->group_size);
    if (is_scale) ets_add_text(&text, " scales");
    return ets_built_text(&text);
}

static bool add_item(struct collector *c, uint32_t index)
{
    const struct ets_byte_item *item = &c->map->items[index];
    const struct ets_text text = text_of(item, c->by);
    const bool has_scheme = c->by == ETS_SIZE_BY_LAYER && is_weights(item);
    bool ok = true;
    const struct ets_text scheme =
        has_scheme ? scheme_of(c, item, &ok) : (struct ets_text){NULL, 0};
    const uint32_t number = number_of(c, text), scheme_number = number_of(c, scheme);
    if (!ok || number == UINT32_MAX || scheme_number == UINT32_MAX) return false;
    const uint64_t key[KEY_WORDS] = {c->by == ETS_SIZE_BY_PART ? item->part : has_scheme, number,
                                     scheme_number};
    const uint32_t known = c->keys.count;
    const uint32_t at = ets_key_table_add(&c->keys, key);
    if (at == ETS_KEY_NONE) return false;
    struct ets_size_group *group = &c->groups[at];
    if (at == known) {
        *group = (struct ets_size_group){
            .part = item->part, .key = text, .scheme = scheme.data, .is_weights = has_scheme};
    }
    group->bytes += item->bytes;
    group->count += item->count;
    group->item_count++;
    c->items[index] = (struct grouped){item->bytes, item->offset, at, index};
    return true;
}

/* The layers that weights belong to, each once. */
static bool count_layers(struct collector *c)
{
    struct ets_key_table layers;
    ets_key_table_init(&layers, c->arena, LAYER_WORDS);
    for (uint32_t i = 0; i < c->map->item_count; i++) {
        const struct ets_byte_item *item = &c->map->items[i];
        struct ets_size_group *group = &c->groups[c->items[i].group];
        if (item->part != ETS_BYTES_WEIGHT || c->by != ETS_SIZE_BY_PART) continue;
        if (item->node == ETS_BYTES_NONE) continue; /* of an unknown layer */
        const uint64_t key[LAYER_WORDS] = {item->program, item->method, item->delegate, item->node};
        const uint32_t known = layers.count;
        const uint32_t number = ets_key_table_add(&layers, key);
        if (number == ETS_KEY_NONE) return false;
        if (number != known) continue;
        const bool is_like = group->layer_count == 0 ||
                             (group->layer != NULL && strcmp(group->layer, item->content) == 0);
        group->layer_count++;
        group->layer = is_like ? item->content : NULL;
    }
    return true;
}

/* Adds up the schemes of each layer. */
static bool add_up_layers(struct collector *c)
{
    struct ets_key_table layers;
    ets_key_table_init(&layers, c->arena, 2);
    uint64_t *bytes = ets_arena_alloc_array(c->arena, c->keys.count + 1, sizeof *bytes);
    uint32_t *numbers = ets_arena_alloc_array(c->arena, c->keys.count + 1, sizeof *numbers);
    if (bytes == NULL || numbers == NULL) return false;
    for (uint32_t g = 0; g < c->keys.count; g++) {
        const struct ets_size_group *group = &c->groups[g];
        const uint64_t key[2] = {group->is_weights, number_of(c, group->key)};
        const uint32_t known = layers.count;
        numbers[g] = ets_key_table_add(&layers, key);
        if (key[1] == UINT32_MAX || numbers[g] == ETS_KEY_NONE) return false;
        if (numbers[g] == known) bytes[known] = 0;
        bytes[numbers[g]] += group->bytes;
    }
    for (uint32_t g = 0; g < c->keys.count; g++) c->groups[g].layer_bytes = bytes[numbers[g]];
    return true;
}

/* Most bytes first. */
static int compare_groups(const void *left, const void *right)
{
    const struct ets_size_group *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    return ets_text_compare(a->key, b->key);
}

/* The largest layer first, behind all what belongs to none, the rest of the files last. */
static int compare_layers(const void *left, const void *right)
{
    const struct ets_size_group *a = left, *b = right;
    const bool a_known = a->key.data != NULL, b_known = b->key.data != NULL;
    if (a->is_weights != b->is_weights) return a->is_weights ? -1 : 1;
    if (a_known != b_known) return a_known ? -1 : 1;
    if (a->layer_bytes != b->layer_bytes) return a->layer_bytes > b->layer_bytes ? -1 : 1;
    const int keys = ets_text_compare(a->key, b->key);
    if (keys != 0) return keys;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return ets_text_compare(ets_text_of(a->scheme), ets_text_of(b->scheme));
}

static int compare_items(const void *left, const void *right)
{
    const struct grouped *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return a->item < b->item ? -1 : 1;
}

bool ets_size_lines_collect(struct ets_arena *arena, const struct ets_byte_map *map,
                            enum ets_size_by by, struct ets_size_lines *lines_out)
{
    const uint32_t count = map->item_count;
    struct collector c = {.arena = arena, .map = map, .by = by};
    c.groups = ets_arena_alloc_array(arena, count, sizeof *c.groups);
    c.items = ets_arena_alloc_array(arena, count, sizeof *c.items);
    uint32_t *items = ets_arena_alloc_array(arena, count, sizeof *items);
    ets_key_table_init(&c.keys, arena, KEY_WORDS);
    if (c.groups == NULL || c.items == NULL || items == NULL ||
        ets_strings_init(&c.texts, arena) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!add_item(&c, i)) return false;
    }
    if (!count_layers(&c)) return false;
    qsort(c.items, count, sizeof *c.items, compare_items);
    uint32_t at = 0;
    for (uint32_t g = 0; g < c.keys.count; g++) {
        c.groups[g].first = at;
        for (; at < count && c.items[at].group == g; at++) items[at] = c.items[at].item;
    }
    if (by == ETS_SIZE_BY_LAYER && !add_up_layers(&c)) return false;
    qsort(c.groups, c.keys.count, sizeof *c.groups,
          by == ETS_SIZE_BY_LAYER ? compare_layers : compare_groups);
    *lines_out = (struct ets_size_lines){map, c.groups, c.keys.count, items};
    return true;
}
