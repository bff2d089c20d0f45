/* Graphs of all fixtures against numbers that Python's json module gave. */
#include "test_record_support.h"

#include <math.h>

#include "record/record_maps.h"

struct expectation {
    const char *model, *graph;
    uint32_t nodes, inputs, outputs, values, subgraphs;
    uint64_t node_sum, value_sum; /* of the lines below, over the graph and its subgraphs */
};

static const struct expectation EXPECTATIONS[] = {
    {"cond", "exported_program", 3, 5, 1, 8, 2, UINT64_C(0x7fe7590ada6abcba),
     UINT64_C(0xb573e77657f63cdb)},
    {"cond", "edge_dialect_exported_program/forward", 3, 5, 1, 8, 2, UINT64_C(0x55bf6180e0ecb2d2),
     UINT64_C(0xe2291d9d252c0aa2)},
    {"conv_portable", "exported_program", 8, 11, 1, 19, 0, UINT64_C(0xd164d0cf80ef6bd6),
     UINT64_C(0x09f6844cee52730c)},
    {"conv_portable", "edge_dialect_exported_program/forward", 15, 13, 1, 30, 0,
     UINT64_C(0x7d04c4c11ca7f3e9), UINT64_C(0x339864b2798da540)},
    {"conv_xnnpack", "exported_program", 8, 11, 1, 19, 0, UINT64_C(0xd164d0cf80ef6bd6),
     UINT64_C(0x09f6844cee52730c)},
    {"conv_xnnpack", "edge_dialect_exported_program/forward", 8, 11, 1, 21, 0,
     UINT64_C(0x5e5046630b435bc7), UINT64_C(0xa985a47388c9dfb9)},
    {"conv_xnnpack_int8", "exported_program", 26, 13, 1, 39, 0, UINT64_C(0xcf39a8b2ead88748),
     UINT64_C(0xeaf09e734a1a87ee)},
    {"conv_xnnpack_int8", "edge_dialect_exported_program/forward", 26, 13, 1, 39, 0,
     UINT64_C(0xff95e7521458c689), UINT64_C(0x71eae84e58b6c23a)},
    {"dynamic", "exported_program", 4, 5, 1, 9, 0, UINT64_C(0x5770c4468799377f),
     UINT64_C(0x464b4eb9bfaf5c22)},
    {"dynamic", "edge_dialect_exported_program/forward", 6, 5, 1, 11, 0,
     UINT64_C(0xad3e37017c7b5f69), UINT64_C(0xb07820a4b8ee7268)},
    {"gpt_portable", "exported_program", 44, 30, 1, 78, 0, UINT64_C(0xd17dc0995c67eeb2),
     UINT64_C(0x7cf5194b074fda16)},
    {"gpt_portable", "edge_dialect_exported_program/forward", 143, 30, 1, 187, 0,
     UINT64_C(0xd92889f736713478), UINT64_C(0x1c6e7f349d65a200)},
    {"gpt_xnnpack", "exported_program", 44, 30, 1, 78, 0, UINT64_C(0xd17dc0995c67eeb2),
     UINT64_C(0x7cf5194b074fda16)},
    {"gpt_xnnpack", "edge_dialect_exported_program/forward", 116, 30, 1, 160, 0,
     UINT64_C(0xb33bc9ef8b986385), UINT64_C(0x773c729df5cf2e59)},
    {"linear_fp32_xnnpack", "exported_program", 1, 3, 1, 4, 0, UINT64_C(0x0d9d5713df51ab00),
     UINT64_C(0x67f98f5e0e6f273e)},
    {"linear_fp32_xnnpack", "edge_dialect_exported_program/forward", 1, 3, 1, 4, 0,
     UINT64_C(0x51f977bdaed00f68), UINT64_C(0x6e0ef6cef0bb65d5)},
    {"linear_int8_xnnpack", "exported_program", 5, 5, 1, 11, 0, UINT64_C(0x7779cb39b6612927),
     UINT64_C(0x1c8c5aa229c952d0)},
    {"linear_int8_xnnpack", "edge_dialect_exported_program/forward", 5, 5, 1, 11, 0,
     UINT64_C(0x5a18d90c4de2efe2), UINT64_C(0x0298b951af475a35)},
    {"map_loop", "exported_program", 1, 2, 1, 3, 1, UINT64_C(0x746b0133ea40430d),
     UINT64_C(0x9c64122e4b204cae)},
    {"map_loop", "edge_dialect_exported_program/forward", 1, 2, 1, 3, 1,
     UINT64_C(0xc7b4ab848e7c7ff2), UINT64_C(0xaea8ee54982161f3)},
    {"mlp_portable", "exported_program", 4, 5, 1, 9, 0, UINT64_C(0x5770c4468799377f),
     UINT64_C(0x464b4eb9bfaf5c22)},
    {"mlp_portable", "edge_dialect_exported_program/forward", 6, 5, 1, 11, 0,
     UINT64_C(0xad3e37017c7b5f69), UINT64_C(0xb07820a4b8ee7268)},
    {"mlp_xnnpack", "exported_program", 4, 5, 1, 9, 0, UINT64_C(0x5770c4468799377f),
     UINT64_C(0x464b4eb9bfaf5c22)},
    {"mlp_xnnpack", "edge_dialect_exported_program/forward", 4, 5, 1, 9, 0,
     UINT64_C(0xee3a7c403469f8f4), UINT64_C(0xb1bff8c69af92e37)},
    {"multi_method", "exported_program", 3, 5, 1, 8, 0, UINT64_C(0x83b58fd636ce4c5a),
     UINT64_C(0x97fea9592aba073a)},
    {"multi_method", "edge_dialect_exported_program/decode", 2, 3, 1, 5, 0,
     UINT64_C(0x3c942acffa3d2b12), UINT64_C(0x4b1d050ce2651375)},
    {"multi_method", "edge_dialect_exported_program/forward", 5, 5, 1, 10, 0,
     UINT64_C(0x80c25777c14edd98), UINT64_C(0x7b2b6e5c3e19e877)},
    {"multi_method", "edge_dialect_exported_program/encode", 3, 3, 1, 6, 0,
     UINT64_C(0xd2ea877ae34a405a), UINT64_C(0xe2d6c2fdecef2149)},
    {"types", "exported_program", 15, 3, 10, 17, 0, UINT64_C(0x8471abd796a37485),
     UINT64_C(0x943c85ce1f14f526)},
    {"types", "edge_dialect_exported_program/forward", 12, 4, 10, 19, 0,
     UINT64_C(0xd1a3a1343571ef30), UINT64_C(0xb6d4945f6112829f)},
};
enum { EXPECTATION_COUNT = sizeof EXPECTATIONS / sizeof EXPECTATIONS[0] };

