/* The answer to "where are the bytes" in a sentence, and what its subjects are called. */
#include <stdio.h>
#include <string.h>

#include "host/text_builder.h"
#include "views/size_lines.h"

/* Parts are named until they are so many percent of the whole, and no more than two. */
enum { ENOUGH_PERCENT = 80, MOST_NAMED = 2 };

static unsigned percent_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (unsigned)(100.0 * (double)part / (double)whole + 0.5);
}

static void add_count(struct ets_text_builder *text, uint64_t count, const char *one,
                      const char *several)
{
    ets_add_text(text, "%llu %s", (unsigned long long)count, count == 1 ? one : several);
}

static const struct ets_byte_item *largest_of(const struct ets_size_lines *lines,
                                              const struct ets_size_group *group)
{
    return &lines->map->items[lines->items[group->first]];
}

/* ", mostly embed.weight" where one item is more than half of several. */
static void add_largest(struct ets_text_builder *text, const struct ets_size_lines *lines,
                        const struct ets_size_group *group)
{
    char name[256];
    const struct ets_byte_item *item = largest_of(lines, group);
    if (group->item_count < 2 || item->bytes <= group->bytes / 2) return;
    const bool is_named = item->name.data != NULL || group->part == ETS_BYTES_PROGRAM;
    if (!is_named) return;
    ets_size_item_name(item, name, sizeof name);
    ets_add_plain_text(text, ", mostly %s", name);
}

static void add_layers(struct ets_text_builder *text, const struct ets_size_group *group)
{
    const char *layer = group->layer == NULL ? "" : group->layer;
    const bool is_linear = strcmp(layer, "FullyConnected") == 0;
    const bool is_convolution = strstr(layer, "Conv") == layer && strcmp(layer, "Convert") != 0;
    if (group->layer_count == 0) {
        ets_add_plain_text(text, "weights in %.*s", ETS_TEXT(group->key));
        return;
    }
    ets_add_text(text, "weights of ");
    if (is_linear) add_count(text, group->layer_count, "linear layer", "linear layers");
    else if (is_convolution) add_count(text, group->layer_count, "convolution", "convolutions");
    else add_count(text, group->layer_count, "layer", "layers");
    ets_add_plain_text(text, " in %.*s", ETS_TEXT(group->key));
}

static void add_group(struct ets_text_builder *text, const struct ets_size_lines *lines,
                      const struct ets_size_group *group)
{
    switch (group->part) {
    case ETS_BYTES_WEIGHT: add_layers(text, group); return;
    case ETS_BYTES_CONSTANT:
        if (group->item_count == 1 && largest_of(lines, group)->name.data != NULL) {
            ets_add_plain_text(text, "the constant %.*s", ETS_TEXT(largest_of(lines, group)->name));
            return;
        }
        add_count(text, group->item_count, "constant", "constants");
        add_largest(text, lines, group);
        return;
    case ETS_BYTES_UNUSED_CONSTANT:
        add_count(text, group->item_count, "constant", "constants");
        ets_add_text(text, " that nothing reads");
        add_largest(text, lines, group);
        return;
    case ETS_BYTES_PAYLOAD:
        add_count(text, group->item_count, "payload", "payloads");
        ets_add_plain_text(text, " of %.*s", ETS_TEXT(group->key));
        return;
    case ETS_BYTES_PROGRAM:
        ets_add_text(text, "the program itself");
        add_largest(text, lines, group);
        return;
    default: ets_add_text(text, "%s", ets_byte_part_title(group->part)); return;
    }
}

static void add_duplicates(struct ets_text_builder *text, const struct ets_byte_map *map)
{
    char name[256];
    const struct ets_byte_item *largest = NULL;
    if (map->duplicate_count == 0) return;
    for (uint32_t i = 0; i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (item->same_as == ETS_BYTES_NONE) continue;
        if (largest == NULL || item->bytes > largest->bytes) largest = item;
    }
    ets_add_text(text, "; ");
    add_count(text, map->duplicate_count, "duplicate costs ", "duplicates cost ");
    ets_add_bytes(text, map->duplicate_bytes);
    /* Of two equal ones either may have a name. */
    if (largest->name.data == NULL) largest = &map->items[largest->same_as];
    if (largest->name.data == NULL) return;
    ets_size_item_name(largest, name, sizeof name);
    ets_add_plain_text(text, map->duplicate_count == 1 ? " (%s)" : ", the largest of %s", name);
}

