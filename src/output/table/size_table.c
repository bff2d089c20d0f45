/* The table of `size`: what takes the bytes of a program. */
#include "output/table/size_table.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

enum { NAME_ROOM = 4200 };

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_byte_map *map;
    const struct ets_byte_item *item; /* NULL: the row is of the group, or of its rest */
    const struct ets_size_group *group;
    enum ets_size_by by;
    uint64_t bytes;
    const char *label;
    struct ets_text headline;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_number(const struct line *line, uint32_t number)
{
    if (number == ETS_BYTES_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, number);
}

static void put_what(const struct line *line)
{
    ets_table_put_string(line->table, line->label);
}

static void put_key(const struct line *line)
{
    ets_table_put_text(line->table, line->group->key);
}

static void put_scheme(const struct line *line)
{
    ets_table_put_string(line->table, line->group->scheme);
}

static void put_kind(const struct line *line)
{
    ets_table_put_string(line->table, line->group->is_weights ? "weights" : "rest");
}

static void put_bytes(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->bytes);
}

static void put_share(const struct line *line)
{
    const double share = line->map->bytes == 0 ? 0 : (double)line->bytes / (double)line->map->bytes;
    ets_table_put_bounds(line->table, share, share);
}

static void put_group_count(const struct line *line)
{
    ets_table_put_integer(line->table, line->group->item_count);
}

static const struct field group_fields[] = {
    {{.name = "what", .human_only = 1, .least_width = 24, .cut_in_middle = 1}, put_what},
    {{.name = "key", .machine_only = 1}, put_key},
    {{.name = "size", .title = "bytes", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "share", .kind = ETS_COLUMN_SHARE}, put_share},
    {{.name = "items", .kind = ETS_COLUMN_INTEGER}, put_group_count},
};

/* By layer. */
static const struct field layer_fields[] = {
    {{.name = "layer", .human_only = 1, .least_width = 24, .cut_in_middle = 1}, put_what},
    {{.name = "key", .machine_only = 1}, put_key},
    {{.name = "kind", .machine_only = 1}, put_kind},
    {{.name = "scheme"}, put_scheme},
    {{.name = "size", .title = "bytes", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "share", .kind = ETS_COLUMN_SHARE}, put_share},
    {{.name = "items", .kind = ETS_COLUMN_INTEGER}, put_group_count},
};

static void put_part(const struct line *line)
{
    ets_table_put_string(line->table, ets_byte_part_name(line->item->part));
}

static void put_name(const struct line *line)
{
    ets_table_put_text(line->table, line->item->name);
}

/* People see no number where an item is one thing. */
static void put_count_for_people(const struct line *line)
{
    if (line->item == NULL || line->item->count <= 1) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)line->item->count);
}

static void put_count(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->item->count);
}

static void put_dtype(const struct line *line)
{
    ets_table_put_string(line->table, line->item == NULL ? NULL : line->item->dtype);
}

static void put_shape(const struct line *line)
{
    if (line->item == NULL || line->item->shape == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_integers(line->table, line->item->shape, line->item->rank);
}

static void put_module(const struct line *line)
{
    if (line->item == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, line->item->module);
}

static void put_backend(const struct line *line)
{
    ets_table_put_text(line->table, line->item->backend);
}

static void put_content(const struct line *line)
{
    ets_table_put_string(line->table, line->item->content);
}

static void put_layer(const struct line *line)
{
    const bool has_layer = line->item != NULL && line->item->part == ETS_BYTES_WEIGHT;
    ets_table_put_string(line->table, has_layer ? line->item->content : NULL);
}

static void put_role(const struct line *line)
{
    ets_table_put_string(line->table, line->item->role);
}

static void put_item_key(const struct line *line)
{
    ets_table_put_text(line->table, line->item->key);
}

static void put_file(const struct line *line)
{
    ets_table_put_string(line->table, line->map->files[line->item->file].path);
}

static void put_offset(const struct line *line)
{
    ets_table_put_integer(line->table, (int64_t)line->item->offset);
}

static void put_method(const struct line *line)
{
    struct ets_method method;
    if (line->item->method == ETS_BYTES_NONE) {
        ets_table_put_nothing(line->table);
        return;
    }
    ets_program_method(&line->map->files[line->item->program].program, line->item->method, &method);
    ets_table_put_text(line->table, method.name);
}

/* People know the method and the file where there is one. */
static void put_method_for_people(const struct line *line)
{
    const bool is_known = line->item != NULL && line->item->method != ETS_BYTES_NONE;
    if (is_known && line->map->files[line->item->program].program.method_count > 1)
        put_method(line);
    else ets_table_put_nothing(line->table);
}

static void put_file_for_people(const struct line *line)
{
    if (line->item != NULL && line->map->file_count > 1) put_file(line);
    else ets_table_put_nothing(line->table);
}

static void put_delegate(const struct line *line)
{
    put_number(line, line->item->delegate);
}

static void put_node(const struct line *line)
{
    put_number(line, line->item->node);
}

static void put_handle(const struct line *line)
{
    if (line->item->debug_handle < 0) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->item->debug_handle);
}

