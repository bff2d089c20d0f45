/* Parses the origin of a node: its stack trace, modules and ancestors. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "record/graph_reader.h"

/*
 * The pieces below are parts of copies of the texts, each terminated by a zero byte; the originals
 * are unchanged.
 */
static char *copy(struct ets_graph_reader *reader, struct ets_text text)
{
    return ets_arena_copy_text(reader->arena, text.data, text.size);
}

static struct ets_text cut(char *begin, char *end)
{
    *end = '\0';
    return (struct ets_text){begin, (size_t)(end - begin)};
}

static bool starts_with(const char *at, const char *end, const char *prefix)
{
    const size_t size = strlen(prefix);
    return (size_t)(end - at) >= size && memcmp(at, prefix, size) == 0;
}

static char *line_end(char *at, char *end)
{
    char *found = memchr(at, '\n', (size_t)(end - at));
    return found != NULL ? found : end;
}

/* The last position of `part` in [at, end), or NULL. The last, because a path may contain its
 * terminator. */
static char *find_last(char *at, const char *end, const char *part)
{
    const size_t size = strlen(part);
    if ((size_t)(end - at) < size) return NULL;
    for (const char *place = end - size; place >= at; place--) {
        if (memcmp(place, part, size) == 0) return at + (place - at);
        if (place == at) break;
    }
    return NULL;
}

static const char FRAME_START[] = "File \"";
static const char FRAME_LINE[] = "\", line ";
static const char FRAME_FUNCTION[] = ", in ";

/*
 * The start of a frame's file name, or NULL for other lines. Frames are indented by two spaces, the
 * first one by none if the export stripped the text; source lines by four.
 */
static char *frame_file(char *at, const char *end)
{
    for (int i = 0; i < 2 && at < end && *at == ' '; i++) at++;
    return starts_with(at, end, FRAME_START) ? at + sizeof FRAME_START - 1 : NULL;
}

/* "models/zoo.py:16"; false: no memory. */
static bool name_place(struct ets_arena *arena, struct ets_graph_frame *frame)
{
    enum { LINE_CHARS = 16 };
    const size_t size = frame->file.size;
    char *text = ets_arena_alloc(arena, size + LINE_CHARS);
    if (text == NULL) return false;
    memcpy(text, frame->file.data, size);
    const size_t digits = ets_print_text(text + size, LINE_CHARS, ":%u", frame->line);
    frame->place = (struct ets_text){text, size + digits};
    return true;
}

/* models/zoo.py", line 16, in forward   */
static bool read_frame(char *file, char *end, struct ets_graph_frame *frame)
{
    char *quote = find_last(file, end, FRAME_LINE);
    if (quote == NULL) return false;
    char *digit = quote + sizeof FRAME_LINE - 1;
    uint32_t line = 0;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        if (line > (UINT32_MAX - 9) / 10) return false;
        line = line * 10 + (uint32_t)(*digit - '0');
    }
    if (starts_with(digit, end, FRAME_FUNCTION)) {
        frame->function = cut(digit + sizeof FRAME_FUNCTION - 1, end);
    }
    frame->file = cut(file, quote);
    frame->line = line;
    return true;
}

/* The source line below a frame; lines of markers (^^^^, ~~~~) are skipped. */
static void read_code(char *at, char *end, struct ets_graph_frame *frame)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\r')) end--;
    for (const char *byte = at;; byte++) {
        if (byte == end) return;
        if (*byte != '^' && *byte != '~' && *byte != ' ') break;
    }
    frame->code = cut(at, end);
}

enum ets_status ets_graph_read_frames(struct ets_graph_reader *reader, struct ets_text trace,
                                      struct ets_graph_node *node)
{
    if (trace.size == 0) return ETS_OK;
    char *text = copy(reader, trace);
    if (text == NULL) return ets_graph_no_memory(reader);
    char *const end = text + trace.size;
    size_t count = 0;
    for (char *at = text; at < end; at = line_end(at, end) + 1) {
        if (frame_file(at, end) != NULL) count++;
    }
    struct ets_graph_frame *frames = ets_arena_alloc_array(reader->arena, count, sizeof *frames);
    if (frames == NULL) return ets_graph_no_memory(reader);
    struct ets_graph_frame *frame = NULL; /* the one whose source line is still missing */
    uint32_t used = 0;
    for (char *at = text, *stop; at < end; at = stop + 1) {
        stop = line_end(at, end);
        char *file = frame_file(at, stop);
        if (file != NULL) {
            frame = read_frame(file, stop, &frames[used]) ? &frames[used++] : NULL;
            if (frame != NULL && !name_place(reader->arena, frame)) {
                return ets_graph_no_memory(reader);
            }
        } else if (frame != NULL) {
            read_code(at, stop, frame);
            frame = NULL;
        }
    }
    node->frames = frames;
    node->frame_count = used;
    return ETS_OK;
}

