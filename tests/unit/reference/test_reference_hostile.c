/*
 * Graphs of one node whose arguments make no sense, on the runtime's own kernels: the node's value
 * is not available and says why, and the run goes on.
 */
#include "test_reference_support.h"

#include "record/etrecord_internal.h"
#include "record/graph_reader.h"
#include "record/record_maps.h"
#include "reference/reference.h"

#define MAX_TEXT 4096

/* Types as PyTorch's schema numbers them in JSON. */
#define BYTE 1
#define LONG 5
#define FLOAT 7
#define DOUBLE 8

struct shape {
    int type;
    const char *sizes; /* "2,3" */
};

struct case_of {
    const char *target;
    const char *arguments; /* "a" and "b" are the inputs, the rest is JSON; ';' between them */
    struct shape a, b, out, second; /* type 0: none */
    const char *reason;             /* behind a '|', if it is another in doubles */
};

static size_t append(char *text, size_t used, const char *format, ...) ETS_PRINTF(3, 4);
static size_t append(char *text, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(text + used, MAX_TEXT - used, format, arguments);
    va_end(arguments);
    assert_true(added >= 0 && used + (size_t)added < MAX_TEXT);
    return used + (size_t)added;
}

static size_t append_value(char *text, size_t used, const char *name, const struct shape *shape)
{
    if (shape->type == 0) return used;
    used = append(text, used, "%s\"%s\":{\"dtype\":%d,\"sizes\":[", *name == 'a' ? "" : ",", name,
                  shape->type);
    for (const char *at = shape->sizes; *at != '\0';) {
        const int digits = (int)strcspn(at, ",");
        used = append(text, used, "%s{\"as_int\":%.*s}", at == shape->sizes ? "" : ",", digits, at);
        at += digits + (at[digits] == ',');
    }
    return append(text, used, "]}");
}

static size_t append_arguments(char *text, size_t used, const char *arguments)
{
    for (const char *at = arguments; *at != '\0';) {
        const int size = (int)strcspn(at, ";");
        const char *comma = at == arguments ? "" : ",";
        if (size == 1 && (*at == 'a' || *at == 'b')) {
            used = append(text, used, "%s{\"name\":\"\",\"arg\":{\"as_tensor\":{\"name\":\"%c\"}}}",
                          comma, *at);
        } else {
            used = append(text, used, "%s{\"name\":\"\",\"arg\":{%.*s}}", comma, size, at);
        }
        at += size + (at[size] == ';');
    }
    return used;
}

static bool has_reason(const char *told, const char *reason, int use_double)
{
    char first[128];
    const char *other = strchr(reason, '|');
    if (other != NULL && use_double) return strstr(told, other + 1) != NULL;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(reason, "|"), reason);
    return strstr(told, first) != NULL;
}

/* Cases that divide integers by zero: only x86 faults there, others give a value or fail later. */
static bool may_go_on(const struct case_of *each)
{
#if defined(__x86_64__) || defined(__i386__)
    (void)each;
    return false;
#else
    return strstr(each->reason, "crashed") != NULL || strstr(each->reason, "SIGFPE") != NULL;
#endif
}

static void write_graph(const struct case_of *each, char *text)
{
    size_t used =
        append(text, 0,
               "{\"schema_version\":{\"major\":5,\"minor\":4},\"graph_module\":{\"graph\":"
               "{\"inputs\":[{\"as_tensor\":{\"name\":\"a\"}}%s],\"outputs\":[{"
               "\"as_tensor\":{\"name\":\"o\"}}],\"nodes\":[{\"name\":\"it\",\"target\":"
               "\"torch.ops.%s\",\"inputs\":[",
               each->b.type != 0 ? ",{\"as_tensor\":{\"name\":\"b\"}}" : "", each->target);
    used = append_arguments(text, used, each->arguments);
    used = append(text, used,
                  "],\"outputs\":[{\"as_tensor\":{\"name\":\"o\"}}%s],\"metadata\":{}}],"
                  "\"tensor_values\":{",
                  each->second.type != 0 ? ",{\"as_tensor\":{\"name\":\"p\"}}" : "");
    used = append_value(text, used, "a", &each->a);
    used = append_value(text, used, "b", &each->b);
    used = append_value(text, used, "o", &each->out);
    used = append_value(text, used, "p", &each->second);
    append(text, used,
           "}},\"signature\":{\"input_specs\":[{\"user_input\":{\"arg\":{\"as_tensor\":{\"name\":"
           "\"a\"}}}}%s],\"output_specs\":[{\"user_output\":{\"arg\":{\"as_tensor\":{\"name\":"
           "\"o\"}}}}]}}}",
           each->b.type != 0 ? ",{\"user_input\":{\"arg\":{\"as_tensor\":{\"name\":\"b\"}}}}" : "");
}

