/* Graphs of programs and records: what takes what, also over branches; times; damage to memory. */
#include "test_inspect_support.h"

#include "base/text.h"
#include "views/graph/model_graph.h"

struct subject {
    struct ets_file *program_file, *record_file, *dump;
    struct ets_program program;
    struct ets_etrecord *record;
    struct ets_delegation *delegations;
    struct ets_inspection *inspection;
    struct ets_arena arena;
    struct ets_model model;
};

static void open_subject(const char *model, struct subject *s)
{
    *s = (struct subject){.program_file = open_fixture(model, "model.pte"),
                          .record_file = open_fixture(model, "model.etrecord"),
                          .dump = open_fixture(model, "profile.etdp")};
    assert_int_equal(ets_program_init(&s->program, ets_file_bytes(s->program_file), NULL), ETS_OK);
    s->record = open_record(ets_file_bytes(s->record_file));
    const struct ets_delegation_options options = {.program = &s->program, .record = s->record};
    assert_int_equal(ets_delegation_open(&options, &s->delegations, NULL), ETS_OK);
    s->inspection =
        inspect(ets_file_bytes(s->dump),
                (struct ets_inspect_options){.program = &s->program, .record = s->record});
    ets_arena_init(&s->arena, NULL, 0);
    ets_model_init(&s->model, &s->arena);
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_inspection_close(s->inspection);
    ets_delegation_close(s->delegations);
    ets_etrecord_close(s->record);
    ets_file_close(s->dump);
    ets_file_close(s->record_file);
    ets_file_close(s->program_file);
}

static void add_program(struct subject *s)
{
    assert_int_equal(ets_model_add_program(&s->model, &s->program, s->delegations, NULL), ETS_OK);
}

static const struct ets_model_graph *graph_of(const struct subject *s, const char *id)
{
    for (uint32_t i = 0; i < s->model.graph_count; i++) {
        if (strcmp(s->model.graphs[i].id.data, id) == 0) return &s->model.graphs[i];
    }
    fail_msg("no graph %s", id);
    return NULL;
}

static uint32_t node_of(const struct ets_model_graph *graph, const char *id)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (strcmp(graph->nodes[i].id.data, id) == 0) return i;
    }
    fail_msg("no node %s", id);
    return 0;
}

/* What an input of a node takes, in the order of nodes: "i4.0 i8.0". */
static void assert_takes(const struct ets_model_graph *graph, const char *id, uint32_t input,
                         const char *expected)
{
    char text[256] = "";
    const struct ets_model_node *node = &graph->nodes[node_of(graph, id)];
    for (uint32_t from = 0; from < graph->node_count; from++) {
        for (uint32_t i = 0; i < node->edge_count; i++) {
            const struct ets_model_edge *edge = &node->edges[i];
            if (edge->from != from || edge->input != input) continue;
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s.%u", used > 0 ? " " : "",
                     graph->nodes[from].id.data, edge->output);
        }
    }
    assert_string_equal(text, expected);
}

static const char *note_of(const struct ets_model_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->note_count; i++) {
        if (strcmp(node->notes[i].key, key) == 0) return node->notes[i].text.data;
    }
    return "";
}

/* Whatever the file: ids once, ends of edges inside, inner graphs that exist. */
static void check(const struct ets_model *model)
{
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const struct ets_model_graph *graph = &model->graphs[g];
        assert_true(graph->first_step + graph->step_count <= graph->node_count);
        for (uint32_t i = 0; i < graph->node_count; i++) {
            const struct ets_model_node *node = &graph->nodes[i];
            assert_int_equal(node_of(graph, node->id.data), i);
            for (uint32_t k = 0; k < node->edge_count; k++) {
                assert_true(node->edges[k].from < graph->node_count);
                assert_true(node->edges[k].output < graph->nodes[node->edges[k].from].output_count);
                assert_true(node->edges[k].input < node->input_count);
            }
            for (uint32_t k = 0; k < node->inner_count; k++) {
                assert_true(node->inner[k] < model->graph_count && node->inner[k] != g);
            }
        }
    }
}

static const char *const models[] = {"gpt_xnnpack",  "conv_xnnpack_int8",   "cond",
                                     "multi_method", "linear_int8_xnnpack", "mlp_portable"};

static void test_model_graph__holds_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(models); i++) {
        struct subject s;
        open_subject(models[i], &s);
        add_program(&s);
        check(&s.model);
        assert_true(s.model.graph_count >= s.program.method_count);
        ets_model_init(&s.model, &s.arena);
        assert_int_equal(ets_model_add_record(&s.model, s.record, NULL), ETS_OK);
        const uint32_t edge = s.model.graph_count;
        const enum ets_status aten = ets_model_add_exported(&s.model, s.record, NULL);
        assert_true(aten == ETS_OK ? s.model.graph_count > edge : aten == ETS_NOT_FOUND);
        check(&s.model);
        close_subject(&s);
    }
}