static void put_users_for_people(const struct line *line)
{
    if (line->item == NULL || line->item->user_count < 2) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->item->user_count);
}

static void put_users(const struct line *line)
{
    ets_table_put_integer(line->table, line->item->user_count);
}

static void put_hash(const struct line *line)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)line->item->hash);
    ets_table_put_string(line->table, line->item->hash == 0 ? NULL : text);
}

static void put_same_as(const struct line *line)
{
    char name[NAME_ROOM], text[NAME_ROOM + 64];
    const uint32_t other = line->item == NULL ? ETS_BYTES_NONE : line->item->same_as;
    if (other == ETS_BYTES_NONE) {
        ets_table_put_nothing(line->table);
        return;
    }
    const struct ets_byte_item *item = &line->map->items[other];
    ets_size_item_name(item, name, sizeof name);
    const bool is_named = item->name.data != NULL; /* the others begin with what they are */
    snprintf(text, sizeof text, "%s%s%s", is_named ? ets_byte_part_name(item->part) : "",
             is_named ? " " : "", name);
    ets_table_put_string(line->table, text);
}

static void put_same_offset(const struct line *line)
{
    const uint32_t other = line->item->same_as;
    if (other == ETS_BYTES_NONE) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, (int64_t)line->map->items[other].offset);
}

static void put_same_file(const struct line *line)
{
    const uint32_t other = line->item->same_as;
    ets_table_put_string(line->table, other == ETS_BYTES_NONE
                                          ? NULL
                                          : line->map->files[line->map->items[other].file].path);
}

