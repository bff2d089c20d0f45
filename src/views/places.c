/* Numbers source lines, files, modules and handles, and lists of them. */
#include "views/places.h"

#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "host/text_builder.h"

/* Which numbers are in the list that is being made: their mark is the list's. */
struct marks {
    uint32_t *items;
    uint32_t capacity;
};

struct ets_places {
    struct ets_arena *arena;
    struct ets_strings files, modules; /* one behind: absent texts are no places */
    struct ets_strings none;           /* 0 is the absent name, which traces may have */
    struct ets_key_table lines;        /* file, line */
    struct ets_key_table handles, lists;
    const struct ets_graph_frame **frames; /* [frame_capacity] of each line */
    struct ets_text *handle_names;         /* [handle_capacity] */
    uint32_t frame_capacity, handle_capacity;
    struct marks line_marks, file_marks, module_marks, handle_marks;
    uint32_t mark, last_line; /* neighbouring nodes often share a line */
};

struct ets_places *ets_places_new(struct ets_arena *arena)
{
    struct ets_places *p = ets_arena_alloc(arena, sizeof *p);
    if (p == NULL) return NULL;
    p->arena = arena;
    ets_key_table_init(&p->lines, arena, 1);
    ets_key_table_init(&p->handles, arena, 1);
    ets_key_table_init(&p->lists, arena, 1);
    const bool ok = ets_strings_init(&p->files, arena) == 0 &&
                    ets_strings_init(&p->modules, arena) == 0 &&
                    ets_strings_init(&p->none, arena) == 0;
    return ok ? p : NULL;
}

/* Adds a number to the list that is being made, once. */
static bool add_once(struct ets_places *p, struct marks *marks, uint32_t number,
                     struct ets_numbers *list)
{
    if (number == ETS_NO_INDEX) return false;
    if (number >= marks->capacity) {
        uint32_t *items =
            ets_arena_grow(p->arena, marks->items, number, &marks->capacity, sizeof *items);
        if (items == NULL) return false;
        marks->items = items;
    }
    if (marks->items[number] == p->mark) return true;
    marks->items[number] = p->mark;
    list->items[list->count++] = number;
    return true;
}

static bool begin_list(struct ets_places *p, size_t room, struct ets_numbers *list)
{
    *list = (struct ets_numbers){ets_arena_alloc_array(p->arena, room, sizeof *list->items), 0};
    p->mark++;
    return list->items != NULL;
}

static uint32_t number_text(struct ets_strings *texts, struct ets_text text)
{
    if (text.data == NULL) text = (struct ets_text){"", 0};
    const uint32_t number = ets_strings_add(texts, text);
    return number == UINT32_MAX ? ETS_NO_INDEX : number - 1;
}

uint32_t ets_places_line(struct ets_places *p, const struct ets_graph_frame *frame)
{
    const uint32_t file = number_text(&p->files, frame->file);
    if (file == ETS_NO_INDEX) return file;
    const uint64_t key = (uint64_t)file << 32 | frame->line;
    const uint32_t known = p->lines.count, last = p->last_line;
    if (last < known && *ets_key_table_key(&p->lines, last) == key) return last;
    const uint32_t number = ets_key_table_add(&p->lines, &key);
    p->last_line = number;
    if (number != known) return number; /* none, or one that was there */
    const struct ets_graph_frame **frames =
        ets_arena_grow(p->arena, p->frames, number, &p->frame_capacity, sizeof *frames);
    if (frames == NULL) return ETS_NO_INDEX;
    p->frames = frames;
    frames[number] = frame;
    return number;
}

uint32_t ets_places_module(struct ets_places *p, struct ets_text path)
{
    return number_text(&p->modules, path);
}

uint32_t ets_places_none(struct ets_places *p, struct ets_text name)
{
    return ets_strings_add(&p->none, name);
}

struct ets_text ets_places_path(const struct ets_places *p, uint32_t module)
{
    return p->modules.texts[module + 1];
}

uint32_t ets_places_file_of(const struct ets_places *p, uint32_t line)
{
    return (uint32_t)(*ets_key_table_key(&p->lines, line) >> 32);
}

