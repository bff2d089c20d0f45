/* What differs between two programs: nothing of a copy, each thing that was changed, and faults. */
#include "contents/program_difference.h"

#include "output/table/program_difference_table.h"
#include "test_faults_support.h"
#include "test_files_support.h"
#include "views/program_changes.h"

/* A program in a heap block of its own. */
struct copy {
    uint8_t *data;
    size_t size;
    struct ets_program program;
};

static struct copy load(const char *name, size_t more)
{
    struct ets_file *file = open_file(name);
    const struct ets_bytes bytes = ets_file_bytes(file);
    struct copy copy = {calloc(1, bytes.size + more), bytes.size + more, {.version = 0}};
    assert_non_null(copy.data);
    memcpy(copy.data, bytes.data, bytes.size);
    assert_int_equal(
        ets_program_init(&copy.program, (struct ets_bytes){copy.data, copy.size}, NULL), ETS_OK);
    ets_file_close(file);
    return copy;
}

static struct copy load_fixture(const char *model, size_t more)
{
    char name[256];
    snprintf(name, sizeof name, "%s/model.pte", model);
    return load(name, more);
}

static uint32_t count_changes(const struct ets_program *before, const struct ets_program *after,
                              struct ets_etrecord *record)
{
    struct ets_arena arena;
    struct ets_program_difference difference;
    const struct ets_program_side sides[2] = {{.program = before, .record = record},
                                              {.program = after, .record = record}};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_program_difference_find(&arena, sides, &difference, NULL), ETS_OK);
    const uint32_t count = difference.change_count;
    ets_arena_reset(&arena);
    return count;
}

static void test_program_difference__a_copy_has_no_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_models); i++) {
        struct copy before = load_fixture(fixture_models[i], 0);
        struct copy after = load_fixture(fixture_models[i], 1); /* so that bytes do not decide */
        assert_int_equal(count_changes(&before.program, &after.program, NULL), 0);
        free(before.data);
        free(after.data);
    }
}

static void test_program_difference__a_copy_has_no_changes_by_debug_handle(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_models); i++) {
        struct copy before = load_fixture(fixture_models[i], 0);
        struct copy after = load_fixture(fixture_models[i], 1);
        struct ets_file *file = open_fixture(fixture_models[i], "model.etrecord");
        struct ets_etrecord *record = open_record(ets_file_bytes(file));
        assert_int_equal(ets_program_check_record(&before.program, record, NULL), ETS_OK);
        assert_int_equal(count_changes(&before.program, &after.program, record), 0);
        ets_etrecord_close(record);
        ets_file_close(file);
        free(before.data);
        free(after.data);
    }
}

static void compare_and_show(const struct ets_program_side sides[2])
{
    struct ets_arena arena;
    struct ets_program_difference difference;
    struct ets_program_changes view;
    struct ets_table *table;
    const struct ets_program_difference_table_options options = {.top = 0};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_program_difference_find(&arena, sides, &difference, NULL), ETS_OK);
    assert_int_equal(ets_program_changes_collect(&arena, &difference, 3, &view, NULL), ETS_OK);
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    ets_program_difference_table_fill(table, &view, &options);
    ets_table_close(table);
    ets_arena_reset(&arena);
}

static void any_change_can_be_shown(const char *name, size_t step)
{
    struct copy before = load(name, 0), after = load(name, 0);
    for (size_t i = first_fault(step); i < after.size; i += step * FAULT_STRIDE) {
        const struct ets_bytes bytes = {after.data, after.size};
        after.data[i] ^= (uint8_t)(1u << i % 8);
        if (ets_program_init(&after.program, bytes, NULL) == ETS_OK) {
            const struct ets_program_side sides[2] = {{.program = &before.program},
                                                      {.program = &after.program}};
            compare_and_show(sides);
        }
        after.data[i] ^= (uint8_t)(1u << i % 8);
    }
    free(before.data);
    free(after.data);
}

/* Whatever is flipped in a program that still reads: it can be compared and shown. */
static void test_program_difference__any_change_can_be_shown(void **state)
{
    static const char *const names[] = {"schema/inline.pte", "made/add.pte", "state/own.pte",
                                        "cond/model.pte", "ptd/traces.pte"};
    (void)state;
    for (size_t n = 0; n < COUNT(names); n++) any_change_can_be_shown(names[n], 1);
}

static enum ets_status compare_all(const struct ets_allocator *allocator, size_t limit,
                                   const struct ets_program_side sides[2], struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_program_difference difference;
    struct ets_program_changes view;
    ets_arena_init(&arena, allocator, limit);
    enum ets_status status = ets_program_difference_find(&arena, sides, &difference, error);
    if (status == ETS_OK)
        status = ets_program_changes_collect(&arena, &difference, 3, &view, error);
    ets_arena_reset(&arena);
    return status;
}

