/* Why kernels are outside of XNNPACK: of recorded programs, and where memory runs out. */
#include "test_faults_support.h"
#include "test_files_support.h"

#include "base/text.h"
#include "partition/partition_node.h"
#include "partition/undelegated_kernels.h"

struct model {
    struct ets_file *program_file, *record_file;
    struct ets_program program;
    struct ets_etrecord *record;
    struct ets_delegation *delegation;
};

static struct ets_bytes file_of(const char *folder, const char *name, struct ets_file **file_out)
{
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/%s/%s", folder, name);
    assert_int_equal(ets_file_open(path, file_out, NULL), ETS_OK);
    return ets_file_bytes(*file_out);
}

static void open_model(const char *folder, struct model *model)
{
    assert_int_equal(
        ets_program_init(&model->program, file_of(folder, "model.pte", &model->program_file), NULL),
        ETS_OK);
    assert_int_equal(ets_etrecord_open(file_of(folder, "model.etrecord", &model->record_file), NULL,
                                       &model->record, NULL),
                     ETS_OK);
    const struct ets_delegation_options options = {.program = &model->program,
                                                   .record = model->record};
    assert_int_equal(ets_delegation_open(&options, &model->delegation, NULL), ETS_OK);
}

static void close_model(struct model *model)
{
    ets_delegation_close(model->delegation);
    ets_etrecord_close(model->record);
    ets_file_close(model->record_file);
    ets_file_close(model->program_file);
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
        assert_true(ets_partition_open(&arena, graph, &partition));
        for (uint32_t i = 0; i < ets_delegation_count(model.delegation); i++) {
            const struct ets_delegation_step *step = ets_delegation_step_at(model.delegation, i);
            if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
            for (size_t k = 0; k < step->node_count; k++) {
                struct ets_outside outside;
                const struct ets_text op = step->nodes[k].node->op;
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
    static const char *const folders[] = {"gpt_xnnpack", "cond", "multi_method", "dynamic"};
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct model model;
        struct failing failing = {.fail_at = 0};
        unsigned long failures = 0;
        open_model(folders[i], &model);
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
        cmocka_unit_test(test_outside__no_memory_at_any_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