static void test_model_graph__straight_line(void **state)
{
    (void)state;
    struct subject s;
    open_subject("mlp_portable", &s);
    add_program(&s);
    const struct ets_model_graph *graph = graph_of(&s, "forward");
    assert_int_equal(graph->step_count, 6);
    assert_takes(graph, "i1", 0, "input_0.0");
    assert_takes(graph, "i1", 1, "i0.0");
    assert_takes(graph, "i2", 0, "i1.0");
    assert_takes(graph, "i4", 0, "i2.0");
    assert_takes(graph, "i5", 0, "i4.0");
    assert_takes(graph, "output_0", 0, "i5.0");
    const struct ets_model_node *node = &graph->nodes[node_of(graph, "i1")];
    assert_text(node->label, "aten::addmm.out");
    assert_string_equal(note_of(node, "source"), "models/zoo.py:16");
    assert_string_equal(note_of(node, "constants"), "1 tensor, 128 bytes");
    assert_text(node->outputs[0], "float32[2,32]");
    close_subject(&s);
}

/* Either branch writes what is handed back; neither takes what the other writes. */
static void test_model_graph__branches(void **state)
{
    (void)state;
    struct subject s;
    open_subject("cond", &s);
    add_program(&s);
    const struct ets_model_graph *graph = graph_of(&s, "forward");
    assert_takes(graph, "output_0", 0, "i6.0 i11.0");
    assert_takes(graph, "i2", 0, "i1.0");
    assert_takes(graph, "i4", 0, "input_0.0");
    assert_takes(graph, "i9", 0, "input_0.0");
    assert_takes(graph, "i9", 1, "i8.0");
    assert_string_equal(note_of(&graph->nodes[node_of(graph, "i2")], "if false"),
                        "go on at instruction 8");
    assert_string_equal(note_of(&graph->nodes[node_of(graph, "i5")], "if false"), "");
    close_subject(&s);
}

/* A record's branches are graphs inside of the node that chooses. */
static void test_model_graph__record_branches(void **state)
{
    (void)state;
    struct subject s;
    open_subject("cond", &s);
    assert_int_equal(ets_model_add_record(&s.model, s.record, NULL), ETS_OK);
    const struct ets_model_graph *graph = graph_of(&s, "forward");
    uint32_t inner = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) inner += graph->nodes[i].inner_count;
    assert_int_equal(inner, 2);
    assert_int_equal(s.model.graph_count, 3);
    close_subject(&s);
}

/* Inside of a delegate's call: payload nodes with modules, joined to what the call takes. */
static void test_model_graph__payload(void **state)
{
    (void)state;
    struct subject s;
    open_subject("mlp_xnnpack", &s);
    add_program(&s);
    const struct ets_model_graph *graph = graph_of(&s, "forward/i0");
    const struct ets_model_graph *outer = graph_of(&s, "forward");
    assert_int_equal(outer->nodes[node_of(outer, "i0")].inner_count, 1);
    assert_int_equal(graph->call, 0);
    assert_takes(graph, "n0", 0, "input_0.0");
    assert_takes(graph, "n1", 0, "n0.0");
    assert_text(graph->nodes[node_of(graph, "n0")].label, "FullyConnected");
    assert_string_equal(note_of(&graph->nodes[node_of(graph, "n0")], "source"), "models/zoo.py:16");
    close_subject(&s);
}

/* The medians of instructions are those of the table, and no node has a time twice. */
static void test_model_graph__times(void **state)
{
    (void)state;
    struct subject s;
    uint32_t block = 0, found = 0;
    open_subject("gpt_xnnpack", &s);
    add_program(&s);
    while (ets_inspection_total_row(s.inspection, block) == ETS_NO_INDEX) block++;
    assert_int_equal(ets_model_add_times(&s.model, s.inspection, block, NULL), ETS_OK);
    const struct ets_model_graph *graph = graph_of(&s, "forward");
    for (uint32_t i = 0; i < ets_inspection_row_count(s.inspection); i++) {
        const struct ets_row *row = ets_inspection_row(s.inspection, i);
        struct ets_statistics times;
        const bool is_call =
            ets_text_is(row->name, "OPERATOR_CALL") || ets_text_is(row->name, "DELEGATE_CALL");
        if (row->block != block || row->chain != 0 || !is_call) continue;
        assert_int_equal(ets_inspection_row_statistics(s.inspection, i, ETS_NO_INDEX, &times, NULL),
                         ETS_OK);
        assert_true(graph->nodes[graph->first_step + (uint32_t)row->instruction].ticks ==
                    times.p50);
        found++;
    }
    assert_int_equal(found, graph->step_count);
    close_subject(&s);
}

static void test_model_graph__failed_allocations(void **state)
{
    (void)state;
    struct subject s;
    open_subject("cond", &s);
    for (unsigned long i = 0;; i++) {
        struct failing failing = {.fail_at = i};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_model model;
        ets_arena_init(&arena, &allocator, 0);
        ets_model_init(&model, &arena);
        enum ets_status status = ets_model_add_program(&model, &s.program, s.delegations, NULL);
        if (status == ETS_OK) status = ets_model_add_record(&model, s.record, NULL);
        if (status == ETS_OK) status = ets_model_add_exported(&model, s.record, NULL);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        if (status == ETS_OK) break;
    }
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_graph__holds_together),
        cmocka_unit_test(test_model_graph__straight_line),
        cmocka_unit_test(test_model_graph__branches),
        cmocka_unit_test(test_model_graph__record_branches),
        cmocka_unit_test(test_model_graph__payload),
        cmocka_unit_test(test_model_graph__times),
        cmocka_unit_test(test_model_graph__failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
