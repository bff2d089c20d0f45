/* Why kernels are outside of delegates: of recorded programs, and where memory runs out. */
#include "test_faults_support.h"
#include "test_files_support.h"

#include "base/text.h"
#include "partition/partition_node.h"
#include "partition/partitioners.h"
#include "partition/undelegated_kernels.h"

struct model {
    struct ets_file *program_file, *record_file;
    struct ets_program program;
    struct ets_etrecord *record;
    struct ets_delegation *delegation;
};

static struct ets_bytes file_of(const char *base, const char *type, struct ets_file **file_out)
{
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/%s.%s", base, type);
    assert_int_equal(ets_file_open(path, file_out, NULL), ETS_OK);
    return ets_file_bytes(*file_out);
}

/* `base`: the path of its files without ".pte" and ".etrecord". */
static void open_files(const char *base, struct model *model)
{
    assert_int_equal(
        ets_program_init(&model->program, file_of(base, "pte", &model->program_file), NULL),
        ETS_OK);
    assert_int_equal(ets_etrecord_open(file_of(base, "etrecord", &model->record_file), NULL,
                                       &model->record, NULL),
                     ETS_OK);
    const struct ets_delegation_options options = {.program = &model->program,
                                                   .record = model->record};
    assert_int_equal(ets_delegation_open(&options, &model->delegation, NULL), ETS_OK);
}

static void open_model(const char *folder, struct model *model)
{
    char base[256];
    snprintf(base, sizeof base, "%s/model", folder);
    open_files(base, model);
}

static void close_model(struct model *model)
{
    ets_delegation_close(model->delegation);
    ets_etrecord_close(model->record);
    ets_file_close(model->record_file);
    ets_file_close(model->program_file);
}

static struct ets_text op_of(const struct ets_row_node *node)
{
    return node->node->op;
}

/* The rules refuse nothing that the partitioner took. */
static void test_outside__what_was_taken_is_not_refused(void **state)
{
    static const char *const folders[] = {"conv_xnnpack", "conv_xnnpack_int8", "mlp_xnnpack"};
    unsigned judged = 0;
    (void)state;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        struct model model;
        struct ets_arena arena;
        struct ets_partition *partition;
        const struct ets_graph *graph;
        open_model(folders[f], &model);
        ets_arena_init(&arena, NULL, 0);
        assert_int_equal(ets_etrecord_edge_graph(model.record, "forward", &graph, NULL), ETS_OK);
        struct ets_asked asked = {.count = 0};
        ets_ask_partitioner_of(&asked, ets_text_of("XnnpackBackend"));
        assert_true(ets_partition_open(&arena, graph, &asked, &partition));
        for (uint32_t i = 0; i < ets_delegation_count(model.delegation); i++) {
            const struct ets_delegation_step *step = ets_delegation_step_at(model.delegation, i);
            if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
            for (size_t k = 0; k < step->node_count; k++) {
                struct ets_outside outside;
                const struct ets_text op = op_of(&step->nodes[k]);
                assert_true(ets_outside_find(&arena, partition, &step->nodes[k], 1, op, &outside));
                if (outside.kind == ETS_OUTSIDE_REFUSED) {
                    fail_msg("%s: %.*s: %.*s", folders[f], ETS_TEXT(op), ETS_TEXT(outside.reason));
                }
                judged += outside.kind == ETS_OUTSIDE_TAKEN;
            }
        }
        ets_arena_reset(&arena);
        close_model(&model);
    }
    assert_true(judged > 10);
}

static void test_outside__kernels_of_a_transformer(void **state)
{
    struct model model;
    struct ets_arena arena;
    const struct ets_outside *outsides;
    unsigned with_reason = 0;
    (void)state;
    open_model("gpt_xnnpack", &model);
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(
        ets_undelegated_kernels_find(&arena, model.record, model.delegation, &outsides, NULL),
        ETS_OK);
    for (uint32_t i = 0; i < ets_delegation_count(model.delegation); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(model.delegation, i);
        const bool is_kernel = step->kind == ETS_INSTRUCTION_KERNEL_CALL;
        assert_true(is_kernel || outsides[i].kind == ETS_OUTSIDE_UNKNOWN);
        with_reason += outsides[i].reason.data != NULL;
        if (is_kernel && ets_text_is(step->name, "aten::native_layer_norm.out")) {
            assert_int_equal(outsides[i].kind, ETS_OUTSIDE_NO_RULE);
        }
    }
    assert_int_equal(with_reason, 56);
    assert_int_equal(ets_undelegated_kernels_find(&arena, NULL, model.delegation, &outsides, NULL),
                     ETS_OK);
    assert_int_equal(outsides[0].kind, ETS_OUTSIDE_UNKNOWN);
    assert_null(ets_outside_kind_name(ETS_OUTSIDE_UNKNOWN));
    ets_arena_reset(&arena);
    close_model(&model);
}

