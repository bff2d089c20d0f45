/*
 * Damaged programs. ExecuTorch checks much of a program only by assertions that end the process:
 * here they must end as errors. Each trial runs in a process of its own, since what the runtime
 * does not check at all may still fault: callers verify a program from elsewhere with program.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "test_engine_support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RAN = 0, REFUSED = 10, ABORTED = 11, SILENT = 12 };

/* Opens and runs `program` as far as it goes. */
static int try_program(struct ets_bytes program)
{
    const struct ets_engine_program_options options = {
        .program = program, .tracer = ETS_TRACER_UPSTREAM, .capture = ETS_CAPTURE_INTERMEDIATES};
    static const float zeros[64];
    struct ets_engine_program *opened;
    struct ets_engine_method *method;
    struct ets_engine_value_info info;
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    struct ets_error error = {.status = ETS_OK};
    struct ets_bytes dump, debug;
    if (engine->program_open(&options, &opened, &error) != ETS_OK) {
        return error.message[0] != '\0' ? REFUSED : SILENT;
    }
    enum ets_status status = engine->method_open(opened, "forward", &method, &error);
    if (status == ETS_OK) {
        status = engine->input_info(opened, "forward", 0, &info, &error);
        value.as.tensor = info.tensor;
        value.as.tensor.data = zeros;
        if (status == ETS_OK) status = engine->method_set_input(method, 0, &value, &error);
        if (status == ETS_OK) status = engine->method_execute(method, &error);
        engine->method_close(method);
    }
    if (status == ETS_OK) status = engine->trace_finish(opened, &dump, &debug, &error);
    engine->program_close(opened);
    if (status == ETS_OK) return RAN;
    if (error.message[0] == '\0') return SILENT;
    return strstr(error.message, "aborted") != NULL ? ABORTED : REFUSED;
}

/* The child's exit code, or minus the signal that ended it. */
static int try_in_child(struct ets_bytes program)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const int handled[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE}; /* by cmocka */
        for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++) signal(handled[i], SIG_DFL);
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDERR_FILENO);
        alarm(20);
        _exit(try_program(program));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_damage__assertions_of_the_runtime_are_errors(void **state)
{
    NEEDS_ENGINE();
#ifdef ETS_EMULATED
    SKIP_BECAUSE("an emulator cannot fork a process with threads");
#endif
    enum { FIRST = 64, LAST = 2048, STEP = 9 };
    struct ets_file *file = open_fixture("mlp_portable", "model.pte");
    const struct ets_bytes whole = ets_file_bytes(file);
    uint8_t *copy = malloc(whole.size);
    assert_non_null(copy);
    int aborted = 0, refused = 0;
    for (size_t at = FIRST; at < LAST && at < whole.size; at += STEP) {
        memcpy(copy, whole.data, whole.size);
        copy[at] ^= 1;
        const int result = try_in_child((struct ets_bytes){copy, whole.size});
        if (result == -SIGABRT || result == -SIGALRM || result == SILENT) {
            fail_msg("byte %zu: result %d", at, result);
        }
        aborted += result == ABORTED;
        refused += result == REFUSED;
    }
    assert_true(refused > 0);
    assert_true(aborted > 0);
    free(copy);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage__assertions_of_the_runtime_are_errors),
    };
    return cmocka_run_group_tests_name("engine_damage", tests, open_engine, close_engine);
}
