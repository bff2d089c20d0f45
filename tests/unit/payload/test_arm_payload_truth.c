/* TOSA, VGF and Ethos-U: payloads are read as their exporters wrote them, nothing more or less. */
#include "format/vela.h"
#include "format/vela_commands.h"
#include "payload/payload_store.h"
#include "record/json.h"
#include "test_faults_support.h"
#include "test_files_support.h"

struct opened {
    struct ets_file *file;
    struct ets_program program;
    struct ets_method method;
    struct ets_delegate delegate;
    struct ets_arena arena;
    struct ets_payload_store store;
    const struct ets_payload_graph *graph;
    struct ets_json truth;
    char *text; /* of the truth */
};

static void open_program(const char *name, struct opened *out)
{
    const char *reason = "";
    out->file = open_file(name);
    assert_int_equal(ets_program_init(&out->program, ets_file_bytes(out->file), NULL), ETS_OK);
    ets_program_method(&out->program, 0, &out->method);
    ets_method_delegate(&out->method, 0, &out->delegate);
    ets_arena_init(&out->arena, NULL, 0);
    ets_payload_store_init(&out->store, &out->arena, &out->program);
    assert_int_equal(
        ets_payload_store_read(&out->store, &out->delegate, &out->graph, &reason, NULL), ETS_OK);
    if (out->graph == NULL) fail_msg("%s: %s", name, reason);
}

static void close_program(struct opened *opened)
{
    ets_arena_reset(&opened->arena);
    ets_file_close(opened->file);
}

/* What the exporter had of the first partition. */
static const struct ets_json_value *open_truth(const char *folder, struct opened *out)
{
    char name[256];
    struct ets_json_failure failure;
    snprintf(name, sizeof name, "payload_truth/%s/model.pte", folder);
    open_program(name, out);
    snprintf(name, sizeof name, "payload_truth/%s/truth.json", folder);
    struct ets_file *file = open_file(name);
    const struct ets_bytes bytes = ets_file_bytes(file);
    out->text = malloc(bytes.size + 1);
    assert_non_null(out->text);
    memcpy(out->text, bytes.data, bytes.size);
    out->text[bytes.size] = '\0';
    ets_json_init(&out->truth, NULL);
    assert_int_equal(ets_json_parse(&out->truth, out->text, bytes.size, &failure), ETS_OK);
    ets_file_close(file);
    return ets_json_first(ets_json_get(out->truth.values, "partitions"));
}

static void close_truth(struct opened *opened)
{
    ets_json_reset(&opened->truth);
    free(opened->text);
    close_program(opened);
}

static int64_t integer(const struct ets_json_value *value)
{
    assert_true(ets_json_is(value, ETS_JSON_INT));
    return value->as.integer;
}

static void assert_text(struct ets_text text, struct ets_text expected)
{
    assert_int_equal(text.size, expected.size);
    assert_memory_equal(text.data, expected.data, expected.size);
}

/* ---- TOSA and VGF ---- */

/* A tensor or shape of the truth, by name. */
static const struct ets_json_value *named(const struct ets_json_value *block, struct ets_text name)
{
    static const char *const lists[] = {"tensors", "shapes"};
    for (int l = 0; l < 2; l++) {
        const struct ets_json_value *list = ets_json_get(block, lists[l]);
        const struct ets_json_value *item = ets_json_first(list);
        for (uint32_t i = 0; i < list->size; i++, item = ets_json_next(item)) {
            const struct ets_text text = ets_json_text(ets_json_get(item, "name"));
            if (text.size == name.size && memcmp(text.data, name.data, name.size) == 0) {
                return item;
            }
        }
    }
    fail_msg("%.*s is no tensor", (int)name.size, name.data);
    return NULL;
}

static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void compare_data(const struct ets_payload_graph *graph,
                         const struct ets_payload_value *value, const struct ets_json_value *data)
{
    const struct ets_bytes bytes = ets_payload_constant_bytes(graph, value->constant);
    const struct ets_text first = ets_json_text(ets_json_get(data, "first16"));
    assert_int_equal(bytes.size, integer(ets_json_get(data, "bytes")));
    for (size_t i = 0; i < first.size / 2; i++) {
        assert_int_equal(bytes.data[i],
                         digit(first.data[2 * i]) << 4 | digit(first.data[2 * i + 1]));
    }
}