/* name op handle frames modules origins inputs outputs file:line:function module */
static void add_nodes(struct checksum *sum, const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        const struct ets_graph_frame *frame = ets_graph_user_frame(node);
        checksum_text(sum, node->name);
        checksum_add(sum, " ", 1);
        checksum_text(sum, node->op);
        checksum_number(sum, " ", node->debug_handle);
        checksum_number(sum, " ", node->frame_count);
        checksum_number(sum, " ", node->module_count);
        checksum_number(sum, " ", node->origin_count);
        checksum_number(sum, " ", node->input_count);
        checksum_number(sum, " ", node->output_count);
        checksum_add(sum, " ", 1);
        if (frame != NULL) checksum_text(sum, frame->file);
        checksum_number(sum, ":", frame != NULL ? frame->line : 0);
        checksum_add(sum, ":", 1);
        if (frame != NULL) checksum_text(sum, frame->function);
        checksum_add(sum, " ", 1);
        checksum_text(sum, node->module_count > 0 ? node->modules[node->module_count - 1].path
                                                  : (struct ets_text){NULL, 0});
        checksum_add(sum, "\n", 1);
        assert_ptr_equal(ets_graph_find_node(graph, node->name), node);
    }
}

/* name dtype sizes... */
static void add_values(struct checksum *sum, const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct ets_graph_value *value = &graph->values[i];
        checksum_text(sum, value->name);
        checksum_number(sum, " ", value->scalar_type);
        for (uint32_t j = 0; j < value->rank; j++) checksum_number(sum, " ", value->sizes[j]);
        checksum_add(sum, "\n", 1);
        assert_ptr_equal(ets_graph_find_value(graph, value->name), value);
    }
}

