/* A log as the trace in it: cut anywhere, it gives what came before, and knows what is missing. */
#include <stdio.h>

#include "test_faults_support.h"

#include "dump/logged_dump.h"
#include "etscope/etdump.h"
#include "etscope/file.h"

static uint32_t events_of(struct ets_bytes bytes)
{
    struct ets_etdump dump;
    struct ets_etdump_run run;
    uint32_t events = 0;
    assert_int_equal(ets_etdump_init(&dump, bytes, NULL), ETS_OK);
    for (uint32_t i = 0; i < dump.run_count; i++) {
        ets_etdump_run(&dump, i, &run);
        events += run.event_count;
    }
    return events;
}

/* Events of the first `size` bytes of a log; `logged_out` without its dump. 0: nothing was found.
 */
static uint32_t read_part(struct ets_bytes log, size_t size, struct ets_logged_dump *logged_out)
{
    /* A copy of its own, so that a sanitizer sees what is read behind it. */
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, log.data, size);
    const enum ets_status status =
        ets_logged_dump_make((struct ets_bytes){copy, size}, logged_out, NULL);
    free(copy);
    if (status != ETS_OK) return 0;
    const uint32_t events = events_of(logged_out->dump);
    free((void *)(uintptr_t)logged_out->dump.data);
    return events;
}

static void test_logged_dump__a_stream_may_end_at_every_byte(void **state)
{
    static const char *const names[] = {"finished.bin", "uart.log"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        struct ets_file *file;
        struct ets_logged_dump logged;
        uint32_t events = 0;
        snprintf(path, sizeof path, TEST_DATA "/captures/%s", names[i]);
        assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
        const struct ets_bytes log = ets_file_bytes(file);
        for (size_t size = first_fault(i); size < log.size; size += FAULT_STRIDE) {
            const uint32_t now = read_part(log, size, &logged);
            assert_true(now >= events);
            assert_true(now == 0 || (logged.is_stream && !logged.has_end));
            events = now;
        }
        const uint32_t whole = read_part(log, log.size, &logged);
        assert_true(whole >= events && whole > 0);
        assert_int_equal(logged.traces, 1);
        assert_int_equal(logged.has_end, i == 0);
        assert_int_equal(logged.lost_frames, 0);
        ets_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logged_dump__a_stream_may_end_at_every_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