static void compare_tensor(const struct ets_payload_graph *graph, uint32_t number,
                           const struct ets_json_value *tensor, bool is_vgf)
{
    const struct ets_payload_value *value = ets_payload_value(graph, number);
    const struct ets_json_value *shape = ets_json_get(tensor, "shape");
    const struct ets_json_value *data = ets_json_get(tensor, "data");
    assert_non_null(value);
    if (shape == NULL) { /* VGF keeps shapes as 32-bit integers */
        assert_int_equal(ets_payload_elements(value), integer(ets_json_get(tensor, "rank")));
        if (!is_vgf) compare_data(graph, value, data);
        return;
    }
    assert_int_equal(value->rank, shape->size);
    const struct ets_json_value *size = ets_json_first(shape);
    for (uint32_t i = 0; i < shape->size; i++, size = ets_json_next(size)) {
        assert_int_equal(value->dims[i], integer(size));
    }
    assert_text((struct ets_text){value->type->name, strlen(value->type->name)},
                ets_json_text(ets_json_get(tensor, "dtype")));
    assert_int_equal(value->constant != ETS_PAYLOAD_NONE, ets_json_is(data, ETS_JSON_OBJECT));
    if (ets_json_is(data, ETS_JSON_OBJECT)) compare_data(graph, value, data);
}

static void compare_list(const struct ets_payload_graph *graph, const uint32_t *values,
                         uint32_t count, const struct ets_json_value *names,
                         const struct ets_json_value *block, bool is_vgf)
{
    assert_int_equal(count, names->size);
    const struct ets_json_value *name = ets_json_first(names);
    for (uint32_t i = 0; i < count; i++, name = ets_json_next(name)) {
        compare_tensor(graph, values[i], named(block, ets_json_text(name)), is_vgf);
    }
}

/* Returns the multiply-adds. */
static uint64_t compare_operators(const struct ets_payload_graph *graph,
                                  const struct ets_json_value *block, bool is_vgf)
{
    const struct ets_json_value *operators = ets_json_get(block, "operators");
    const struct ets_json_value *operator_ = ets_json_first(operators);
    uint32_t node = 0;
    uint64_t macs = 0;
    for (uint32_t i = 0; i < operators->size; i++, operator_ = ets_json_next(operator_)) {
        const struct ets_text name = ets_json_text(ets_json_get(operator_, "op"));
        if (name.size >= 5 && memcmp(name.data, "CONST", 5) == 0) continue;
        assert_true(node < graph->node_count);
        const struct ets_payload_node *of = &graph->nodes[node++];
        assert_text(of->name, name);
        compare_list(graph, of->inputs, of->input_count, ets_json_get(operator_, "inputs"), block,
                     is_vgf);
        compare_list(graph, of->outputs, of->output_count, ets_json_get(operator_, "outputs"),
                     block, is_vgf);
        macs += of->depth * ets_payload_elements(ets_payload_value(graph, of->outputs[0]));
    }
    assert_int_equal(node, graph->node_count);
    return macs;
}

static void compare_arguments(const struct ets_payload_graph *graph,
                              const struct ets_json_value *block, bool is_vgf)
{
    const struct ets_json_value *inputs = ets_json_get(block, "inputs");
    const struct ets_json_value *outputs = ets_json_get(block, "outputs");
    assert_int_equal(graph->argument_count, inputs->size + outputs->size);
    uint32_t found = 0;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct ets_payload_value *value = &graph->values[i];
        if (value->argument == ETS_PAYLOAD_NONE) continue;
        const bool is_output = value->argument >= inputs->size;
        const struct ets_json_value *name = ets_json_first(is_output ? outputs : inputs);
        const uint32_t at = value->argument - (is_output ? inputs->size : 0);
        for (uint32_t k = 0; k < at; k++) name = ets_json_next(name);
        assert_int_equal(value->is_output, is_output);
        assert_int_equal(graph->is_output[value->argument], is_output);
        compare_tensor(graph, i, named(block, ets_json_text(name)), is_vgf);
        found++;
    }
    assert_int_equal(found, graph->argument_count);
}