static void check_graph(const struct expectation *expected)
{
    struct ets_file *file = open_fixture(expected->model, "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_graph *graph;
    assert_int_equal(ets_etrecord_graph(record, expected->graph, &graph, NULL), ETS_OK);
    assert_string_equal(graph->name.data, expected->graph);
    assert_int_equal(graph->schema_major, 5);
    assert_int_equal(graph->schema_minor, 4);
    assert_string_equal(graph->dialect.data,
                        strcmp(expected->graph, "exported_program") == 0 ? "TRAINING" : "EDGE");
    assert_int_equal(graph->node_count, expected->nodes);
    assert_int_equal(graph->input_count, expected->inputs);
    assert_int_equal(graph->output_count, expected->outputs);
    assert_int_equal(graph->value_count, expected->values);
    assert_int_equal(graph->subgraph_count, expected->subgraphs);
    struct checksum nodes = checksum_start(), values = checksum_start();
    add_nodes(&nodes, graph);
    add_values(&values, graph);
    for (uint32_t i = 0; i < graph->subgraph_count; i++) {
        add_nodes(&nodes, graph->subgraphs[i]);
        add_values(&values, graph->subgraphs[i]);
    }
    assert_true(nodes.value == expected->node_sum);
    assert_true(values.value == expected->value_sum);
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_graph__of_every_fixture_is_what_python_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < EXPECTATION_COUNT; i++) check_graph(&EXPECTATIONS[i]);
}

static const struct ets_graph_argument *find_input(const struct ets_graph_node *node,
                                                   const char *label)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (strcmp(node->inputs[i].label.data, label) == 0) return &node->inputs[i];
    }
    return NULL;
}

static const struct ets_graph_node *find_op(const struct ets_graph *graph, const char *op)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (strcmp(graph->nodes[i].op.data, op) == 0) return &graph->nodes[i];
    }
    return NULL;
}

