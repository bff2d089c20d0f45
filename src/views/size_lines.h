/*
 * Where the bytes of programs are: the items of a byte map in groups, and the answer in a sentence.
 *
 *     struct ets_size_lines lines;
 *     if (ets_size_lines_collect(&arena, map, ETS_SIZE_BY_PART, &lines)) {
 *         for (uint32_t g = 0; g < lines.group_count; g++) {
 *             const struct ets_size_group *group = &lines.groups[g];
 *             for (uint32_t i = 0; i < group->item_count; i++) {
 *                 show(&map->items[lines.items[group->first + i]]);
 *             }
 *         }
 *     }
 *
 * Every item is in exactly one group, so that the groups add up to all files.
 */
#ifndef ETSCOPE_VIEWS_SIZE_LINES_H
#define ETSCOPE_VIEWS_SIZE_LINES_H

#include "contents/byte_map.h"

enum ets_size_by {
    ETS_SIZE_BY_PART,   /* and backend */
    ETS_SIZE_BY_MODULE, /* of constants and weights; what belongs to none is one group */
    ETS_SIZE_BY_DTYPE,  /* likewise */
    ETS_SIZE_BY_LAYER   /* and dtype, of constants and weights; the rest is one group */
};

struct ets_size_group {
    enum ets_byte_part part; /* BY_PART, else of its first item */
    struct ets_text key;     /* backend, module, dtype or layer; absent: none */
    const char *scheme;   /* BY_LAYER: "qbint4, groups of 32", "bfloat16 scales"; NULL: not known */
    uint64_t layer_bytes; /* BY_LAYER: of all groups with this key */
    bool is_weights;      /* BY_LAYER: false: of the rest of the files */
    uint64_t bytes;
    uint64_t count;       /* of what its items count */
    uint32_t layer_count; /* BY_PART, of WEIGHT: nodes of delegates that they belong to; 0: not
                             known */
    const char *layer;    /* "FullyConnected" where all these are of one type; NULL */
    uint32_t first, item_count;
};

struct ets_size_lines {
    const struct ets_byte_map *map;
    struct ets_size_group *groups; /* [group_count] most bytes first; BY_LAYER those of the largest
                                      layer */
    uint32_t group_count;
    uint32_t *items; /* [map->item_count] of the groups in turn, most bytes first */
};

/* False where memory ran out. */
bool ets_size_lines_collect(struct ets_arena *arena, const struct ets_byte_map *map,
                            enum ets_size_by by, struct ets_size_lines *lines_out);

/*
 * "7.4 MiB: 96 % is weights of 12 linear layers in XnnpackBackend; 3 duplicates cost 4.0 KiB, the
 * largest of them embed.weight". `lines` are BY_PART. Returns the length; cut to `room`.
 */
size_t ets_size_headline(const struct ets_size_lines *lines, char *text, size_t room);

/* What an item is called: its name, or what else is known of it. Returns the length. */
size_t ets_size_item_name(const struct ets_byte_item *item, char *text, size_t room);
/* "weights in XnnpackBackend", "constants", "model.layers.0". Returns the length. */
size_t ets_size_group_name(const struct ets_size_group *group, enum ets_size_by by, char *text,
                           size_t room);

#endif