/* Vulkan's list decides of an erf, and not of a mean; what a call has inside is on the list. */
static void test_outside__vulkan_is_judged_by_its_list(void **state)
{
    struct model model;
    struct ets_arena arena;
    struct ets_partition *partition;
    const struct ets_outside *outsides;
    const struct ets_graph *graph;
    struct ets_asked asked = {.count = 0};
    unsigned inside = 0;
    (void)state;
    open_files("payloads/vulkan_map", &model);
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(
        ets_undelegated_kernels_find(&arena, model.record, model.delegation, &outsides, NULL),
        ETS_OK);
    assert_int_equal(outsides[1].kind, ETS_OUTSIDE_NO_RULE); /* erf */
    assert_string_equal(outsides[1].rule, "no_rule");
    assert_null(outsides[1].remedy);
    assert_int_equal(outsides[1].asked->count, 1);
    assert_string_equal(outsides[1].asked->items[0]->name, "VulkanPartitioner");
    assert_int_equal(outsides[2].kind, ETS_OUTSIDE_UNKNOWN); /* mean */
    assert_null(outsides[2].rule);
    assert_true(ets_text_starts_with(outsides[2].reason, "taken in some cases"));

    assert_int_equal(ets_etrecord_edge_graph(model.record, "forward", &graph, NULL), ETS_OK);
    ets_ask_partitioner_of(&asked, ets_text_of("VulkanBackend"));
    assert_true(ets_partition_open(&arena, graph, &asked, &partition));
    for (uint32_t i = 0; i < ets_delegation_count(model.delegation); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(model.delegation, i);
        if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        for (size_t k = 0; k < step->node_count; k++, inside++) {
            struct ets_outside outside;
            assert_true(ets_outside_find(&arena, partition, &step->nodes[k], 1,
                                         op_of(&step->nodes[k]), &outside));
            assert_int_equal(outside.kind, ETS_OUTSIDE_UNKNOWN);
            assert_non_null(outside.reason.data);
        }
    }
    assert_int_equal(inside, 5);
    ets_arena_reset(&arena);
    close_model(&model);
}

static enum ets_outside_kind judge_op(const char *backend, const char *op)
{
    char text[256];
    struct ets_asked asked = {.count = 0};
    const struct ets_graph_node node = {.op = ets_text_of(op)};
    struct ets_judgement judgement = {.node = &node, .reason = {text, sizeof text, 0}};
    ets_ask_partitioner_of(&asked, ets_text_of(backend));
    assert_int_equal(asked.count, 1);
    const enum ets_outside_kind kind = asked.items[0]->judge(&judgement);
    assert_true(judgement.reason.used > 0);
    return kind;
}

