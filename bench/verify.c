/*
 * What checking outputs adds to running them: for every test case of the bundles that are named,
 * the time of a run on the engine beside the time of its verdict, which takes what `etscope verify`
 * takes: the outputs, error statistics, closeness, and units in the last place of each.
 *
 *     bench_verify tests/data/conv_xnnpack/model.bpte ...
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "etscope/engine.h"
#include "etscope/experimental/comparators.h"
#include "etscope/file.h"
#include "etscope/verify.h"

enum { ROUNDS = 200, OUTPUT_LIMIT = 16 };

/* Nanoseconds, the least of all rounds but for `load`, which is measured once. */
struct figures {
    double load; /* a method loaded for the case, with its first run */
    double run, check;
    bool all_close;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double less(double a, double b)
{
    return a < b ? a : b;
}

static void must(enum ets_status status, const struct ets_error *error)
{
    if (status == ETS_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static void run(const struct ets_engine *engine, struct ets_engine_method *method,
                const struct ets_bundle_case *test_case)
{
    struct ets_error error;
    for (uint32_t i = 0; i < test_case->input_count; i++) {
        struct ets_value value;
        ets_bundle_input(test_case, i, &value);
        must(engine->method_set_input(method, i, &value, &error), &error);
    }
    must(engine->method_execute(method, &error), &error);
}

/* Whether all outputs are as expected. */
static bool check(const struct ets_engine *engine, struct ets_engine_method *method,
                  const struct ets_bundle_suite *suite, const struct ets_bundle_case *test_case)
{
    struct ets_value outputs[OUTPUT_LIMIT] = {{.kind = ETS_VALUE_NONE}};
    struct ets_output_verdict verdicts[OUTPUT_LIMIT];
    struct ets_case_verdict verdict;
    struct ets_error error;
    const uint32_t count = test_case->expected_count;
    if (count > OUTPUT_LIMIT) exit(1);
    for (uint32_t i = 0; i < count; i++) {
        must(engine->method_get_output(method, i, &outputs[i], &error), &error);
    }
    must(ets_verify_case(suite, test_case, outputs, count, NULL, 0, verdicts, OUTPUT_LIMIT,
                         &verdict, &error),
         &error);
    for (uint32_t i = 0; i < count; i++) {
        struct ets_value expected;
        struct ets_ulps ulps;
        ets_bundle_expected(test_case, i, &expected);
        if (expected.kind != ETS_VALUE_TENSOR) continue;
        (void)ets_ulps_of(&expected.as.tensor, &outputs[i].as.tensor, &ulps, NULL);
    }
    return verdict.failed_count == 0;
}

static struct figures measure(const struct ets_engine *engine, struct ets_engine_program *program,
                              const struct ets_bundle_suite *suite, const char *name,
                              uint32_t index)
{
    struct figures figures = {.run = 1e300, .check = 1e300, .all_close = true};
    struct ets_engine_method *method;
    struct ets_bundle_case test_case;
    struct ets_error error;
    ets_bundle_case(suite, index, &test_case);
    const double load = now();
    must(engine->method_open(program, name, &method, &error), &error);
    run(engine, method, &test_case);
    figures.load = now() - load;
    figures.all_close = check(engine, method, suite, &test_case);
    for (int i = 0; i < ROUNDS; i++) {
        const double start = now();
        run(engine, method, &test_case);
        const double middle = now();
        (void)check(engine, method, suite, &test_case);
        const double end = now();
        figures.run = less(figures.run, middle - start);
        figures.check = less(figures.check, end - middle);
    }
    engine->method_close(method);
    return figures;
}

static void measure_bundle(const struct ets_engine *engine, const char *path)
{
    struct ets_file *file;
    struct ets_bundle bundle;
    struct ets_engine_program *program;
    struct ets_error error;
    must(ets_file_open(path, &file, &error), &error);
    must(ets_bundle_init(&bundle, ets_file_bytes(file), &error), &error);
    const struct ets_engine_program_options options = {.program = bundle.program};
    must(engine->program_open(&options, &program, &error), &error);
    for (uint32_t s = 0; s < bundle.suite_count; s++) {
        struct ets_bundle_suite suite;
        char name[64];
        ets_bundle_suite(&bundle, s, &suite);
        snprintf(name, sizeof name, "%.*s", (int)suite.method_name.size, suite.method_name.data);
        for (uint32_t i = 0; i < suite.case_count; i++) {
            const struct figures f = measure(engine, program, &suite, name, i);
            printf("%-40s %10.1f %10.1f %8.2f %7.1f %% %7.2f %%  %s\n", path, f.load / 1e3,
                   f.run / 1e3, f.check / 1e3, 100 * f.check / f.run, 100 * f.check / f.load,
                   f.all_close ? "close" : "different");
        }
    }
    engine->program_close(program);
    ets_file_close(file);
}

int main(int count, char **paths)
{
    const struct ets_engine *engine;
    struct ets_engine_library *library;
    struct ets_error error;
    must(ets_engine_open(NULL, &library, &engine, &error), &error);
    printf("%-40s %10s %10s %8s %9s %9s\n", "a test case, in us", "load, run", "run", "check",
           "of run", "of both");
    for (int i = 1; i < count; i++) measure_bundle(engine, paths[i]);
    ets_engine_close(library);
    return 0;
}
