/* Programs whose delegates hand out the values within: which values, and that the program is the
 * old one but for them. */
#include "format/program_lists.h"
#include "format/tap_marker.h"
#include "format/xnnpack.h"
#include "rewrite/taps.h"
#include "test_faults_support.h"
#include "test_files_support.h"

struct opened {
    struct ets_file *file;
    struct ets_program program;
    struct ets_arena arena;
    struct ets_payload_store store;
    struct ets_taps taps;
};

static enum ets_status find(struct opened *opened, const struct ets_allocator *allocator,
                            struct ets_error *error)
{
    ets_arena_init(&opened->arena, allocator, 0);
    ets_payload_store_init(&opened->store, &opened->arena, &opened->program);
    return ets_taps_find(&opened->arena, &opened->program, &opened->store, &opened->taps, error);
}

static void open_program(const char *name, struct opened *out)
{
    out->file = open_file(name);
    assert_int_equal(ets_program_init(&out->program, ets_file_bytes(out->file), NULL), ETS_OK);
}

static void close_program(struct opened *opened)
{
    ets_arena_reset(&opened->arena);
    ets_file_close(opened->file);
}

static uint32_t count_state(const struct ets_taps *taps, enum ets_tap_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < taps->count; i++) count += taps->items[i].state == state;
    return count;
}

static uint32_t choose(struct ets_taps *taps, bool has_fused)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < taps->count; i++) {
        struct ets_tap *tap = &taps->items[i];
        tap->is_chosen =
            tap->state == ETS_TAP_POSSIBLE || (has_fused && tap->state == ETS_TAP_FUSED);
        count += tap->is_chosen;
    }
    return count;
}

static void values__that_the_runtime_makes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t possible, fused, dynamic;
    } models[] = {
        {"conv_xnnpack/model.pte", 7, 0, 0},        {"conv_xnnpack_int8/model.pte", 9, 3, 0},
        {"mlp_xnnpack/model.pte", 2, 0, 0},         {"gpt_xnnpack/model.pte", 40, 0, 0},
        {"linear_int8_xnnpack/model.pte", 0, 0, 1},
    };
    for (size_t i = 0; i < COUNT(models); i++) {
        struct opened opened;
        open_program(models[i].name, &opened);
        assert_int_equal(find(&opened, NULL, NULL), ETS_OK);
        assert_int_equal(count_state(&opened.taps, ETS_TAP_POSSIBLE), models[i].possible);
        assert_int_equal(count_state(&opened.taps, ETS_TAP_FUSED), models[i].fused);
        assert_int_equal(count_state(&opened.taps, ETS_TAP_DYNAMIC), models[i].dynamic);
        close_program(&opened);
    }
}

/* The tensor that argument `argument` of the only delegate call is. */
static struct ets_program_tensor argument_of(const struct ets_method *method, uint32_t argument)
{
    struct ets_chain chain;
    struct ets_instruction instruction;
    struct ets_evalue value;
    ets_method_chain(method, 0, &chain);
    ets_chain_instruction(&chain, 0, &instruction);
    ets_method_value(method, ets_instruction_argument(&instruction, argument), &value);
    assert_int_equal(value.kind, ETS_EVALUE_TENSOR);
    return value.tensor;
}

static void program__has_the_values_behind_its_own(void **state)
{
    (void)state;
    struct opened opened;
    struct ets_rewritten rewritten;
    struct ets_program made;
    struct ets_method method;
    struct ets_delegate delegate;
    struct ets_tap_marker marker = {.count = 0};
    struct ets_xnnpack payload;
    const struct ets_tap_options options = {.as_outputs = false};
    open_program("conv_xnnpack/model.pte", &opened);
    assert_int_equal(find(&opened, NULL, NULL), ETS_OK);
    assert_int_equal(choose(&opened.taps, false), 7);
    assert_int_equal(ets_tapped_program(&opened.arena, &opened.program, &opened.taps, &options,
                                        &rewritten, NULL),
                     ETS_OK);
    const struct ets_bytes bytes = {ets_rewritten_join(&rewritten, &opened.arena),
                                    (size_t)rewritten.bytes};
    assert_int_equal(ets_program_init(&made, bytes, NULL), ETS_OK);
    ets_program_method(&made, 0, &method);
    assert_int_equal(method.value_count, 2 + 7);
    assert_int_equal(method.output_count, 1);
    assert_int_equal(method.arena_count, 2);
    ets_method_delegate(&method, 0, &delegate);
    assert_true(ets_delegate_taps(&delegate, &marker));
    assert_int_equal(marker.first_argument, 2);
    assert_int_equal(marker.count, 7);
    assert_int_equal(ets_xnnpack_init(&payload, delegate.blob, NULL), ETS_OK);
    assert_int_equal(payload.external_count, 9);
    for (uint32_t i = 0; i < payload.value_count; i++) { /* what XNNPACK gives fits the argument */
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&payload, i, &value);
        if (value.external_id == ETS_XNNPACK_INTERNAL || value.external_id < 2) continue;
        assert_true(value.is_output);
        assert_int_equal(value.id, ets_load_u32(marker.ids + 4 * (size_t)(value.external_id - 2)));
        const struct ets_program_tensor tensor = argument_of(&method, value.external_id);
        assert_int_equal(tensor.tensor.scalar_type, ETS_SCALAR_FLOAT);
        assert_int_equal(tensor.tensor.rank, value.rank);
        for (uint32_t k = 0; k < value.rank; k++) {
            assert_int_equal(tensor.tensor.sizes[k], ets_xnnpack_dim(&payload, &value, k));
        }
        assert_int_equal(tensor.memory_id, 2);
        assert_int_equal(tensor.memory_offset % 64, 0);
    }
    for (uint32_t i = 0; i < made.named_data_count; i++) {
        struct ets_program_named_data was, is;
        ets_program_named_data(&opened.program, i, &was);
        ets_program_named_data(&made, i, &is);
        assert_int_equal(was.bytes.size, is.bytes.size);
        assert_memory_equal(was.bytes.data, is.bytes.data, is.bytes.size);
    }
    close_program(&opened);
}