static void test_graph__names_operators_as_upstream_prints_them(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("gpt_portable", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_graph *graph;
    assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
    assert_non_null(find_op(graph, "aten.add.Tensor"));
    assert_non_null(find_op(graph, "dim_order_ops._clone_dim_order.default"));
    const struct ets_graph_node *scalar = find_op(graph, "scalar_tensor.default");
    assert_non_null(scalar);
    assert_string_equal(scalar->target.data, "torch.ops.aten.scalar_tensor.default");
    assert_int_equal(ets_etrecord_aten_graph(record, &graph, NULL), ETS_OK);
    assert_non_null(find_op(graph, "linear.default"));
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_graph__generated_code_is_no_ones_line(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("conv_xnnpack_int8", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_graph *graph;
    assert_int_equal(ets_etrecord_aten_graph(record, &graph, NULL), ETS_OK);
    const struct ets_graph_node *quantize = find_op(graph, "quantize_per_tensor.default");
    assert_string_equal(quantize->frames[1].file.data, "<eval_with_key>.1151");
    assert_null(ets_graph_user_frame(quantize));
    const struct ets_graph_node *conv = find_op(graph, "conv2d.default");
    assert_string_equal(ets_graph_user_frame(conv)->file.data, "models/zoo.py");
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_graph__keeps_negative_infinity(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("gpt_portable", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_graph *graph;
    assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
    size_t infinities = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i].input_count; j++) {
            const struct ets_graph_argument *input = &graph->nodes[i].inputs[j];
            if (input->kind == ETS_ARGUMENT_FLOAT && input->float_value == -INFINITY) infinities++;
        }
    }
    assert_int_equal(infinities, 4);
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_graph__takes_a_node_apart(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("mlp_xnnpack", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_graph *graph;
    assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
    const struct ets_graph_node *node = &graph->nodes[0];
    assert_string_equal(node->name.data, "aten_linear_default");
    assert_string_equal(node->op.data, "aten.linear.default");
    assert_int_equal(node->debug_handle, 1);
    assert_string_equal(find_input(node, "weight")->name.data, "p_l1_weight");
    assert_int_equal(node->frame_count, 2);
    assert_string_equal(node->frames[0].file.data,
                        "site-packages/torch/_dynamo/functional_export.py");
    const struct ets_graph_frame *frame = ets_graph_user_frame(node);
    assert_ptr_equal(frame, &node->frames[1]);
    assert_string_equal(frame->file.data, "models/zoo.py");
    assert_int_equal(frame->line, 16);
    assert_string_equal(frame->function.data, "forward");
    assert_string_equal(frame->code.data,
                        "def forward(s,x): return torch.softmax(s.l2(torch.relu(s.l1(x))),-1)");
    assert_int_equal(node->module_count, 2);
    assert_string_equal(node->modules[0].path.data, "");
    assert_string_equal(node->modules[1].type.data, "torch.nn.modules.linear.Linear");
    assert_string_equal(ets_graph_module_path(node).data, "l1");
    assert_int_equal(node->origin_count, 8);
    assert_string_equal(node->origins[0].target.data, "EDGE_DO_NOT_DECOMP.linear.default");
    assert_string_equal(node->origins[7].pass_name.data, "Interpreter_DynamoGraphTransformer");
    assert_true(node->origins[5].graph_id == ets_etrecord_export_graph_id(record));
    const struct ets_graph_node *softmax = &graph->nodes[3];
    assert_int_equal(find_input(softmax, "dim")->int_value, -1);
    assert_int_equal(find_input(softmax, "half_to_float")->kind, ETS_ARGUMENT_BOOL);
    assert_int_equal(graph->inputs[0].role, ETS_INPUT_PARAMETER);
    assert_string_equal(graph->inputs[0].source.data, "l1.weight");
    assert_int_equal(graph->inputs[4].role, ETS_INPUT_USER);
    assert_null(graph->inputs[4].source.data);
    assert_int_equal(graph->outputs[0].role, ETS_OUTPUT_USER);
    assert_string_equal(graph->outputs[0].argument.name.data, "aten__softmax_default");
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_graph__numbers_the_branches_of_cond(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("cond", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_graph *graph;
    assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
    const struct ets_graph_node *cond = find_op(graph, "cond");
    assert_int_equal(cond->debug_handle, 3);
    assert_int_equal(cond->inputs[1].kind, ETS_ARGUMENT_GRAPH);
    assert_int_equal(cond->inputs[1].graph, 0);
    assert_int_equal(cond->inputs[2].graph, 1);
    assert_string_equal(graph->subgraphs[0]->name.data, "submodule_0");
    assert_string_equal(graph->subgraphs[1]->nodes[2].op.data, "aten.cos.default");
    assert_int_equal(graph->subgraphs[0]->nodes[0].debug_handle, 4);
    assert_int_equal(graph->subgraphs[0]->inputs[0].role, ETS_INPUT_OTHER);
    assert_null(graph->subgraphs[0]->dialect.data);
    assert_int_equal(cond->inputs[3].kind, ETS_ARGUMENT_LIST);
    assert_int_equal(cond->inputs[3].item_count, 5);
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_graph__keeps_symbolic_sizes(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("dynamic", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const struct ets_graph *graph;
    assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
    const struct ets_text name = {"aten_relu_default", 17};
    const struct ets_graph_value *value = ets_graph_find_value(graph, name);
    assert_int_equal(value->scalar_type, ETS_SCALAR_FLOAT);
    assert_int_equal(value->rank, 2);
    assert_int_equal(value->sizes[0], 2);
    assert_string_equal(value->size_texts[0].data, "s6");
    assert_int_equal(value->sizes[1], 32);
    assert_null(value->size_texts[1].data);
    ets_etrecord_close(record);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph__of_every_fixture_is_what_python_reads),
        cmocka_unit_test(test_graph__names_operators_as_upstream_prints_them),
        cmocka_unit_test(test_graph__generated_code_is_no_ones_line),
        cmocka_unit_test(test_graph__keeps_negative_infinity),
        cmocka_unit_test(test_graph__takes_a_node_apart),
        cmocka_unit_test(test_graph__numbers_the_branches_of_cond),
        cmocka_unit_test(test_graph__keeps_symbolic_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
