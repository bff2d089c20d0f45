/* Reads arguments of nodes: unions written as objects with one member, {tag: value}. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "record/graph_reader.h"

/* The form of a tag's value, or of each element of its list. */
enum form {
    FORM_NONE,
    FORM_TENSOR, /* {"name": ...} */
    FORM_INT,
    FORM_FLOAT,
    FORM_BOOL,
    FORM_STRING,
    FORM_SYMBOL, /* {"as_name": ...} or {"as_int": ...} */
    FORM_SCALAR_TYPE,
    FORM_MEMORY_FORMAT,
    FORM_LAYOUT,
    FORM_DEVICE,   /* {"type": ..., "index": ...} */
    FORM_GRAPH,    /* {"name": ..., "graph": ...} */
    FORM_ARGUMENT, /* {tag: value} again */
    FORM_OPERATOR,
    FORM_OTHER
};

struct tag {
    const char *name;
    enum form form;
    int is_list;
};

static const struct tag TAGS[] = {
    {"as_none", FORM_NONE, 0},
    {"as_tensor", FORM_TENSOR, 0},
    {"as_tensors", FORM_TENSOR, 1},
    {"as_int", FORM_INT, 0},
    {"as_ints", FORM_INT, 1},
    {"as_float", FORM_FLOAT, 0},
    {"as_floats", FORM_FLOAT, 1},
    {"as_bool", FORM_BOOL, 0},
    {"as_bools", FORM_BOOL, 1},
    {"as_string", FORM_STRING, 0},
    {"as_strings", FORM_STRING, 1},
    {"as_sym_int", FORM_SYMBOL, 0},
    {"as_sym_ints", FORM_SYMBOL, 1},
    {"as_sym_bool", FORM_SYMBOL, 0},
    {"as_sym_bools", FORM_SYMBOL, 1},
    {"as_sym_float", FORM_SYMBOL, 0},
    {"as_sym_floats", FORM_SYMBOL, 1},
    {"as_scalar_type", FORM_SCALAR_TYPE, 0},
    {"as_memory_format", FORM_MEMORY_FORMAT, 0},
    {"as_layout", FORM_LAYOUT, 0},
    {"as_device", FORM_DEVICE, 0},
    {"as_graph", FORM_GRAPH, 0},
    {"as_operator", FORM_OPERATOR, 0},
    {"as_optional_tensor", FORM_ARGUMENT, 0},
    {"as_optional_tensors", FORM_ARGUMENT, 1},
};

/* The serialized ScalarType counts UNKNOWN as 0 and leaves out what PyTorch left out. */
static const int8_t SCALAR_TYPES[] = {
    -1,
    ETS_SCALAR_BYTE,
    ETS_SCALAR_CHAR,
    ETS_SCALAR_SHORT,
    ETS_SCALAR_INT,
    ETS_SCALAR_LONG,
    ETS_SCALAR_HALF,
    ETS_SCALAR_FLOAT,
    ETS_SCALAR_DOUBLE,
    ETS_SCALAR_COMPLEX_HALF,
    ETS_SCALAR_COMPLEX_FLOAT,
    ETS_SCALAR_COMPLEX_DOUBLE,
    ETS_SCALAR_BOOL,
    ETS_SCALAR_BFLOAT16,
    ETS_SCALAR_UINT16,
    ETS_SCALAR_FLOAT8E5M2,
    ETS_SCALAR_FLOAT8E4M3FN,
};

int32_t ets_graph_scalar_type(const struct ets_json_value *json)
{
    const int64_t count = (int64_t)(sizeof SCALAR_TYPES / sizeof SCALAR_TYPES[0]);
    if (!ets_json_is(json, ETS_JSON_INT) || json->as.integer < 0 || json->as.integer >= count) {
        return -1;
    }
    return SCALAR_TYPES[json->as.integer];
}

static void set_float(struct ets_graph_argument *argument, double value)
{
    argument->kind = ETS_ARGUMENT_FLOAT;
    argument->float_value = value;
}