static void graphs__are_those_of_the_exporter(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        uint64_t macs;
    } all[] = {
        {"tosa/lin_fp", 1536}, {"tosa/res_fp", 55328}, {"vgf/lin_fp", 1536}, {"vgf/res_fp", 55328}};
    for (size_t f = 0; f < COUNT(all); f++) {
        struct opened opened;
        const bool is_vgf = all[f].folder[0] == 'v';
        const struct ets_json_value *partition = open_truth(all[f].folder, &opened);
        const struct ets_json_value *region =
            ets_json_first(ets_json_get(ets_json_get(partition, "tosa"), "regions"));
        const struct ets_json_value *block = ets_json_first(ets_json_get(region, "blocks"));
        assert_int_equal(compare_operators(opened.graph, block, is_vgf), all[f].macs);
        compare_arguments(opened.graph, block, is_vgf);
        close_truth(&opened);
    }
}

/* Strides, kernels and bounds are where both formats have them, under one name. */
static void attributes__are_parameters(void **state)
{
    (void)state;
    static const char *const names[] = {"payload_truth/tosa/res_fp/model.pte",
                                        "payload_truth/vgf/res_fp/model.pte"};
    for (size_t f = 0; f < COUNT(names); f++) {
        struct opened opened;
        open_program(names[f], &opened);
        const struct ets_payload_node *transpose = &opened.graph->nodes[0];
        assert_string_equal(transpose->parameters[0].name, "perms");
        assert_int_equal(transpose->parameters[0].count, 4);
        assert_int_equal(transpose->parameters[0].integers[3], 1);
        const struct ets_payload_node *convolution = &opened.graph->nodes[1];
        assert_int_equal(convolution->depth, 27);
        assert_string_equal(convolution->parameters[0].name, "pad");
        assert_string_equal(convolution->parameters[1].name, "stride");
        assert_int_equal(convolution->parameters[1].count, 2);
        assert_int_equal(convolution->parameters[1].integers[0], 2);
        const struct ets_payload_node *clamp = &opened.graph->nodes[2];
        assert_true(clamp->has_clamp && clamp->clamp_min == 0 && clamp->clamp_max > 1e38f);
        assert_true(opened.graph->nodes[5].is_depthwise);
        assert_int_equal(ets_payload_producer(opened.graph, clamp->inputs[0]), 1);
        close_program(&opened);
    }
}

/* ---- Ethos-U ---- */

static uint64_t sum_macs(const struct ets_payload_graph *graph)
{
    uint64_t macs = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_payload_node *node = &graph->nodes[i];
        const bool is_pool = strstr(node->name.data, "pool") != NULL;
        if (is_pool) continue;
        macs += node->depth * ets_payload_elements(ets_payload_value(graph, node->outputs[0]));
    }
    return macs;
}

/* Bytes of distinct constants that convolutions or copies to other memory take. */
static uint64_t sum_weights(const struct ets_payload_graph *graph)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < graph->constant_count; i++) bytes += graph->constants[i].bytes.size;
    return bytes;
}

static double number_of(const struct ets_json_value *object, const char *key)
{
    const struct ets_text text = ets_json_text(ets_json_get(object, key));
    assert_non_null(text.data);
    return strtod(text.data, NULL);
}

static void compare_record(const struct ets_json_value *npz, const char *side,
                           const struct ets_payload_value *value)
{
    char key[32];
    snprintf(key, sizeof key, "%s_shape", side);
    const struct ets_json_value *shape =
        ets_json_first(ets_json_get(ets_json_get(npz, key), "values"));
    const struct ets_json_value *size = ets_json_first(shape);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < shape->size; i++, size = ets_json_next(size)) {
        elements *= (uint64_t)integer(size);
    }
    assert_int_equal(ets_payload_elements(value), elements);
}