const struct ets_graph_frame *ets_places_frame(const struct ets_places *p, uint32_t line)
{
    return p->frames[line];
}

uint32_t ets_places_file_count(const struct ets_places *p)
{
    return p->files.count - 1;
}

/*
 * Whether a pass over the graph put the node in, as quantization does with its conversions: its
 * module is the graph itself, or the export's wrapper of it, and no class of the model.
 */
static bool is_of_a_pass(const struct ets_graph_node *node)
{
    if (node->module_count != 1) return false;
    const struct ets_text type = node->modules[0].type;
    return ets_text_starts_with(type, "torch.fx.graph_module.GraphModule") ||
           ets_text_starts_with(type, "torch.export._trace."); /* exported without strict=True */
}

static bool add_modules(struct ets_places *p, const struct ets_row_node *nodes, size_t count,
                        bool of_passes, struct ets_numbers *modules)
{
    for (size_t i = 0; i < count; i++) {
        const struct ets_text path = ets_graph_module_path(nodes[i].node);
        if (path.data == NULL || is_of_a_pass(nodes[i].node) != of_passes) continue;
        if (!add_once(p, &p->module_marks, ets_places_module(p, path), modules)) return false;
    }
    return true;
}

static bool add_lines(struct ets_places *p, const struct ets_row_node *nodes, size_t count,
                      struct ets_numbers *lines)
{
    for (size_t i = 0; i < count; i++) {
        const struct ets_graph_frame *frame = ets_graph_user_frame(nodes[i].node);
        if (frame != NULL && !add_once(p, &p->line_marks, ets_places_line(p, frame), lines)) {
            return false;
        }
    }
    return true;
}

static bool of_nodes(struct ets_places *p, const struct ets_row_node *nodes, size_t count,
                     struct ets_numbers *lines, struct ets_numbers *modules)
{
    *lines = *modules = (struct ets_numbers){NULL, 0};
    if (count == 0) return true;
    return begin_list(p, count, lines) && add_lines(p, nodes, count, lines) &&
           begin_list(p, count, modules) && add_modules(p, nodes, count, false, modules) &&
           (modules->count > 0 || add_modules(p, nodes, count, true, modules));
}

bool ets_places_of_row(struct ets_places *p, const struct ets_row *row,
                       struct ets_numbers *lines_out, struct ets_numbers *modules_out)
{
    return of_nodes(p, row->nodes, row->node_count, lines_out, modules_out);
}

bool ets_places_files_of_row(struct ets_places *p, const struct ets_row *row,
                             struct ets_numbers *files_out)
{
    struct ets_numbers lines;
    if (!begin_list(p, row->node_count, &lines) ||
        !add_lines(p, row->nodes, row->node_count, &lines) ||
        !begin_list(p, lines.count, files_out)) {
        return false;
    }
    for (uint32_t i = 0; i < lines.count; i++) {
        const uint32_t file = ets_places_file_of(p, lines.items[i]);
        if (!add_once(p, &p->file_marks, file, files_out)) return false;
    }
    return true;
}

/* The number of a handle, whose digits are written once. */
static uint32_t number_handle(struct ets_places *p, int64_t handle)
{
    enum { DIGITS = 24 };
    const uint64_t key = (uint64_t)handle;
    const uint32_t known = p->handles.count;
    const uint32_t number = ets_key_table_add(&p->handles, &key);
    if (number != known) return number; /* none, or one that was there */
    struct ets_text_builder digits = {ets_arena_alloc(p->arena, DIGITS), DIGITS, 0};
    struct ets_text *names =
        ets_arena_grow(p->arena, p->handle_names, number, &p->handle_capacity, sizeof *names);
    if (digits.text == NULL || names == NULL) return ETS_NO_INDEX;
    ets_add_text(&digits, "%lld", (long long)handle);
    p->handle_names = names;
    names[number] = ets_built_text(&digits);
    return number;
}