/* Zeros of the shape that the graph tells. */
static struct ets_value zeros_for(const struct ets_graph *graph, const char *name)
{
    static const double zeros[1024];
    const struct ets_graph_value *told =
        ets_graph_find_value(graph, (struct ets_text){name, strlen(name)});
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    assert_non_null(told);
    value.as.tensor.scalar_type = (enum ets_scalar_type)told->scalar_type;
    value.as.tensor.rank = told->rank;
    memcpy(value.as.tensor.sizes, told->sizes, told->rank * sizeof told->sizes[0]);
    ets_tensor_set_contiguous(&value.as.tensor);
    value.as.tensor.data = zeros;
    value.as.tensor.data_bytes = (size_t)ets_tensor_extent(&value.as.tensor);
    assert_true(value.as.tensor.data_bytes <= sizeof zeros);
    return value;
}

static void run_case(const struct case_of *each, int use_double)
{
    char text[MAX_TEXT];
    struct ets_arena arena;
    struct ets_etrecord record = {.entries = NULL}; /* an empty one */
    const struct ets_graph *graph = NULL;
    struct ets_error error = {.status = ETS_OK};
    write_graph(each, text);
    ets_arena_init(&arena, NULL, 0);
    if (ets_graph_read((struct ets_text){"graph", 5},
                       (struct ets_bytes){(const uint8_t *)text, strlen(text)}, 0, &arena, &graph,
                       &error) != ETS_OK) {
        fail_msg("%s: %s\n%s", each->target, error.message, text);
    }
    const struct ets_reference_options options = {
        .engine = engine, .record = &record, .graph = graph, .use_double = use_double};
    struct ets_reference *reference = open_reference(&options);
    struct ets_value inputs[2] = {zeros_for(graph, "a")};
    if (each->b.type != 0) inputs[1] = zeros_for(graph, "b");
    struct shown shown = {.graph = graph};
    run_reference(reference, inputs, each->b.type != 0 ? 2 : 1, keep_shown, &shown);
    const bool has_failed = shown.missing > 0 && has_reason(shown.reason, each->reason, use_double);
    if (!has_failed && !may_go_on(each)) {
        fail_msg("%s: %s", each->target, shown.missing > 0 ? shown.reason : "it gave a value");
    }
    free_shown(&shown);
    ets_reference_close(reference);
    ets_arena_reset(&arena);
}

#define WHOLE(number) "\"as_int\":" #number
#define WHOLES(list) "\"as_ints\":[" list "]"
#define TRUTH(word) "\"as_bool\":" #word