size_t ets_size_headline(const struct ets_size_lines *lines, char *text, size_t room)
{
    const struct ets_byte_map *map = lines->map;
    struct ets_text_builder builder = {text, room, 0};
    uint64_t named = 0;
    ets_add_bytes(&builder, map->bytes);
    if (map->file_count > 1) ets_add_text(&builder, " in %u files", map->file_count);
    if (map->absent_count > 0) {
        ets_add_text(&builder, " without ");
        add_count(&builder, map->absent_count, "tensor", "tensors");
        ets_add_text(&builder, " of a data file (.ptd)");
    }
    for (uint32_t g = 0; g < lines->group_count && g < MOST_NAMED; g++) {
        if (percent_of(named, map->bytes) >= ENOUGH_PERCENT) break;
        named += lines->groups[g].bytes;
        ets_add_text(&builder, g == 0 ? ": " : ", ");
        ets_add_text(&builder, "%u %% %s", percent_of(lines->groups[g].bytes, map->bytes),
                     g == 0 ? "is " : "");
        add_group(&builder, lines, &lines->groups[g]);
    }
    add_duplicates(&builder, map);
    return builder.used;
}

size_t ets_size_item_name(const struct ets_byte_item *item, char *text, size_t room)
{
    struct ets_text_builder builder = {text, room, 0};
    const bool is_scale = item->role != NULL && strcmp(item->role, "scale") == 0;
    text[0] = '\0';
    if (item->name.data != NULL) {
        ets_add_plain_text(&builder, is_scale ? "%.*s (scales)" : "%.*s", ETS_TEXT(item->name));
    } else if (item->part == ETS_BYTES_WEIGHT && item->node != ETS_BYTES_NONE) {
        if (item->module.size > 0) ets_add_plain_text(&builder, "%.*s ", ETS_TEXT(item->module));
        ets_add_plain_text(&builder, "%s %u.%u %s", item->content, item->delegate, item->node,
                           item->role);
    } else if (item->part == ETS_BYTES_PAYLOAD) {
        ets_add_plain_text(&builder, "%s %u", item->content, item->delegate);
    } else if (item->content != NULL) {
        ets_add_plain_text(&builder, "%s", item->content);
    } else if (item->key.data != NULL) {
        ets_add_plain_text(&builder, "%.*s", ETS_TEXT(item->key));
    } else if (item->size > 0) {
        const bool is_constant = item->part == ETS_BYTES_UNUSED_CONSTANT;
        ets_add_text(&builder, "%s at byte %llu",
                     is_constant ? "constant" : ets_byte_part_name(item->part),
                     (unsigned long long)item->offset);
    } else {
        ets_add_text(&builder, "%s", ets_byte_part_title(item->part));
    }
    return builder.used;
}

size_t ets_size_group_name(const struct ets_size_group *group, enum ets_size_by by, char *text,
                           size_t room)
{
    struct ets_text_builder builder = {text, room, 0};
    text[0] = '\0';
    if (by == ETS_SIZE_BY_LAYER && group->key.data == NULL) {
        ets_add_text(&builder, group->is_weights ? "(layer not known)" : "(no weights)");
    } else if (by == ETS_SIZE_BY_MODULE || by == ETS_SIZE_BY_LAYER) {
        if (group->key.data == NULL) ets_add_text(&builder, "(no module)");
        else if (group->key.size == 0) ets_add_text(&builder, "(the model itself)");
        else ets_add_plain_text(&builder, "%.*s", ETS_TEXT(group->key));
    } else if (by == ETS_SIZE_BY_DTYPE) {
        if (group->key.data == NULL) ets_add_text(&builder, "(no dtype)");
        else ets_add_plain_text(&builder, "%.*s", ETS_TEXT(group->key));
    } else if (group->part == ETS_BYTES_WEIGHT) {
        ets_add_plain_text(&builder, "weights in %.*s", ETS_TEXT(group->key));
    } else if (group->part == ETS_BYTES_PAYLOAD) {
        ets_add_plain_text(&builder, "payloads of %.*s", ETS_TEXT(group->key));
    } else {
        ets_add_text(&builder, "%s", ets_byte_part_title(group->part));
    }
    return builder.used;
}