static void compare_with_faults(const char *left, const char *right)
{
    struct copy before = load_fixture(left, 0), after = load_fixture(right, 0);
    struct ets_file *files[2] = {open_fixture(left, "model.etrecord"),
                                 open_fixture(right, "model.etrecord")};
    struct ets_etrecord *records[2] = {open_record(ets_file_bytes(files[0])),
                                       open_record(ets_file_bytes(files[1]))};
    struct ets_file *tested[2] = {open_fixture("mlp_portable", "model.bpte"),
                                  open_fixture("mlp_xnnpack", "model.bpte")};
    struct ets_bundle bundles[2];
    for (int s = 0; s < 2; s++) {
        assert_int_equal(ets_bundle_init(&bundles[s], ets_file_bytes(tested[s]), NULL), ETS_OK);
    }
    const struct ets_program_side sides[2] = {
        {.program = &before.program, .record = records[0], .bundle = &bundles[0]},
        {.program = &after.program, .record = records[1], .bundle = &bundles[1]}};
    enum ets_status status = ETS_NO_MEMORY;
    unsigned long refused = 0;
    for (size_t limit = 1; status == ETS_NO_MEMORY; limit += 32) { /* of what the arena gives out */
        struct failing failing = {.fail_at = ULONG_MAX};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.message = ""};
        status = compare_all(&allocator, limit, sides, &error);
        assert_int_equal(failing.live, 0);
        if (status != ETS_OK) assert_int_equal(error.status, status);
        refused += status != ETS_OK;
    }
    assert_int_equal(status, ETS_OK);
    assert_true(refused > 100);
    for (int s = 0; s < 2; s++) {
        ets_etrecord_close(records[s]);
        ets_file_close(files[s]);
        ets_file_close(tested[s]);
    }
    free(before.data);
    free(after.data);
}

static void test_program_difference__every_allocation_may_fail(void **state)
{
    (void)state;
    compare_with_faults("mlp_portable", "mlp_xnnpack");
    compare_with_faults("linear_fp32_xnnpack", "linear_int8_xnnpack");
}

/* Whatever is flipped in a program with a payload: its nodes can be compared and shown. */
static void test_program_difference__any_change_of_a_payload_can_be_shown(void **state)
{
    (void)state;
    any_change_can_be_shown("conv_xnnpack_int8/model.pte", 3);
    any_change_can_be_shown("mlp_xnnpack/model.pte", 1);
}

/* Whatever is flipped in a bundle that still reads: its test cases can be compared and shown. */
static void test_program_difference__any_change_of_test_cases_can_be_shown(void **state)
{
    struct ets_file *files[2] = {open_fixture("mlp_portable", "model.bpte"),
                                 open_fixture("mlp_xnnpack", "model.bpte")};
    (void)state;
    for (size_t n = 0; n < COUNT(files); n++) {
        const struct ets_bytes bytes = ets_file_bytes(files[n]);
        struct ets_bundle bundles[2];
        struct ets_program programs[2];
        uint8_t *data = malloc(bytes.size);
        assert_non_null(data);
        memcpy(data, bytes.data, bytes.size);
        assert_int_equal(ets_bundle_init(&bundles[0], bytes, NULL), ETS_OK);
        assert_int_equal(ets_program_init(&programs[0], bundles[0].program, NULL), ETS_OK);
        size_t shown = 0;
        for (size_t i = 0; i < bytes.size; i++) {
            data[i] ^= (uint8_t)(1u << i % 8);
            if (ets_bundle_init(&bundles[1], (struct ets_bytes){data, bytes.size}, NULL) ==
                    ETS_OK &&
                ets_program_init(&programs[1], bundles[1].program, NULL) == ETS_OK) {
                const struct ets_program_side sides[2] = {
                    {.program = &programs[0], .bundle = &bundles[0]},
                    {.program = &programs[1], .bundle = &bundles[1]}};
                compare_and_show(sides);
                shown++;
            }
            data[i] ^= (uint8_t)(1u << i % 8);
        }
        assert_true(shown > 1000);
        free(data);
    }
    for (size_t n = 0; n < COUNT(files); n++) ets_file_close(files[n]);
}

static void test_program_difference__another_programs_record_is_refused(void **state)
{
    (void)state;
    struct copy program = load_fixture("mlp_portable", 0);
    struct ets_file *file = open_fixture("gpt_portable", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    struct ets_error error = {.message = ""};
    assert_int_equal(ets_program_check_record(&program.program, record, &error), ETS_MISMATCH);
    assert_string_equal(
        error.message,
        "the ETRecord does not belong to this program: forward has instruction 105 in "
        "the record, but only 6 instructions in the program");
    ets_etrecord_close(record);
    ets_file_close(file);
    free(program.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program_difference__a_copy_has_no_changes),
        cmocka_unit_test(test_program_difference__a_copy_has_no_changes_by_debug_handle),
        cmocka_unit_test(test_program_difference__any_change_can_be_shown),
        cmocka_unit_test(test_program_difference__any_change_of_a_payload_can_be_shown),
        cmocka_unit_test(test_program_difference__any_change_of_test_cases_can_be_shown),
        cmocka_unit_test(test_program_difference__every_allocation_may_fail),
        cmocka_unit_test(test_program_difference__another_programs_record_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