/* The end of the piece that starts at `at`: the next `separator` outside [] and (). */
static char *piece_end(char *at, char *end, char separator)
{
    int depth = 0;
    for (; at < end; at++) {
        if (*at == '[' || *at == '(') depth++;
        if ((*at == ']' || *at == ')') && depth > 0) depth--;
        if (*at == separator && depth == 0) break;
    }
    return at;
}

/* <key>,<path>,<type> */
static bool read_module(char *at, char *end, struct ets_graph_module *module)
{
    char *first = piece_end(at, end, ',');
    if (first == end) return false;
    char *second = piece_end(first + 1, end, ',');
    if (second == end || piece_end(second + 1, end, ',') != end) return false;
    module->key = cut(at, first);
    module->path = cut(first + 1, second);
    module->type = cut(second + 1, end);
    return true;
}

enum ets_status ets_graph_read_modules(struct ets_graph_reader *reader, struct ets_text stack,
                                       struct ets_graph_node *node)
{
    if (stack.size == 0) return ETS_OK;
    char *text = copy(reader, stack);
    if (text == NULL) return ets_graph_no_memory(reader);
    char *const end = text + stack.size;
    size_t count = 1;
    for (const char *at = text; at < end; at++) count += *at == ';';
    struct ets_graph_module *modules = ets_arena_alloc_array(reader->arena, count, sizeof *modules);
    if (modules == NULL) return ets_graph_no_memory(reader);
    uint32_t used = 0;
    for (char *at = text; at < end;) {
        char *stop = piece_end(at, end, ';');
        if (read_module(at, stop, &modules[used])) used++;
        at = stop + 1;
    }
    node->modules = modules;
    node->module_count = used;
    return ETS_OK;
}

/* The newest ancestor in a from_node list: its last element; NULL: none. */
static const struct ets_json_value *last_origin(const struct ets_json_value *list)
{
    if (!ets_json_is(list, ETS_JSON_ARRAY) || list->size == 0) return NULL;
    const struct ets_json_value *item = ets_json_first(list);
    for (uint32_t i = 1; i < list->size; i++) item = ets_json_next(item);
    return ets_json_is(item, ETS_JSON_OBJECT) ? item : NULL;
}

static uint64_t graph_id_of(const struct ets_json_value *json)
{
    if (ets_json_is(json, ETS_JSON_UINT)) return json->as.uinteger;
    return ets_json_is(json, ETS_JSON_INT) ? (uint64_t)json->as.integer : 0;
}

/*
 * The text is JSON inside JSON; one that is damaged leaves the node without origins, since
 * everything else about the node is still right.
 */
enum ets_status ets_graph_read_origins(struct ets_graph_reader *reader,
                                       const struct ets_json_value *json,
                                       struct ets_graph_node *node)
{
    if (!ets_json_is(json, ETS_JSON_TEXT)) return ETS_OK;
    struct ets_json_failure failure;
    const enum ets_status status =
        ets_json_parse(&reader->nested, json->as.text, json->size, &failure);
    if (status == ETS_NO_MEMORY) return ets_graph_no_memory(reader);
    if (status != ETS_OK || reader->nested.count == 0) return ETS_OK;
    size_t count = 0;
    const struct ets_json_value *const newest = last_origin(reader->nested.values);
    for (const struct ets_json_value *at = newest; at != NULL;
         at = last_origin(ets_json_get(at, "from_node"))) {
        count++;
    }
    struct ets_graph_origin *origins = ets_arena_alloc_array(reader->arena, count, sizeof *origins);
    if (origins == NULL) return ets_graph_no_memory(reader);
    const struct ets_json_value *at = newest;
    for (size_t i = 0; i < count; i++, at = last_origin(ets_json_get(at, "from_node"))) {
        origins[i].name = ets_json_text(ets_json_get(at, "name"));
        origins[i].target = ets_json_text(ets_json_get(at, "target"));
        origins[i].pass_name = ets_json_text(ets_json_get(at, "pass_name"));
        origins[i].action = ets_json_text(ets_json_get(at, "action"));
        origins[i].graph_id = graph_id_of(ets_json_get(at, "graph_id"));
    }
    node->origins = origins;
    node->origin_count = (uint32_t)count;
    return ETS_OK;
}
