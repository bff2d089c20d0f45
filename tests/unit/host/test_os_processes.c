/* Other programs: what they are given, what they say, how they end. */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_processes.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/os/os_files.h"
#include "host/os/os_input.h"

static enum ets_os_end run(const char *script, const struct ets_os_streams *streams, int *code_out)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    struct ets_os_process process;
    assert_int_equal(ets_os_start(words, streams, &process), 0);
    assert_null(process.answer);
    assert_int_equal(process.feed, -1);
    return ets_os_wait(&process, true, code_out);
}

static void test_os_processes__tells_how_they_end(void **state)
{
    (void)state;
    const struct ets_os_streams quiet = {ets_os_null_device, ets_os_null_device, ets_os_null_device,
                                         false, false};
    int code = -1;
    assert_int_equal(run("exit 7", &quiet, &code), ETS_OS_EXITED);
    assert_int_equal(code, 7);
    assert_int_equal(run("kill -TERM $$", &quiet, &code), ETS_OS_SIGNALLED);
    assert_int_equal(code, SIGTERM);
}

static void test_os_processes__a_program_that_is_not_there(void **state)
{
    (void)state;
    static const char *const words[] = {"etscope-no-such-program", NULL};
    const struct ets_os_streams streams = {.has_feed = true, .has_answer = true};
    struct ets_os_process process;
    const int failed = ets_os_start(words, &streams, &process);
    if (failed != 0) {
        assert_int_equal(failed, ENOENT);
        return;
    }
    int code = 0; /* emulators tell it by how the process ends */
    fclose(process.answer);
    ets_os_close(process.feed);
    assert_int_equal(ets_os_wait(&process, true, &code), ETS_OS_EXITED);
    assert_int_equal(code, 127);
}

static void test_os_processes__words_arrive_as_they_are(void **state)
{
    (void)state;
    static const char *const words[] = {"printf", "%s|", "a b", "\"", "c\\", "", "*", NULL};
    const struct ets_os_streams streams = {.input = ets_os_null_device, .has_answer = true};
    struct ets_os_process process;
    char text[64] = "";
    int code = -1;
    assert_int_equal(ets_os_start(words, &streams, &process), 0);
    assert_non_null(fgets(text, sizeof text, process.answer));
    fclose(process.answer);
    assert_int_equal(ets_os_wait(&process, true, &code), ETS_OS_EXITED);
    assert_int_equal(code, 0);
    assert_string_equal(text, "a b|\"|c\\||*|");
}

static void test_os_processes__answers_are_output_and_messages(void **state)
{
    (void)state;
    static const char *const words[] = {"sh", "-c", "echo one; echo two >&2", NULL};
    const struct ets_os_streams streams = {.input = ets_os_null_device, .has_answer = true};
    struct ets_os_process process;
    char text[64] = "";
    int code = -1;
    assert_int_equal(ets_os_start(words, &streams, &process), 0);
    const size_t size = fread(text, 1, sizeof text - 1, process.answer);
    fclose(process.answer);
    assert_int_equal(ets_os_wait(&process, true, &code), ETS_OS_EXITED);
    assert_int_equal(size, 8);
    assert_string_equal(text, "one\ntwo\n");
}

static void test_os_processes__a_feed_ends_when_it_is_closed(void **state)
{
    (void)state;
    static const char *const words[] = {"sh", "-c", "cat; exit 5", NULL};
    const struct ets_os_streams streams = {.output = ets_os_null_device, .has_feed = true};
    struct ets_os_process process;
    int code = -1;
    assert_int_equal(ets_os_start(words, &streams, &process), 0);
    assert_int_equal(ets_os_wait(&process, false, &code), ETS_OS_RUNS);
    ets_os_close(process.feed);
    assert_int_equal(ets_os_wait(&process, true, &code), ETS_OS_EXITED);
    assert_int_equal(code, 5);
}

static void test_os_processes__a_stopped_one_ends(void **state)
{
    (void)state;
    static const char *const words[] = {"sleep", "60", NULL};
    const struct ets_os_streams streams = {.input = ets_os_null_device};
    struct ets_os_process process;
    int code = -1;
    assert_int_equal(ets_os_start(words, &streams, &process), 0);
    ets_os_stop(&process);
    assert_int_equal(ets_os_wait(&process, true, &code), ETS_OS_SIGNALLED);
    assert_int_equal(code, SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_os_processes__tells_how_they_end),
        cmocka_unit_test(test_os_processes__a_program_that_is_not_there),
        cmocka_unit_test(test_os_processes__words_arrive_as_they_are),
        cmocka_unit_test(test_os_processes__answers_are_output_and_messages),
        cmocka_unit_test(test_os_processes__a_feed_ends_when_it_is_closed),
        cmocka_unit_test(test_os_processes__a_stopped_one_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