/* Vela counts the transposes of U85 as multiply-adds. */
static void npu__operations_are_those_of_vela(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *note;
        uint32_t nodes;
        uint64_t moved; /* elements that pools of U85 transpose */
    } all[] = {
        {"ethosu/lin_int8",
         "Vela keeps no names: 2 NPU operations, 1536 MACs, 96 bytes of scratch, 1328 bytes of "
         "weights; at least 12 cycles on Ethos-U55-128",
         2, 0},
        {"ethosu/res_int8",
         "Vela keeps no names: 30 NPU operations, 55904 MACs, 3264 bytes of scratch, 1536 bytes of "
         "weights; at least 437 cycles on Ethos-U55-128",
         30, 0},
        {"ethosu/res_u85",
         "Vela keeps no names: 12 NPU operations, 55904 MACs, 5120 bytes of scratch, 2608 bytes of "
         "weights; at least 219 cycles on Ethos-U85-256",
         12, 768 + 512 + 64},
    };
    for (size_t f = 0; f < COUNT(all); f++) {
        struct opened opened;
        const struct ets_json_value *partition = open_truth(all[f].folder, &opened);
        const struct ets_json_value *summary = ets_json_get(partition, "vela_summary");
        const struct ets_json_value *npz = ets_json_get(partition, "npz");
        uint64_t scratch;
        assert_string_equal(opened.graph->note, all[f].note);
        assert_int_equal(opened.graph->node_count, all[f].nodes);
        assert_int_equal(sum_macs(opened.graph) + all[f].moved,
                         (uint64_t)number_of(summary, "nn_macs"));
        assert_int_equal(ets_payload_store_scratch(&opened.store, &opened.delegate, &scratch, NULL),
                         ETS_OK);
        assert_int_equal(scratch,
                         integer(ets_json_get(ets_json_get(npz, "scratch_size"), "values")));
        assert_int_equal(opened.graph->argument_count, 2);
        for (uint32_t i = 0; i < opened.graph->value_count; i++) {
            const struct ets_payload_value *value = &opened.graph->values[i];
            if (value->is_input) compare_record(npz, "input", value);
            if (value->is_output) compare_record(npz, "output", value);
        }
        assert_true(sum_weights(opened.graph) <= opened.delegate.blob.size);
        close_truth(&opened);
    }
}

/* All weights that Vela encoded are read by the operations, each byte by one of them. */
static void npu__weights_are_read_whole(void **state)
{
    (void)state;
    struct opened opened;
    const struct ets_json_value *partition = open_truth("ethosu/res_u85", &opened);
    const struct ets_json_value *summary = ets_json_get(partition, "vela_summary");
    uint64_t weights = 0;
    for (uint32_t i = 0; i < opened.graph->node_count; i++) {
        const struct ets_payload_node *node = &opened.graph->nodes[i];
        if (strstr(node->name.data, "conv") == NULL) continue;
        assert_int_equal(node->input_count, 3); /* data, weights, scales */
        const struct ets_payload_value *value = ets_payload_value(opened.graph, node->inputs[1]);
        assert_string_equal(value->type->name, "compressed");
        weights += ets_payload_constant_bytes(opened.graph, value->constant).size;
    }
    assert_int_equal(weights, (uint64_t)number_of(summary, "total_npu_encoded_weights"));
    close_truth(&opened);
}

/* Results are found by the memory that they lie in, whole or in stripes. */
static void npu__results_lead_to_their_readers(void **state)
{
    (void)state;
    struct opened opened;
    open_program("payload_truth/ethosu/res_int8/model.pte", &opened);
    const struct ets_payload_graph *graph = opened.graph;
    uint32_t unread = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const uint32_t value = graph->nodes[i].outputs[0];
        bool is_read = graph->values[value].is_output;
        for (uint32_t k = i + 1; k < graph->node_count; k++) {
            for (uint32_t n = 0; n < graph->nodes[k].input_count; n++) {
                is_read = is_read || graph->nodes[k].inputs[n] == value;
            }
        }
        unread += !is_read;
    }
    assert_int_equal(unread, 0);
    assert_int_equal(graph->nodes[18].input_count, 16 + 1); /* a convolution of 16 stripes */
    close_program(&opened);
}

/* A stream of ExecuTorch before 1.0, which stores its scratch: the same operations. */
static void npu__two_convolutions(void **state)
{
    (void)state;
    struct opened opened;
    open_program("payloads/ethosu55.pte", &opened);
    assert_int_equal(sum_macs(opened.graph), 221184 + 589824);
    close_program(&opened);
}