bool ets_places_handles_of_row(struct ets_places *p, const struct ets_row *row,
                               struct ets_numbers *handles_out)
{
    if (!begin_list(p, row->handle_count, handles_out)) return false;
    for (size_t i = 0; i < row->handle_count; i++) {
        const uint32_t number = number_handle(p, row->handles[i]);
        if (!add_once(p, &p->handle_marks, number, handles_out)) return false;
    }
    return true;
}

/* Prefix by prefix: the number of a longer one is that of (the shorter one, what follows). */
uint32_t ets_places_list(struct ets_places *p, enum ets_place_kind kind,
                         const struct ets_numbers *list)
{
    uint64_t key = UINT64_C(0xffffffff) << 32 | (uint32_t)kind;
    uint32_t prefix = ets_key_table_add(&p->lists, &key);
    for (uint32_t i = 0; prefix != ETS_KEY_NONE && i < list->count; i++) {
        key = (uint64_t)prefix << 32 | list->items[i];
        prefix = ets_key_table_add(&p->lists, &key);
    }
    return prefix;
}

struct ets_text ets_places_name(const struct ets_places *p, enum ets_place_kind kind,
                                uint32_t number)
{
    static const struct ets_text whole_model = {"(model)", 7};
    switch (kind) {
    case ETS_PLACE_LINE: return p->frames[number]->place;
    case ETS_PLACE_FILE: return p->files.texts[number + 1];
    case ETS_PLACE_MODULE: {
        const struct ets_text path = ets_places_path(p, number);
        return path.size == 0 ? whole_model : path;
    }
    case ETS_PLACE_HANDLE: return p->handle_names[number];
    default: return p->none.texts[number];
    }
}

bool ets_places_names(struct ets_places *p, enum ets_place_kind kind,
                      const struct ets_numbers *list, struct ets_text *names_out)
{
    size_t room = 1, used = 0;
    if (list->count == 1) {
        *names_out = ets_places_name(p, kind, list->items[0]);
        return true;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        room += ets_places_name(p, kind, list->items[i]).size + 2;
    }
    char *text = ets_arena_alloc(p->arena, room);
    if (text == NULL) return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ets_text name = ets_places_name(p, kind, list->items[i]);
        if (i > 0) memcpy(text + used, ", ", 2);
        used += i > 0 ? 2 : 0;
        if (name.size > 0) memcpy(text + used, name.data, name.size);
        used += name.size;
    }
    *names_out = (struct ets_text){text, used};
    return true;
}

static bool name_all(struct ets_arena *arena, struct ets_places *p, enum ets_place_kind kind,
                     const struct ets_numbers *list, struct ets_text_list *out)
{
    *out = (struct ets_text_list){ets_arena_alloc_array(arena, list->count, sizeof *out->items), 0};
    if (out->items == NULL) return false;
    for (uint32_t i = 0; i < list->count; i++) {
        out->items[out->count++] = ets_places_name(p, kind, list->items[i]);
    }
    return true;
}

bool ets_operator_node_places(struct ets_arena *arena, const struct ets_row_node *nodes,
                              size_t count, struct ets_text_list *sources_out,
                              struct ets_text_list *modules_out)
{
    struct ets_arena scratch;
    struct ets_numbers lines, modules;
    *sources_out = *modules_out = (struct ets_text_list){NULL, 0};
    if (count == 0) return true;
    ets_arena_init(&scratch, arena->allocator, 0);
    struct ets_places *p = ets_places_new(&scratch);
    const bool ok = p != NULL && of_nodes(p, nodes, count, &lines, &modules) &&
                    name_all(arena, p, ETS_PLACE_LINE, &lines, sources_out) &&
                    name_all(arena, p, ETS_PLACE_MODULE, &modules, modules_out);
    ets_arena_reset(&scratch);
    return ok;
}

bool ets_operator_row_places(struct ets_arena *arena, const struct ets_row *row,
                             struct ets_text_list *sources_out, struct ets_text_list *modules_out)
{
    return ets_operator_node_places(arena, row->nodes, row->node_count, sources_out, modules_out);
}

void ets_text_list_add(struct ets_text_list *list, struct ets_text text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (ets_text_equal(list->items[i], text)) return;
    }
    if (text.data != NULL) list->items[list->count++] = text;
}