/* Names as edge programs have them; the lists spell them in three ways. */
static void test_outside__operators_are_found_in_lists(void **state)
{
    static const struct {
        const char *backend, *op;
        bool is_listed;
    } cases[] = {
        {"VulkanBackend", "aten.relu.default", true},
        {"VulkanBackend", "aten.add.Tensor", true},
        {"VulkanBackend", "aten.add.Scalar", false},
        {"VulkanBackend", "aten.relu", true},
        {"VulkanBackend", ".default", false},
        {"VulkanBackend", "", false},
        {"EthosUBackend", "aten.convolution.default", true},
        {"EthosUBackend", "aten.topk.default", false},
        {"TOSABackend", "dim_order_ops._clone_dim_order.default", true},
        {"VgfBackend", "quantized_decomposed.quantize_per_tensor.default", true},
        {"CoreMLBackend", "aten.mean.dim", true},
        {"CoreMLBackend", "aten.mul.Scalar", true},
        {"CoreMLBackend", "aten.div.Tensor_mode", true},
        {"CoreMLBackend", "aten.sum.dim_IntList", true},
        {"CoreMLBackend", "dim_order_ops._to_dim_order_copy.default", true},
        {"CoreMLBackend", "aten.asinh.default", false},
        {"CoreMLBackend", "aten.diagonal_copy.default", false},
        {"CoreMLBackend", "aten.ADD.out", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum ets_outside_kind kind = judge_op(cases[i].backend, cases[i].op);
        if ((kind == ETS_OUTSIDE_UNKNOWN) != cases[i].is_listed) {
            fail_msg("%s: %s", cases[i].backend, cases[i].op);
        }
        assert_true(kind == ETS_OUTSIDE_UNKNOWN || kind == ETS_OUTSIDE_NO_RULE);
    }
    char longest[300];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(judge_op("CoreMLBackend", longest), ETS_OUTSIDE_NO_RULE);
}

/* A size that is computed is no matter of a list. */
static void test_outside__lists_do_not_judge_sizes(void **state)
{
    char text[256];
    struct ets_asked asked = {.count = 0};
    const struct ets_graph_argument size = {.kind = ETS_ARGUMENT_SYMBOL};
    const struct ets_graph_node node = {
        .op = ets_text_of("_operator.mul"), .outputs = &size, .output_count = 1};
    struct ets_judgement judgement = {.node = &node, .reason = {text, sizeof text, 0}};
    (void)state;
    ets_ask_partitioner_of(&asked, ets_text_of("TOSABackend"));
    assert_int_equal(asked.items[0]->judge(&judgement), ETS_OUTSIDE_UNKNOWN);
    assert_int_equal(judgement.reason.used, 0);
}

/* Of several partitioners each is named, and XNNPACK's, of which most is known, decides. */
static void test_outside__several_partitioners_are_told_apart(void **state)
{
    static const char expected[] =
        "XnnpackPartitioner: no rule; VulkanPartitioner: taken in some cases";
    struct model model;
    struct ets_arena arena;
    struct ets_partition *partition;
    const struct ets_graph *graph;
    char text[256];
    struct ets_text_builder said = {text, sizeof text, 0};
    struct ets_asked asked = {.count = 0};
    unsigned judged = 0;
    (void)state;
    ets_ask_partitioner_of(&asked, ets_text_of("VulkanBackend"));
    ets_ask_partitioner_of(&asked, ets_text_of("QnnBackend"));
    ets_ask_partitioner_of(&asked, ets_text_of("XnnpackBackend"));
    ets_ask_partitioner_of(&asked, ets_text_of("VulkanBackend"));
    assert_int_equal(asked.count, 2);
    ets_say_asked(&said, &asked, " and ");
    assert_string_equal(text,
                        "the rules of XnnpackPartitioner in ExecuTorch 1.5.1 and the operator "
                        "list of VulkanPartitioner in ExecuTorch 1.5.1");
    open_model("gpt_xnnpack", &model);
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_etrecord_edge_graph(model.record, "forward", &graph, NULL), ETS_OK);
    assert_true(ets_partition_open(&arena, graph, &asked, &partition));
    for (uint32_t i = 0; i < ets_delegation_count(model.delegation); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(model.delegation, i);
        struct ets_outside outside;
        if (!ets_text_is(step->name, "aten::native_layer_norm.out")) continue;
        assert_true(ets_outside_find(&arena, partition, step->nodes, step->node_count, step->name,
                                     &outside));
        assert_true(ets_text_starts_with(outside.reason, expected));
        assert_int_equal(outside.kind, ETS_OUTSIDE_NO_RULE);
        assert_string_equal(outside.rule, "no_rule");
        judged++;
    }
    assert_true(judged > 0);
    ets_arena_reset(&arena);
    close_model(&model);
}

static enum ets_status find_with(const struct model *model, struct failing *failing)
{
    struct ets_arena arena;
    const struct ets_outside *outsides;
    const struct ets_allocator allocator = {failing_reallocate, failing_release, failing};
    struct ets_error error = {.status = ETS_OK};
    ets_arena_init(&arena, &allocator, 0);
    const enum ets_status status =
        ets_undelegated_kernels_find(&arena, model->record, model->delegation, &outsides, &error);
    assert_int_equal(error.status, status);
    ets_arena_reset(&arena);
    assert_int_equal(failing->live, 0);
    return status;
}

static void test_outside__no_memory_at_any_allocation(void **state)
{
    static const char *const bases[] = {"gpt_xnnpack/model", "cond/model", "multi_method/model",
                                        "dynamic/model", "payloads/vulkan_map"};
    (void)state;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        struct model model;
        struct failing failing = {.fail_at = 0};
        unsigned long failures = 0;
        open_files(bases[i], &model);
        while (find_with(&model, &failing) != ETS_OK) {
            failing = (struct failing){.fail_at = ++failures};
        }
        assert_true(failures > 0);
        close_model(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside__what_was_taken_is_not_refused),
        cmocka_unit_test(test_outside__kernels_of_a_transformer),
        cmocka_unit_test(test_outside__vulkan_is_judged_by_its_list),
        cmocka_unit_test(test_outside__operators_are_found_in_lists),
        cmocka_unit_test(test_outside__lists_do_not_judge_sizes),
        cmocka_unit_test(test_outside__several_partitioners_are_told_apart),
        cmocka_unit_test(test_outside__no_memory_at_any_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