static void npu__weights_may_be_named_data(void **state)
{
    (void)state;
    struct opened opened;
    open_program("payload_truth/ethosu/lin_int8/model.pte", &opened);
    const struct ets_bytes blob = opened.delegate.blob;
    uint8_t *copy = malloc(blob.size);
    struct ets_vela vela;
    assert_non_null(copy);
    memcpy(copy, blob.data, blob.size);
    assert_int_equal(ets_vela_init(&vela, blob, NULL), ETS_OK);
    copy[vela.weights.data - blob.data - ETS_VELA_HEADER_BYTES + 20] = 1;
    const struct ets_delegate delegate = {.id = opened.delegate.id, .blob = {copy, blob.size}};
    const struct ets_payload_graph *graph;
    struct ets_payload_parts parts;
    assert_int_equal(ets_payload_store_read(&opened.store, &delegate, &graph, NULL, NULL), ETS_OK);
    assert_non_null(graph);
    assert_non_null(strstr(graph->note, "weights in named data"));
    assert_int_equal(sum_weights(graph), 0);
    assert_true(ets_payload_parts(&delegate, &parts));
    assert_int_equal(parts.count, 1); /* the commands */
    assert_non_null(parts.weight_key.data);
    free(copy);
    close_program(&opened);
}

/* ---- faults ---- */

static const char *const fixtures[] = {"payload_truth/tosa/lin_fp/model.pte",
                                       "payload_truth/vgf/lin_fp/model.pte",
                                       "payload_truth/ethosu/res_int8/model.pte"};

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct opened opened;
        enum ets_status status = ETS_NO_MEMORY;
        open_program(fixtures[f], &opened);
        for (unsigned long at = 0; status != ETS_OK; at++) {
            struct failing failing = {.fail_at = at};
            const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
            struct ets_error error = {.status = ETS_OK};
            const struct ets_payload_graph *graph;
            struct ets_payload_store store;
            struct ets_arena arena;
            ets_arena_init(&arena, &allocator, 0);
            ets_payload_store_init(&store, &arena, &opened.program);
            status = ets_payload_store_read(&store, &opened.delegate, &graph, NULL, &error);
            assert_true(status == ETS_OK ? graph != NULL : error.status == ETS_NO_MEMORY);
            ets_arena_reset(&arena);
            assert_int_equal(failing.live, 0);
        }
        close_program(&opened);
    }
}

static void read_any(const struct opened *opened, struct ets_bytes bytes)
{
    const struct ets_delegate delegate = {.id = opened->delegate.id, .blob = bytes};
    const struct ets_payload_graph *graph;
    const char *reason = "";
    struct ets_payload_store store;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    ets_payload_store_init(&store, &arena, &opened->program);
    assert_int_equal(ets_payload_store_read(&store, &delegate, &graph, &reason, NULL), ETS_OK);
    assert_true(graph != NULL || reason[0] != '\0');
    ets_arena_reset(&arena);
}

static void every_byte_may_be_the_last(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct opened opened;
        open_program(fixtures[f], &opened);
        const struct ets_bytes blob = opened.delegate.blob;
        for (size_t size = first_fault(f); size < blob.size; size += FAULT_STRIDE) {
            uint8_t *copy = malloc(size + 1);
            assert_non_null(copy);
            memcpy(copy, blob.data, size);
            read_any(&opened, (struct ets_bytes){copy, size});
            free(copy);
        }
        close_program(&opened);
    }
}

static void every_byte_may_be_wrong(void **state)
{
    (void)state;
    static const uint8_t others[] = {0x00, 0x7f, 0xff};
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct opened opened;
        open_program(fixtures[f], &opened);
        const struct ets_bytes blob = opened.delegate.blob;
        uint8_t *copy = malloc(blob.size);
        assert_non_null(copy);
        memcpy(copy, blob.data, blob.size);
        for (size_t at = first_fault(f); at < blob.size; at += FAULT_STRIDE) {
            for (size_t i = 0; i < COUNT(others); i++) {
                copy[at] = others[i];
                read_any(&opened, (struct ets_bytes){copy, blob.size});
            }
            copy[at] = blob.data[at];
        }
        free(copy);
        close_program(&opened);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs__are_those_of_the_exporter),
        cmocka_unit_test(attributes__are_parameters),
        cmocka_unit_test(npu__operations_are_those_of_vela),
        cmocka_unit_test(npu__weights_are_read_whole),
        cmocka_unit_test(npu__results_lead_to_their_readers),
        cmocka_unit_test(npu__two_convolutions),
        cmocka_unit_test(npu__weights_may_be_named_data),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_byte_may_be_the_last),
        cmocka_unit_test(every_byte_may_be_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