/* Reads any number: integers that do not fit stay doubles instead of wrapping. */
static int read_number(const struct ets_json_value *json, struct ets_graph_argument *argument)
{
    if (ets_json_is(json, ETS_JSON_INT)) {
        argument->kind = ETS_ARGUMENT_INT;
        argument->int_value = json->as.integer;
    } else if (ets_json_is(json, ETS_JSON_UINT)) {
        set_float(argument, (double)json->as.uinteger);
    } else if (ets_json_is(json, ETS_JSON_DOUBLE)) {
        set_float(argument, json->as.number);
    } else {
        return 0;
    }
    return 1;
}

/* Newer writers write numbers that JSON lacks as text. */
static int read_float(const struct ets_json_value *json, struct ets_graph_argument *argument)
{
    if (ets_json_text_is(json, "Infinity")) {
        set_float(argument, INFINITY);
    } else if (ets_json_text_is(json, "-Infinity")) {
        set_float(argument, -INFINITY);
    } else if (ets_json_text_is(json, "NaN")) {
        set_float(argument, NAN);
    } else if (!read_number(json, argument)) {
        return 0;
    } else if (argument->kind == ETS_ARGUMENT_INT) {
        set_float(argument, (double)argument->int_value);
        argument->int_value = 0;
    }
    return 1;
}

static int read_bool(const struct ets_json_value *json, struct ets_graph_argument *argument)
{
    if (!ets_json_is(json, ETS_JSON_BOOL)) return 0;
    argument->kind = ETS_ARGUMENT_BOOL;
    argument->int_value = json->as.integer;
    return 1;
}

static int read_named(const struct ets_json_value *name, enum ets_argument_kind kind,
                      struct ets_graph_argument *argument)
{
    if (!ets_json_is(name, ETS_JSON_TEXT)) return 0;
    argument->kind = kind;
    argument->name = ets_json_text(name);
    return 1;
}

static int read_symbol(const struct ets_json_value *json, struct ets_graph_argument *argument)
{
    return read_named(ets_json_get(json, "as_name"), ETS_ARGUMENT_SYMBOL, argument) ||
           read_bool(ets_json_get(json, "as_bool"), argument) ||
           read_float(ets_json_get(json, "as_float"), argument) ||
           read_number(ets_json_get(json, "as_int"), argument);
}

static int read_enum(const struct ets_json_value *json, enum ets_argument_kind kind,
                     struct ets_graph_argument *argument)
{
    if (!ets_json_is(json, ETS_JSON_INT)) return 0;
    argument->kind = kind;
    argument->int_value =
        kind == ETS_ARGUMENT_SCALAR_TYPE ? ets_graph_scalar_type(json) : json->as.integer;
    return 1;
}

/* "cpu", "cuda:1" */
static enum ets_status read_device(struct ets_graph_reader *reader,
                                   const struct ets_json_value *json,
                                   struct ets_graph_argument *argument)
{
    const struct ets_json_value *index = ets_json_get(json, "index");
    if (!read_named(ets_json_get(json, "type"), ETS_ARGUMENT_DEVICE, argument)) return ETS_OK;
    if (!ets_json_is(index, ETS_JSON_INT) || index->as.integer < 0 || index->as.integer > INT_MAX) {
        return ETS_OK;
    }
    enum { DIGITS = 12 };
    const size_t size = argument->name.size;
    char *text = ets_arena_alloc(reader->arena, size + DIGITS);
    if (text == NULL) return ets_graph_no_memory(reader);
    memcpy(text, argument->name.data, size);
    char digits[DIGITS];
    size_t count = 0, end = size;
    for (int64_t left = index->as.integer; count == 0 || left != 0; left /= 10) {
        digits[count++] = (char)('0' + left % 10);
    }
    text[end++] = ':';
    while (count > 0) text[end++] = digits[--count];
    argument->name = (struct ets_text){text, end};
    return ETS_OK;
}

static enum ets_status read_graph(struct ets_graph_reader *reader,
                                  const struct ets_json_value *json,
                                  struct ets_graph_argument *argument)
{
    const struct ets_json_value *graph = ets_json_get(json, "graph");
    if (!ets_json_is(graph, ETS_JSON_OBJECT)) return ETS_OK;
    argument->kind = ETS_ARGUMENT_GRAPH;
    argument->name = ets_json_text(ets_json_get(json, "name"));
    argument->graph = ets_graph_add_pending(reader, graph, argument->name);
    return argument->graph == ETS_GRAPH_NONE ? ets_graph_no_memory(reader) : ETS_OK;
}