/* Each call's values are taken before the next call, so calls share memory; outputs do not. */
static void memory__is_shared_by_calls(void **state)
{
    (void)state;
    uint64_t bytes[2];
    for (int as_outputs = 0; as_outputs < 2; as_outputs++) {
        struct opened opened;
        struct ets_rewritten rewritten;
        struct ets_method method;
        struct ets_planned_arena arena;
        const struct ets_tap_options options = {.as_outputs = as_outputs != 0};
        open_program("gpt_xnnpack/model.pte", &opened);
        assert_int_equal(find(&opened, NULL, NULL), ETS_OK);
        choose(&opened.taps, false);
        assert_int_equal(ets_tapped_program(&opened.arena, &opened.program, &opened.taps, &options,
                                            &rewritten, NULL),
                         ETS_OK);
        ets_program_method(&rewritten.view, 0, &method);
        assert_int_equal(method.output_count, as_outputs ? 41 : 1);
        ets_method_arena(&method, method.arena_count - 1, &arena);
        bytes[as_outputs] = arena.bytes;
        close_program(&opened);
    }
    assert_int_equal(bytes[0], 37440);
    assert_int_equal(bytes[1], 215552);
}

static void program__is_changed_once(void **state)
{
    (void)state;
    struct opened opened, again;
    struct ets_rewritten rewritten;
    struct ets_error error;
    const struct ets_tap_options options = {.as_outputs = false};
    open_program("mlp_xnnpack/model.pte", &opened);
    assert_int_equal(find(&opened, NULL, NULL), ETS_OK);
    choose(&opened.taps, false);
    assert_int_equal(ets_tapped_program(&opened.arena, &opened.program, &opened.taps, &options,
                                        &rewritten, NULL),
                     ETS_OK);
    const struct ets_bytes bytes = {ets_rewritten_join(&rewritten, &opened.arena),
                                    (size_t)rewritten.bytes};
    assert_int_equal(ets_program_init(&again.program, bytes, NULL), ETS_OK);
    assert_int_equal(find(&again, NULL, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "already"));
    ets_arena_reset(&again.arena);
    close_program(&opened);
}

static void others__say_what_can_be_done(void **state)
{
    (void)state;
    struct opened opened;
    open_program("payloads/coreml.pte", &opened);
    assert_int_equal(find(&opened, NULL, NULL), ETS_OK);
    assert_int_equal(opened.taps.count, 0);
    assert_true(opened.taps.delegate_count > 0);
    assert_non_null(strstr(opened.taps.delegates[0].reason, "its runtime gives them itself"));
    close_program(&opened);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        const struct ets_tap_options options = {.as_outputs = true};
        struct opened opened;
        struct ets_rewritten rewritten;
        struct ets_error error = {.status = ETS_OK};
        open_program("conv_xnnpack_int8/model.pte", &opened);
        status = find(&opened, &allocator, &error);
        if (status == ETS_OK) {
            choose(&opened.taps, true);
            status = ets_tapped_program(&opened.arena, &opened.program, &opened.taps, &options,
                                        &rewritten, &error);
        }
        assert_true(status == ETS_OK || error.status == ETS_NO_MEMORY);
        close_program(&opened);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values__that_the_runtime_makes),
        cmocka_unit_test(program__has_the_values_behind_its_own),
        cmocka_unit_test(memory__is_shared_by_calls),
        cmocka_unit_test(program__is_changed_once),
        cmocka_unit_test(others__say_what_can_be_done),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