/* clang-format off */
static const struct case_of CASES[] = {
    {"aten.div.Tensor", "a;b", {LONG, "2,3"}, {LONG, "2,3"}, {LONG, "2,3"}, {0}, "crashed"},
    {"aten.div.Tensor", "a;b", {LONG, ""}, {LONG, ""}, {LONG, ""}, {0}, "SIGFPE"},
    {"aten.bmm.default", "a;b", {FLOAT, "3,2,4"}, {FLOAT, "3,2,4"}, {FLOAT, "3,2,4"}, {0},
     "batches"},
    {"aten.bmm.default", "a;b", {FLOAT, "2,4"}, {FLOAT, "4,2"}, {FLOAT, "2,2"}, {0}, "batches"},
    {"aten.bmm.default", "a;b", {FLOAT, "3,2,0"}, {FLOAT, "3,0,2"}, {FLOAT, "3,2,2"}, {0},
     "no inner dimension"},
    {"aten._softmax.default", "a;" WHOLE(0) ";" TRUTH(false), {FLOAT, "0,3"}, {0},
     {FLOAT, "2,3"}, {0}, "the input is empty"},
    {"aten.cat.default", "\"as_tensors\":[{\"name\":\"a\"},{\"name\":\"b\"}];" WHOLE(1),
     {FLOAT, "2,3"}, {FLOAT, "5,2"}, {FLOAT, "2,5"}, {0}, "shapes do not match"},
    {"aten.cat.default", "\"as_tensors\":[{\"name\":\"a\"},{\"name\":\"b\"}];" WHOLE(7),
     {FLOAT, "2,3"}, {FLOAT, "2,3"}, {FLOAT, "2,6"}, {0}, "no such dimension"},
    {"aten.var_mean.correction", "a;" WHOLES("1") ";" WHOLE(1) ";" TRUTH(true), {FLOAT, "2,4"}, {0},
     {FLOAT, "2,1"}, {BYTE, "2,1"}, "the input's type"},
    {"aten.max_pool2d_with_indices.default",
     "a;" WHOLES("9223372036854775807,2") ";" WHOLES("2,2"), {FLOAT, "1,2,4,4"}, {0},
     {FLOAT, "1,2,2,2"}, {LONG, "1,2,2,2"}, "do not fit in the image"},
    {"aten.max_pool2d.default", "a;" WHOLES("2,2") ";" WHOLES("2,0"), {FLOAT, "1,2,4,4"}, {0},
     {FLOAT, "1,2,2,2"}, {0}, "do not fit in the image"},
    {"aten.avg_pool2d.default", "a;" WHOLES("0,2") ";" WHOLES("2,2"), {FLOAT, "1,2,4,4"}, {0},
     {FLOAT, "1,2,2,2"}, {0}, "do not fit in the image"},
    {"aten.view_copy.default", "a;" WHOLES("0,-1"), {FLOAT, "2,3"}, {0}, {FLOAT, "0,3"}, {0},
     "another number of elements"},
    {"aten.split_with_sizes_copy.default", "a;" WHOLES("9,9"), {FLOAT, "2,3"}, {0}, {FLOAT, "9,3"},
     {FLOAT, "9,3"}, "2 outputs"},
    {"aten.remainder.Scalar", "a;" WHOLE(0), {LONG, "3"}, {0}, {LONG, "3"}, {0}, "refused"},
    {"aten.remainder.Scalar", "a;" WHOLE(-9223372036854775808), {BYTE, "3"}, {0}, {BYTE, "3"}, {0},
     "crashed"},
    {"aten.repeat_interleave.Tensor", "a", {FLOAT, "3"}, {0}, {LONG, "3"}, {0}, "refused"},
    {"aten.add.Tensor", "a;b", {FLOAT, "2,3"}, {FLOAT, "2,4"}, {FLOAT, "2,3"}, {0}, "refused"},
    {"aten.matmul.default", "a;b", {FLOAT, "2,3"}, {FLOAT, "2,3"}, {FLOAT, "2,3"}, {0},
     "do not match"},
    {"quantized_decomposed.embedding_byte.default",
     "a;b;\"as_none\":true;" WHOLE(0) ";" WHOLE(255) ";a", {BYTE, "3,0"}, {FLOAT, "3,0"},
     {FLOAT, "2,3"}, {0}, "crashed|of no rows"},
};
/* clang-format on */

static void test_no_sense(void **state)
{
    NEEDS_ENGINE();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        for (int use_double = 0; use_double < 2; use_double++) run_case(&CASES[i], use_double);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_sense)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
