/* The file of a measured machine: written, read back, damaged. */
#include "test_inspect_support.h"

#include "output/text/machine_text.h"
#include "test_machine_support.h"

#include <math.h>

#define HEAD "{\"etscope_machine\": 1, \"roofs\": ["
#define ROOF "{\"program\": \"add\", \"threads\": 1, \"working_set_bytes\": 0, \"work\": 1, "

/* What is written of the machine, the caller's to free. */
static char *written(const struct ets_machine *machine)
{
    char path[] = "/tmp/etscope_machine.XXXXXX";
    struct ets_output *output;
    struct ets_file *file;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(ets_output_open(path, &output, NULL), ETS_OK);
    ets_machine_write(machine, output);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    const struct ets_bytes bytes = ets_file_bytes(file);
    char *text = calloc(1, bytes.size + 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    ets_file_close(file);
    unlink(path);
    return text;
}

static enum ets_status read_text(const char *text, struct ets_arena *arena,
                                 struct ets_machine *machine, struct ets_error *error)
{
    ets_arena_init(arena, NULL, 0);
    *error = (struct ets_error){.message = ""};
    return ets_machine_read((struct ets_bytes){(const uint8_t *)text, strlen(text)}, arena, machine,
                            error);
}

static void test_machine_file__reads_what_was_written(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_machine read;
    struct ets_error error;
    char *text = written(&made_machine);
    assert_int_equal(read_text(text, &arena, &read, &error), ETS_OK);
    assert_string_equal(read.cpu, made_machine.cpu);
    assert_string_equal(read.flags, "fpu avx2");
    assert_string_equal(read.governor, "");
    assert_string_equal(read.runtime, "1.5.1");
    assert_string_equal(read.date, "2026-11-23T03:30:00Z");
    assert_int_equal(read.cores, 4);
    assert_true(read.is_busy);
    assert_int_equal(read.roof_count, made_machine.roof_count);
    for (uint32_t i = 0; i < ETS_CACHE_LEVELS; i++) {
        assert_true(read.caches[i].bytes == made_machine.caches[i].bytes);
        assert_int_equal(read.caches[i].shared_by, made_machine.caches[i].shared_by);
    }
    for (uint32_t i = 0; i < read.roof_count; i++) {
        assert_int_equal(read.roofs[i].program, made_roofs[i].program);
        assert_int_equal(read.roofs[i].threads, made_roofs[i].threads);
        assert_true(read.roofs[i].working_set_bytes == made_roofs[i].working_set_bytes);
        assert_true(read.roofs[i].work == made_roofs[i].work);
        assert_true(read.roofs[i].time_ns == made_roofs[i].time_ns);
        assert_int_equal(read.roofs[i].runs, made_roofs[i].runs);
        assert_true(read.roofs[i].spread == made_roofs[i].spread);
    }
    ets_arena_reset(&arena);
    free(text);
}

static void test_machine_file__programs_of_later_versions_are_passed_over(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_machine read;
    struct ets_error error;
    const char *text = HEAD "{\"program\": \"int4\"}, " ROOF "\"time_ns\": 5, \"runs\": 1}]}";
    assert_int_equal(read_text(text, &arena, &read, &error), ETS_OK);
    assert_int_equal(read.roof_count, 1);
    assert_int_equal(read.roofs[0].program, ETS_ROOF_ADD);
    assert_string_equal(read.cpu, "");
    ets_arena_reset(&arena);
}

static void test_machine_file__a_spread_is_no_duty(void **state)
{
    (void)state;
    static const struct {
        const char *member;
        double spread;
    } cases[] = {{"", NAN},
                 {", \"spread\": 0", 0},
                 {", \"spread\": 0.25", 0.25},
                 {", \"spread\": -1", NAN},
                 {", \"spread\": -0.5", NAN},
                 {", \"spread\": Infinity", NAN},
                 {", \"spread\": \"much\"", NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct ets_arena arena;
        struct ets_machine read;
        struct ets_error error;
        snprintf(text, sizeof text, HEAD ROOF "\"time_ns\": 5, \"runs\": 1%s}]}", cases[i].member);
        assert_int_equal(read_text(text, &arena, &read, &error), ETS_OK);
        const double spread = read.roofs[0].spread;
        assert_true(isnan(cases[i].spread) ? isnan(spread) : spread == cases[i].spread);
        ets_arena_reset(&arena);
    }
}

static void test_machine_file__says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ets_status status;
        const char *words;
    } cases[] = {
        {"", ETS_MALFORMED, "no measured machine"},
        {"[]", ETS_WRONG_KIND, "etscope_machine"},
        {"{\"etscope_machine\": \"1\"}", ETS_WRONG_KIND, "etscope_machine"},
        {"{\"etscope_machine\": 2}", ETS_UNSUPPORTED, "version 2"},
        {"{\"etscope_machine\": 1}", ETS_MALFORMED, "\"roofs\" is no list"},
        {HEAD "5]}", ETS_MALFORMED, "roof 0: \"program\""},
        {HEAD ROOF "\"time_ns\": 5}]}", ETS_MALFORMED, "roof 0: \"runs\""},
        {HEAD ROOF "\"time_ns\": 0, \"runs\": 1}]}", ETS_MALFORMED, "roof 0: \"time_ns\""},
        {HEAD ROOF "\"time_ns\": -1, \"runs\": 1}]}", ETS_MALFORMED, "roof 0: \"time_ns\""},
        {HEAD ROOF "\"time_ns\": NaN, \"runs\": 1}]}", ETS_MALFORMED, "roof 0: \"time_ns\""},
        {HEAD ROOF "\"time_ns\": Infinity, \"runs\": 1}]}", ETS_MALFORMED, "\"time_ns\""},
        {HEAD "{\"program\": \"add\", \"threads\": 0}]}", ETS_MALFORMED,
         "roof 0: \"threads\" must be 1 to 65535"},
        {HEAD
         "{\"program\": \"add\", \"threads\": 1, \"working_set_bytes\": 18446744073709551615}]}",
         ETS_MALFORMED, "\"working_set_bytes\""},
        {"{\"etscope_machine\": 1, \"caches\": 3, \"roofs\": []}", ETS_MALFORMED, "\"caches\""},
        {"{\"etscope_machine\": 1, \"caches\": [{\"level\": 9}], \"roofs\": []}", ETS_MALFORMED,
         "cache 0: \"level\" must be 1 to 4"},
        {"{\"etscope_machine\": 1, \"caches\": [{\"level\": 1, \"bytes\": 0}], \"roofs\": []}",
         ETS_MALFORMED, "cache 0: \"bytes\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ets_arena arena;
        struct ets_machine read;
        struct ets_error error;
        const enum ets_status status = read_text(cases[i].text, &arena, &read, &error);
        if (status != cases[i].status || strstr(error.message, cases[i].words) == NULL) {
            fail_msg("%s: %s, %s", cases[i].text, ets_status_name(status), error.message);
        }
        ets_arena_reset(&arena);
    }
}

static void test_machine_file__ends_anywhere(void **state)
{
    (void)state;
    char *text = written(&made_machine);
    const size_t size = strlen(text);
    for (size_t end = 0; end < size - 2; end++) {
        struct ets_arena arena;
        struct ets_machine read;
        struct ets_error error = {.message = ""};
        ets_arena_init(&arena, NULL, 0);
        const struct ets_bytes part = {(const uint8_t *)text, end};
        assert_damage_told(ets_machine_read(part, &arena, &read, &error), &error, end);
        ets_arena_reset(&arena);
    }
    free(text);
}

static void test_machine_file__without_memory(void **state)
{
    (void)state;
    char *text = written(&made_machine);
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long fail_at = 0; status == ETS_NO_MEMORY; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_machine read;
        struct ets_error error = {.message = ""};
        ets_arena_init(&arena, &allocator, 0);
        status = ets_machine_read((struct ets_bytes){(const uint8_t *)text, strlen(text)}, &arena,
                                  &read, &error);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(fail_at < 1000);
    }
    assert_int_equal(status, ETS_OK);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_file__reads_what_was_written),
        cmocka_unit_test(test_machine_file__programs_of_later_versions_are_passed_over),
        cmocka_unit_test(test_machine_file__a_spread_is_no_duty),
        cmocka_unit_test(test_machine_file__says_what_is_wrong),
        cmocka_unit_test(test_machine_file__ends_anywhere),
        cmocka_unit_test(test_machine_file__without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
