/*
 * Core ML's and OpenVINO's payloads against what the exporters had before they wrote them
 * (tests/data/payload_truth): nothing is missing, nothing was added.
 */
#include "base/text.h"
#include "payload/payload_store.h"
#include "record/json.h"
#include "test_files_support.h"

struct opened {
    struct ets_file *file, *truth_file;
    char *text;
    struct ets_json json;
    const struct ets_json_value *truth; /* of the first partition */
    struct ets_program program;
    struct ets_arena arena;
    struct ets_payload_store store;
    const struct ets_payload_graph *graph;
};

static const struct ets_json_value *get(const struct ets_json_value *object, const char *key)
{
    const struct ets_json_value *member = ets_json_get(object, key);
    if (member == NULL) fail_msg("the truth has no %s", key);
    return member;
}

static void open_payload(const char *folder, struct opened *o)
{
    char name[128];
    struct ets_json_failure failure;
    struct ets_method method;
    struct ets_delegate delegate;
    const char *reason = "";
    snprintf(name, sizeof name, "payload_truth/%s/truth.json", folder);
    o->truth_file = open_file(name);
    const struct ets_bytes bytes = ets_file_bytes(o->truth_file);
    o->text = malloc(bytes.size + 1);
    assert_non_null(o->text);
    memcpy(o->text, bytes.data, bytes.size);
    o->text[bytes.size] = '\0';
    ets_json_init(&o->json, NULL);
    assert_int_equal(ets_json_parse(&o->json, o->text, bytes.size, &failure), ETS_OK);
    o->truth = ets_json_first(get(o->json.values, "partitions"));
    snprintf(name, sizeof name, "payload_truth/%s/model.pte", folder);
    o->file = open_file(name);
    assert_int_equal(ets_program_init(&o->program, ets_file_bytes(o->file), NULL), ETS_OK);
    ets_program_method(&o->program, 0, &method);
    ets_arena_init(&o->arena, NULL, 0);
    ets_payload_store_init(&o->store, &o->arena, &o->program);
    ets_method_delegate(&method, 0, &delegate);
    assert_int_equal(ets_payload_store_read(&o->store, &delegate, &o->graph, &reason, NULL),
                     ETS_OK);
    if (o->graph == NULL) fail_msg("%s: %s", folder, reason);
}

static void close_payload(struct opened *o)
{
    ets_arena_reset(&o->arena);
    ets_json_reset(&o->json);
    ets_file_close(o->file);
    ets_file_close(o->truth_file);
    free(o->text);
}

static void assert_text(struct ets_text text, struct ets_text expected)
{
    if (ets_text_equal(text, expected)) return;
    fail_msg("%.*s instead of %.*s", ETS_TEXT(text), ETS_TEXT(expected));
}