static const struct field item_fields[] = {
    {{.name = "what", .human_only = 1, .least_width = 24, .cut_in_middle = 1}, put_what},
    {{.name = "part", .machine_only = 1}, put_part},
    {{.name = "content", .machine_only = 1}, put_content},
    {{.name = "name", .machine_only = 1}, put_name},
    {{.name = "size", .title = "bytes", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "share", .kind = ETS_COLUMN_SHARE}, put_share},
    {{.name = "count", .kind = ETS_COLUMN_INTEGER, .human_only = 1, .priority = 5},
     put_count_for_people},
    {{.name = "count", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_count},
    {{.name = "file", .human_only = 1, .least_width = 12, .cut_at_start = 1}, put_file_for_people},
    {{.name = "method", .human_only = 1, .priority = 6}, put_method_for_people},
    {{.name = "dtype"}, put_dtype},
    {{.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 3}, put_shape},
    {{.name = "layer", .human_only = 1, .priority = 4}, put_layer},
    {{.name = "module", .least_width = 14, .cut_at_start = 1, .priority = 2}, put_module},
    {{.name = "users", .kind = ETS_COLUMN_INTEGER, .human_only = 1, .priority = 6},
     put_users_for_people},
    {{.name = "same_as", .title = "same as", .least_width = 14, .priority = 1}, put_same_as},
    {{.name = "backend", .machine_only = 1}, put_backend},
    {{.name = "role", .machine_only = 1}, put_role},
    {{.name = "key", .machine_only = 1}, put_item_key},
    {{.name = "file", .machine_only = 1}, put_file},
    {{.name = "offset", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_offset},
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "delegate", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_delegate},
    {{.name = "node", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_node},
    {{.name = "debug_handle", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_handle},
    {{.name = "users", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_users},
    {{.name = "hash", .machine_only = 1}, put_hash},
    {{.name = "same_as_file", .machine_only = 1}, put_same_file},
    {{.name = "same_as_offset", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_same_offset},
};

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static void put_group_rows(const struct ets_size_lines *lines,
                           const struct ets_size_table_options *options, struct line line)
{
    char name[NAME_ROOM];
    const uint32_t groups = lines->group_count;
    uint32_t shown = options->top > 0 && options->top < groups ? options->top : groups;
    if (shown + 1 == groups) shown = groups; /* a note of one would be as long */
    const bool is_layers = options->by == ETS_SIZE_BY_LAYER;
    const struct field *fields = is_layers ? layer_fields : group_fields;
    const size_t count = is_layers ? COUNT(layer_fields) : COUNT(group_fields);
    ets_table_add_columns(line.table, &fields[0].column, sizeof *fields, count, 0);
    ets_table_add_section(line.table, line.headline);
    line.label = name;
    for (uint32_t g = 0; g < shown; g++) {
        line.group = &lines->groups[g];
        line.bytes = line.group->bytes;
        ets_size_group_name(line.group, options->by, name, sizeof name);
        ets_table_add_row(line.table, 0);
        for (size_t i = 0; i < count; i++) fields[i].put(&line);
    }
    if (shown == groups || !options->for_people) return;
    const int size = snprintf(name, sizeof name, "%u more are smaller", groups - shown);
    ets_table_add_note(line.table, (struct ets_text){name, (size_t)size});
}

/* Of the group or its rest there is no item: cells of machines alone are empty. */
static void put_item_row(const struct line *line, uint32_t depth)
{
    ets_table_add_row(line->table, depth);
    for (size_t i = 0; i < COUNT(item_fields); i++) {
        if (line->item == NULL && item_fields[i].column.machine_only) {
            ets_table_put_nothing(line->table);
        } else {
            item_fields[i].put(line);
        }
    }
}

static void put_items(const struct ets_size_lines *lines,
                      const struct ets_size_table_options *options, struct line *line)
{
    char name[NAME_ROOM];
    const uint32_t count = line->group->item_count;
    uint32_t shown = options->top > 0 && options->top < count ? options->top : count;
    uint64_t rest = line->group->bytes;
    if (shown + 1 == count) shown = count; /* a line of the rest would be as long */
    for (uint32_t i = 0; i < shown; i++) {
        line->item = &lines->map->items[lines->items[line->group->first + i]];
        line->bytes = line->item->bytes;
        line->label = name;
        rest -= line->bytes;
        ets_size_item_name(line->item, name, sizeof name);
        put_item_row(line, options->for_people ? 1 : 0);
    }
    if (shown == count || !options->for_people) return;
    snprintf(name, sizeof name, "%u more", count - shown);
    line->item = NULL;
    line->bytes = rest;
    line->label = name;
    put_item_row(line, 1);
}

/* One item that says no more than its group needs no line of its own. */
static bool says_it_all(const struct ets_size_lines *lines, const struct ets_size_group *group)
{
    const struct ets_byte_item *item = &lines->map->items[lines->items[group->first]];
    return group->item_count == 1 && item->size == 0 && item->content == NULL;
}

static void put_item_rows(const struct ets_size_lines *lines,
                          const struct ets_size_table_options *options, struct line line)
{
    char name[NAME_ROOM];
    ets_table_add_columns(line.table, &item_fields[0].column, sizeof *item_fields,
                          COUNT(item_fields), 0);
    ets_table_add_section(line.table, line.headline);
    for (uint32_t g = 0; g < lines->group_count; g++) {
        line.group = &lines->groups[g];
        if (options->for_people) {
            line.item = NULL;
            line.bytes = line.group->bytes;
            line.label = name;
            ets_size_group_name(line.group, ETS_SIZE_BY_PART, name, sizeof name);
            put_item_row(&line, 0);
            if (says_it_all(lines, line.group)) continue;
        }
        put_items(lines, options, &line);
    }
}

enum ets_status ets_size_table_fill(struct ets_table *table, const struct ets_byte_map *map,
                                    const struct ets_size_table_options *options,
                                    struct ets_error *error)
{
    char headline[1024];
    struct ets_arena arena;
    struct ets_size_lines parts, lines;
    struct line line = {.table = table, .map = map, .by = options->by};
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const bool ok = ets_size_lines_collect(&arena, map, ETS_SIZE_BY_PART, &parts) &&
                    ets_size_lines_collect(&arena, map, options->by, &lines);
    if (ok) {
        line.headline =
            (struct ets_text){headline, ets_size_headline(&parts, headline, sizeof headline)};
        if (options->groups_only) put_group_rows(&lines, options, line);
        else put_item_rows(&lines, options, line);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of sizes");
}
