/* Programs with a smaller memory plan: the tensors and instructions are the old ones. */
#include "format/program_lists.h"
#include "memory/memory_plan.h"
#include "rewrite/replanned_program.h"
#include "test_faults_support.h"
#include "test_files_support.h"

struct opened {
    struct ets_file *file;
    struct ets_program program;
    struct ets_arena arena;
};

static void open_program(const char *name, struct opened *out)
{
    out->file = open_file(name);
    ets_arena_init(&out->arena, NULL, 0);
    assert_int_equal(ets_program_init(&out->program, ets_file_bytes(out->file), NULL), ETS_OK);
}

static void close_program(struct opened *opened)
{
    ets_arena_reset(&opened->arena);
    ets_file_close(opened->file);
}

/* All of a tensor but its place. */
static void assert_same_tensor(const struct ets_program_tensor *was,
                               const struct ets_program_tensor *is)
{
    assert_int_equal(was->place, is->place);
    assert_int_equal(was->memory_id, is->memory_id);
    assert_int_equal(was->tensor_bytes, is->tensor_bytes);
    assert_int_equal(was->dynamism, is->dynamism);
    assert_int_equal(was->data_buffer_idx, is->data_buffer_idx);
    assert_int_equal(was->tensor.scalar_type, is->tensor.scalar_type);
    assert_int_equal(was->tensor.rank, is->tensor.rank);
    assert_memory_equal(was->tensor.sizes, is->tensor.sizes,
                        was->tensor.rank * sizeof *was->tensor.sizes);
    assert_int_equal(was->tensor.data == NULL, is->tensor.data == NULL);
    if (was->tensor.data == NULL) return;
    assert_memory_equal(was->tensor.data, is->tensor.data, (size_t)was->tensor_bytes);
}

static void assert_same_method(const struct ets_program *old, const struct ets_program *made,
                               uint32_t index)
{
    struct ets_method was, is;
    struct ets_arena arena;
    struct ets_memory_plan old_plan, plan;
    ets_program_method(old, index, &was);
    ets_program_method(made, index, &is);
    assert_int_equal(was.value_count, is.value_count);
    for (uint32_t v = 0; v < was.value_count; v++) {
        struct ets_evalue a, b;
        ets_method_value(&was, v, &a);
        ets_method_value(&is, v, &b);
        assert_int_equal(a.kind, b.kind);
        if (a.kind == ETS_EVALUE_TENSOR) assert_same_tensor(&a.tensor, &b.tensor);
    }
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_memory_plan_init(&old_plan, &was, &arena, NULL), ETS_OK);
    assert_int_equal(ets_memory_plan_init(&plan, &is, &arena, NULL), ETS_OK);
    assert_int_equal(old_plan.tensor_count, plan.tensor_count);
    assert_int_equal(old_plan.peak_bytes, plan.peak_bytes);
    for (uint32_t t = 0; t < plan.tensor_count; t++) {
        assert_int_equal(old_plan.tensors[t].kind, plan.tensors[t].kind);
        assert_int_equal(old_plan.tensors[t].first, plan.tensors[t].first);
        assert_int_equal(old_plan.tensors[t].last, plan.tensors[t].last);
        assert_int_equal(old_plan.tensors[t].base, plan.tensors[t].base);
    }
    ets_arena_reset(&arena);
}

static void plans__become_smaller_and_stay_the_same_otherwise(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t before, after;
    } models[] = {
        {"conv_portable/model.pte", 28672, 20480}, {"gpt_portable/model.pte", 102400, 90112},
        {"gpt_xnnpack/model.pte", 38976, 32832},   {"cond/model.pte", 128, 96},
        {"map_loop/model.pte", 320, 288},          {"multi_method/model.pte", 960, 912},
    };
    for (size_t i = 0; i < COUNT(models); i++) {
        struct opened opened;
        struct ets_program made;
        struct ets_replanned replanned;
        open_program(models[i].name, &opened);
        assert_int_equal(ets_replanned_program(&opened.arena, &opened.program,
                                               ETS_REPLAN_ALL_METHODS, &replanned, NULL),
                         ETS_OK);
        assert_int_equal(replanned.before, models[i].before);
        assert_int_equal(replanned.after, models[i].after);
        assert_int_equal(ets_program_init(&made, replanned.bytes, NULL), ETS_OK);
        assert_int_equal(made.method_count, opened.program.method_count);
        for (uint32_t m = 0; m < made.method_count; m++) {
            assert_same_method(&opened.program, &made, m);
        }
        close_program(&opened);
    }
}

static void plans__that_cannot_be_smaller_are_not_written(void **state)
{
    (void)state;
    static const char *const names[] = {"mlp_portable/model.pte", "conv_xnnpack/model.pte",
                                        "types/model.pte", "dynamic/model.pte"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct opened opened;
        struct ets_replanned replanned;
        open_program(names[i], &opened);
        assert_int_equal(ets_replanned_program(&opened.arena, &opened.program,
                                               ETS_REPLAN_ALL_METHODS, &replanned, NULL),
                         ETS_OK);
        assert_int_equal(replanned.bytes.size, 0);
        assert_int_equal(replanned.after, replanned.before);
        close_program(&opened);
    }
}

static void mistakes__are_not_written(void **state)
{
    (void)state;
    struct opened opened;
    struct ets_replanned replanned;
    struct ets_error error;
    open_program("plans/cases.pte", &opened);
    assert_int_equal(ets_replanned_program(&opened.arena, &opened.program, ETS_REPLAN_ALL_METHODS,
                                           &replanned, &error),
                     ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "has mistakes"));
    assert_int_equal(replanned.bytes.size, 0);
    close_program(&opened);
}

static void methods__are_chosen(void **state)
{
    (void)state;
    struct opened opened;
    struct ets_replanned replanned;
    struct ets_method method;
    open_program("multi_method/model.pte", &opened);
    assert_int_equal(ets_program_find_method(&opened.program, "forward", &method, NULL), ETS_OK);
    assert_int_equal(
        ets_replanned_program(&opened.arena, &opened.program, method.index, &replanned, NULL),
        ETS_OK);
    assert_int_equal(replanned.method_count, 1);
    assert_true(replanned.methods[0].after <= replanned.methods[0].before);
    close_program(&opened);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct opened opened;
        struct ets_replanned replanned;
        struct ets_error error = {.status = ETS_OK};
        open_program("conv_portable/model.pte", &opened);
        ets_arena_init(&opened.arena, &allocator, 0);
        status = ets_replanned_program(&opened.arena, &opened.program, ETS_REPLAN_ALL_METHODS,
                                       &replanned, &error);
        assert_true(status == ETS_OK || error.status == ETS_NO_MEMORY);
        close_program(&opened);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans__become_smaller_and_stay_the_same_otherwise),
        cmocka_unit_test(plans__that_cannot_be_smaller_are_not_written),
        cmocka_unit_test(mistakes__are_not_written),
        cmocka_unit_test(methods__are_chosen),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