/* {"dtype": "FLOAT16", "shape": [1, 8]} */
static void assert_type(const struct ets_payload_value *value, const struct ets_json_value *type)
{
    char dtype[32];
    const struct ets_text expected = ets_json_text(get(type, "dtype"));
    const struct ets_json_value *shape = get(type, "shape"), *size = ets_json_first(shape);
    assert_non_null(value);
    for (size_t i = 0; i < expected.size; i++) {
        const char c = expected.data[i];
        dtype[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    dtype[expected.size] = '\0';
    assert_string_equal(value->type->name, dtype);
    assert_int_equal(value->rank, shape->size);
    for (uint32_t i = 0; i < shape->size; i++, size = ets_json_next(size)) {
        assert_int_equal(value->dims[i], size->as.integer);
    }
}

static const struct ets_json_value *main_block(const struct opened *o)
{
    const struct ets_json_value *blocks = get(get(get(o->truth, "functions"), "main"), "blocks");
    return ets_json_next(ets_json_first(blocks)); /* key, value */
}

/* A constant's bytes, by their number and the first 16. */
static void assert_constant(const struct opened *o, const struct ets_payload_value *value,
                            const struct ets_json_value *constant)
{
    char hex[33] = "";
    const struct ets_bytes bytes = ets_payload_constant_bytes(o->graph, value->constant);
    assert_int_equal(bytes.size, get(constant, "bytes")->as.integer);
    for (size_t i = 0; i < bytes.size && i < 16; i++) {
        snprintf(hex + 2 * i, 3, "%02x", (unsigned)bytes.data[i]);
    }
    assert_true(ets_json_text_is(get(constant, "first16"), hex));
}

static const struct ets_payload_parameter *find_parameter(const struct ets_payload_node *node,
                                                          struct ets_text name)
{
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        if (ets_text_is(name, node->parameters[i].name)) return &node->parameters[i];
    }
    return NULL;
}

/* What a name stands for is in the operations before; NULL: it is an input of the function. */
static const struct ets_json_value *find_operation(const struct ets_json_value *operations,
                                                   struct ets_text name)
{
    const struct ets_json_value *each = ets_json_first(operations);
    for (uint32_t i = 0; i < operations->size; i++, each = ets_json_next(each)) {
        const struct ets_json_value *output = ets_json_first(get(each, "outputs"));
        if (ets_text_equal(ets_json_text(get(output, "name")), name)) return each;
    }
    return NULL;
}

/* Values by what made them: a node's output, a constant's bytes, or an input. */
static uint32_t check_inputs(const struct opened *o, const struct ets_payload_node *node,
                             const struct ets_json_value *operations,
                             const struct ets_json_value *operation)
{
    const struct ets_json_value *inputs = get(operation, "inputs"), *key = ets_json_first(inputs);
    uint32_t values = 0;
    for (uint32_t i = 0; i < inputs->size; i++) {
        const struct ets_json_value *bindings = ets_json_next(key);
        const struct ets_text name = ets_json_text(get(ets_json_first(bindings), "name"));
        const struct ets_json_value *maker = find_operation(operations, name);
        const bool is_const = maker != NULL && ets_json_text_is(get(maker, "type"), "const");
        const struct ets_payload_parameter *parameter = find_parameter(node, ets_json_text(key));
        bool is_found = parameter != NULL;
        if (is_found) assert_true(is_const);
        for (uint32_t k = 0; !is_found && k < node->input_count; k++) {
            const struct ets_payload_value *value = ets_payload_value(o->graph, node->inputs[k]);
            assert_non_null(value);
            if (is_const != (value->constant != ETS_PAYLOAD_NONE)) continue;
            const uint32_t producer = value->producer;
            if (is_const) {
                const struct ets_json_value *constants = get(o->truth, "constants");
                const struct ets_json_value *type =
                    get(ets_json_first(get(maker, "outputs")), "type");
                if (value->rank != get(type, "shape")->size) continue;
                assert_type(value, type);
                assert_constant(o, value, ets_json_get(constants, name.data));
            } else if (maker == NULL) {
                assert_true(value->is_input);
            } else {
                struct ets_text symbol = o->graph->nodes[producer].symbol;
                if (!ets_text_starts_with(symbol, name.data)) continue;
                if (symbol.data[name.size] != ':') continue;
            }
            is_found = true;
        }
        if (!is_found) fail_msg("input %.*s is missing", ETS_TEXT(ets_json_text(key)));
        values += parameter == NULL;
        key = ets_json_next(bindings);
    }
    return values;
}

static void check_operation(const struct opened *o, const struct ets_payload_node *node,
                            const struct ets_json_value *operations,
                            const struct ets_json_value *operation)
{
    const struct ets_json_value *outputs = get(operation, "outputs");
    const struct ets_json_value *output = ets_json_first(outputs);
    assert_text(node->name, ets_json_text(get(operation, "type")));
    assert_int_equal(node->output_count, outputs->size);
    for (uint32_t i = 0; i < outputs->size; i++, output = ets_json_next(output)) {
        assert_type(ets_payload_value(o->graph, node->outputs[i]), get(output, "type"));
    }
    assert_int_equal(check_inputs(o, node, operations, operation), node->input_count);
    const struct ets_json_value *handles =
        ets_json_get(get(o->truth, "delegate_map"), node->symbol.data);
    assert_non_null(handles);
    assert_int_equal(node->debug_handle, ets_json_first(handles)->as.integer);
    assert_true(node->operation.data != NULL);
}

static void coreml__graphs_are_the_exporters(void **state)
{
    (void)state;
    static const char *const folders[] = {"coreml/lin_fp32", "coreml/res_fp16"};
    for (size_t f = 0; f < COUNT(folders); f++) {
        struct opened o;
        uint32_t node = 0, constants = 0;
        open_payload(folders[f], &o);
        const struct ets_json_value *operations = get(main_block(&o), "operations");
        const struct ets_json_value *each = ets_json_first(operations);
        for (uint32_t i = 0; i < operations->size; i++, each = ets_json_next(each)) {
            if (ets_json_text_is(get(each, "type"), "const")) continue;
            assert_true(node < o.graph->node_count);
            check_operation(&o, &o.graph->nodes[node++], operations, each);
        }
        assert_int_equal(node, o.graph->node_count);
        for (uint32_t i = 0; i < o.graph->value_count; i++) {
            constants += o.graph->values[i].constant != ETS_PAYLOAD_NONE;
        }
        assert_int_equal(constants, o.graph->constant_count);
        assert_int_equal(o.graph->argument_count, 2);
        close_payload(&o);
    }
}

/* "[1,4]" of "<Type: 'float16'>" */
static void assert_end(const struct opened *o, const char *key, bool is_input)
{
    const struct ets_json_value *end = ets_json_first(get(o->truth, key));
    const struct ets_json_value *names = ets_json_first(end), *shape = ets_json_next(names);
    for (uint32_t i = 0; i < o->graph->value_count; i++) {
        const struct ets_payload_value *value = &o->graph->values[i];
        char text[128], type[64];
        size_t used = 0;
        if (!(is_input ? value->is_input : value->is_output)) continue;
        for (uint32_t k = 0; k < value->rank; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", k > 0 ? "," : "[",
                                     value->dims[k]);
        }
        snprintf(text + used, sizeof text - used, "]");
        assert_true(ets_json_text_is(shape, text));
        snprintf(type, sizeof type, "<Type: '%s'>", value->type->name);
        assert_true(ets_json_text_is(ets_json_next(shape), type));
        return;
    }
    fail_msg("the graph has no %s", key);
}

static bool is_named(const struct opened *o, struct ets_text name)
{
    const struct ets_json_value *ops = get(o->truth, "runtime_ops"), *op = ets_json_first(ops);
    for (uint32_t i = 0; i < ops->size; i++, op = ets_json_next(op)) {
        const struct ets_text fused = ets_json_text(get(get(op, "rt"), "originalLayersNames"));
        char wanted[128];
        snprintf(wanted, sizeof wanted, "%.*s/", ETS_TEXT(name));
        if (ets_text_contains(fused, wanted)) return true;
    }
    return false;
}

/* Every edge node that the compiled model names has a layer; of constants there is none. */
static void assert_all_named(const struct opened *o)
{
    const struct ets_json_value *ops = get(o->truth, "runtime_ops"), *op = ets_json_first(ops);
    for (uint32_t i = 0; i < ops->size; i++, op = ets_json_next(op)) {
        const struct ets_json_value *rt = get(op, "rt");
        struct ets_text rest = ets_json_text(get(rt, "originalLayersNames"));
        if (ets_json_text_is(get(rt, "layerType"), "Const")) continue;
        if (!ets_text_starts_with(rest, "aten")) continue;
        while (rest.size > 0) {
            const char *comma = memchr(rest.data, ',', rest.size);
            const size_t size = comma == NULL ? rest.size : (size_t)(comma - rest.data);
            const char *slash = memchr(rest.data, '/', size);
            assert_non_null(slash);
            const struct ets_text name = {rest.data, (size_t)(slash - rest.data)};
            bool is_found = false;
            for (uint32_t n = 0; n < o->graph->node_count; n++) {
                is_found |= ets_text_equal(o->graph->nodes[n].edge_name, name);
            }
            if (!is_found) fail_msg("%.*s has no layer", ETS_TEXT(name));
            rest.data += size + (comma != NULL);
            rest.size -= size + (comma != NULL);
        }
    }
}

static void openvino__layers_are_those_of_the_compiled_model(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        uint32_t nodes, constants, constant_bytes;
    } cases[] = {{"openvino/lin", 3, 4, 2048 + 128 + 1024 + 32},
                 {"openvino/res_fp16", 14, 10, 3712}}; /* all bytes of the constants' section */
    for (size_t f = 0; f < COUNT(cases); f++) {
        struct opened o;
        size_t bytes = 0;
        open_payload(cases[f].folder, &o);
        assert_int_equal(o.graph->node_count, cases[f].nodes);
        assert_int_equal(o.graph->constant_count, cases[f].constants);
        for (uint32_t i = 0; i < o.graph->constant_count; i++) {
            bytes += o.graph->constants[i].bytes.size;
        }
        assert_int_equal(bytes, cases[f].constant_bytes);
        for (uint32_t i = 0; i < o.graph->node_count; i++) {
            const struct ets_payload_node *node = &o.graph->nodes[i];
            assert_true(node->operation.data != NULL);
            if (node->edge_name.size > 0) assert_true(is_named(&o, node->edge_name));
            for (uint32_t k = 0; k < node->input_count; k++) {
                assert_non_null(ets_payload_value(o.graph, node->inputs[k]));
            }
        }
        assert_all_named(&o);
        assert_end(&o, "inputs", true);
        assert_end(&o, "outputs", false);
        close_payload(&o);
    }
}

