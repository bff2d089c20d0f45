/* The numbers of captured values, or why there are none. */
#include "test_inspect_support.h"

#include "views/captured_statistics.h"

static const struct ets_captured_filter all = {ETS_NO_INDEX, ETS_NO_INDEX, ETS_NO_INDEX, 0, NULL};

static uint32_t count_state(const struct ets_inspection *inspection, struct ets_bytes buffer,
                            enum ets_numbers_state state)
{
    struct ets_captured_statistics numbers;
    struct ets_captured_line line;
    struct ets_arena arena;
    uint32_t count = 0;
    ets_arena_init(&arena, NULL, 0);
    ets_captured_statistics_init(&numbers, inspection, buffer, &all);
    while (ets_captured_statistics_next(&numbers, &arena, &line)) {
        count += line.numbers.state == state;
        assert_int_equal(line.numbers.is_known, line.numbers.state <= ETS_NUMBERS_REDUCED);
        assert_int_equal(line.numbers.reason.message[0] != '\0' && !line.numbers.is_known,
                         !line.numbers.is_known);
        assert_int_equal(line.block, ets_inspection_run(inspection, line.value.run)->block);
        assert_int_equal(line.row != NULL, line.value.row != ETS_NO_INDEX);
        ets_arena_reset(&arena);
    }
    assert_false(numbers.no_memory);
    return count;
}

static void captured_statistics__say_why_there_are_none(void **state)
{
    (void)state;
    struct ets_file *dump = open_fixture("mlp_xnnpack", "debug.etdp");
    struct ets_file *buffer = open_fixture("mlp_xnnpack", "debug.bin");
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(dump), (struct ets_inspect_options){.record = NULL});
    const struct ets_bytes whole = ets_file_bytes(buffer), part = {whole.data, 4};
    const struct ets_bytes none = {NULL, 0};
    const uint32_t known = count_state(inspection, whole, ETS_NUMBERS_OK);
    assert_true(known > 1);
    assert_int_equal(count_state(inspection, whole, ETS_NUMBERS_OUTSIDE), 0);
    assert_true(count_state(inspection, part, ETS_NUMBERS_OUTSIDE) > 0);
    assert_int_equal(count_state(inspection, part, ETS_NUMBERS_OK) +
                         count_state(inspection, part, ETS_NUMBERS_OUTSIDE),
                     known);
    assert_true(count_state(inspection, none, ETS_NUMBERS_NO_BUFFER) > 0);
    assert_true(ets_captured_survey(inspection, whole, &all).has_numbers);
    assert_false(ets_captured_survey(inspection, none, &all).has_numbers);
    ets_inspection_close(inspection);
    ets_file_close(buffer);
    ets_file_close(dump);
}

static void captured_statistics__names_are_those_of_the_table(void **state)
{
    (void)state;
    char hash[ETS_HASH_CHARS];
    ets_hash_print(0x0123456789abcdefu, hash);
    assert_memory_equal(hash, "0123456789abcdef", sizeof hash);
    assert_string_equal(ets_numbers_state_name(ETS_NUMBERS_MALFORMED), "malformed");
    assert_string_equal(ets_captured_kind_name(5), "tensor");
    assert_string_equal(ets_captured_kind_name(-1), "unknown");
    assert_string_equal(ets_captured_kind_name(8), "unknown");
    const struct ets_captured_value nothing = {.has_tensor = 0};
    assert_int_equal(ets_captured_bytes(&nothing), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_statistics__say_why_there_are_none),
        cmocka_unit_test(captured_statistics__names_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