/* If the value does not have that form, `argument` stays ETS_ARGUMENT_OTHER. */
static enum ets_status read_form(struct ets_graph_reader *reader, enum form form,
                                 const struct ets_json_value *json,
                                 struct ets_graph_argument *argument)
{
    switch (form) {
    case FORM_NONE: argument->kind = ETS_ARGUMENT_NONE; break;
    case FORM_TENSOR:
        (void)read_named(ets_json_get(json, "name"), ETS_ARGUMENT_TENSOR, argument);
        break;
    case FORM_INT: (void)read_number(json, argument); break;
    case FORM_FLOAT: (void)read_float(json, argument); break;
    case FORM_BOOL: (void)read_bool(json, argument); break;
    case FORM_STRING: (void)read_named(json, ETS_ARGUMENT_STRING, argument); break;
    case FORM_OPERATOR: (void)read_named(json, ETS_ARGUMENT_TARGET, argument); break;
    case FORM_SYMBOL: (void)read_symbol(json, argument); break;
    case FORM_SCALAR_TYPE: (void)read_enum(json, ETS_ARGUMENT_SCALAR_TYPE, argument); break;
    case FORM_MEMORY_FORMAT: (void)read_enum(json, ETS_ARGUMENT_MEMORY_FORMAT, argument); break;
    case FORM_LAYOUT: (void)read_enum(json, ETS_ARGUMENT_LAYOUT, argument); break;
    case FORM_DEVICE: return read_device(reader, json, argument);
    case FORM_GRAPH: return read_graph(reader, json, argument);
    case FORM_ARGUMENT: return ets_graph_read_argument(reader, json, argument);
    case FORM_OTHER: break;
    }
    return ETS_OK;
}

static enum ets_status read_list(struct ets_graph_reader *reader, const struct tag *tag,
                                 const struct ets_json_value *json,
                                 struct ets_graph_argument *argument)
{
    struct ets_graph_argument *items =
        ets_arena_alloc_array(reader->arena, json->size, sizeof *items);
    if (items == NULL) return ets_graph_no_memory(reader);
    const struct ets_json_value *item = ets_json_first(json);
    for (uint32_t i = 0; i < json->size; i++, item = ets_json_next(item)) {
        items[i].kind = ETS_ARGUMENT_OTHER;
        items[i].graph = ETS_GRAPH_NONE;
        ETS_TRY(read_form(reader, tag->form, item, &items[i]));
    }
    argument->kind = ETS_ARGUMENT_LIST;
    argument->items = items;
    argument->item_count = json->size;
    return ETS_OK;
}

static const struct tag *find_tag(struct ets_text name)
{
    for (size_t i = 0; i < sizeof TAGS / sizeof TAGS[0]; i++) {
        if (name.size == strlen(TAGS[i].name) && memcmp(name.data, TAGS[i].name, name.size) == 0) {
            return &TAGS[i];
        }
    }
    return NULL;
}

/* Recurses once per nested as_optional_tensors in the text, whose depth the JSON reader limits. */
enum ets_status ets_graph_read_argument(struct ets_graph_reader *reader,
                                        const struct ets_json_value *json,
                                        struct ets_graph_argument *argument)
{
    argument->kind = ETS_ARGUMENT_OTHER;
    argument->graph = ETS_GRAPH_NONE;
    if (!ets_json_is(json, ETS_JSON_OBJECT) || json->size == 0) return ETS_OK;
    const struct ets_json_value *key = ets_json_first(json);
    const struct tag *tag = find_tag(ets_json_text(key));
    if (tag != NULL && tag->is_list && ets_json_is(key + 1, ETS_JSON_ARRAY)) {
        return read_list(reader, tag, key + 1, argument);
    }
    if (tag != NULL && !tag->is_list) ETS_TRY(read_form(reader, tag->form, key + 1, argument));
    if (argument->kind == ETS_ARGUMENT_OTHER && argument->name.data == NULL) {
        argument->name = ets_json_text(key);
    }
    return ETS_OK;
}