/* Two methods, whose payloads name one package. */
static void coreml__methods_share_a_package(void **state)
{
    (void)state;
    static const uint32_t rows[] = {1, 4}; /* of decode and prefill */
    struct opened o;
    open_payload("coreml/multi", &o);
    const uint8_t *weight = NULL;
    assert_int_equal(o.program.method_count, 2);
    for (uint32_t m = 0; m < 2; m++) {
        struct ets_method method;
        struct ets_delegate delegate;
        const struct ets_payload_graph *graph;
        ets_program_method(&o.program, m, &method);
        ets_method_delegate(&method, 0, &delegate);
        assert_int_equal(ets_payload_store_read(&o.store, &delegate, &graph, NULL, NULL), ETS_OK);
        assert_non_null(graph);
        assert_int_equal(graph->node_count, 4);
        assert_true(graph->files_key.size > 0);
        const struct ets_payload_node *linear = &graph->nodes[1];
        assert_text(linear->name, ets_text_of("linear"));
        assert_text(linear->edge_parameter, ets_text_of("p_fc1_weight"));
        assert_int_equal(ets_payload_value(graph, linear->inputs[0])->dims[0], rows[m]);
        const struct ets_payload_value *value = ets_payload_value(graph, linear->inputs[1]);
        const struct ets_bytes bytes = ets_payload_constant_bytes(graph, value->constant);
        assert_int_equal(bytes.size, 32 * 16 * 2);
        if (m == 1) assert_ptr_equal(bytes.data, weight);
        weight = bytes.data;
    }
    close_payload(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coreml__graphs_are_the_exporters),
        cmocka_unit_test(coreml__methods_share_a_package),
        cmocka_unit_test(openvino__layers_are_those_of_the_compiled_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
