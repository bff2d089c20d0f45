/*
 * The cost of tracing: a pair of runs, with and without it, of two programs that differ in nothing
 * else. Runs of one program with the tracer switched off would not do: a delegate's profiler runs
 * whenever there is a tracer.
 */
#include "cli/session/measure_tracing.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/interrupt.h"
#include "cli/core/progress.h"
#include "dump/extra_untraced.h"
#include "etscope/inspect.h"
#include "inspect/accounting/accounting.h"
#include "payload/payload_store.h"

enum { MOST_PAIRS = 200, LEAST_PAIRS = 12, WARM_UP = 3, MOST_PROGRAM_BYTES = 64 << 20 };
#define TIME_FOR_PAIRS_NS 0.3e9

/* The program once more. */
struct side {
    const struct ets_engine *engine;
    struct ets_engine_program *program;
    struct ets_engine_method *method;
};

static void close_side(struct side *side)
{
    side->engine->method_close(side->method);
    side->engine->program_close(side->program);
}

/* `data`: room for all data files of the session. */
static bool open_side(const struct cli_session *session, enum ets_engine_tracer tracer,
                      const char *method, const struct cli_model_inputs *inputs,
                      struct ets_bytes *data, struct side *side)
{
    for (size_t i = 0; i < session->data_file_count; i++) {
        data[i] = ets_file_bytes(session->data_files[i]);
    }
    const struct ets_engine_program_options options = {.program = session->model.bytes,
                                                       .data_files = data,
                                                       .data_file_count = session->data_file_count,
                                                       .tracer = tracer,
                                                       .threads = session->threads};
    *side = (struct side){.engine = session->engine};
    if (side->engine->program_open(&options, &side->program, NULL) != ETS_OK ||
        side->engine->method_open(side->program, method, &side->method, NULL) != ETS_OK) {
        return false;
    }
    for (size_t i = 0; i < inputs->count; i++) {
        if (side->engine->method_set_input(side->method, i, &inputs->values[i], NULL) != ETS_OK) {
            return false;
        }
    }
    return true;
}

/* The nanoseconds of one run; negative: it failed. */
static double run_once(const struct side *side)
{
    const uint64_t before = cli_now_ns();
    const enum ets_status status = side->engine->method_execute(side->method, NULL);
    return status == ETS_OK ? (double)(cli_now_ns() - before) : -1;
}

/* Which of a pair goes first changes from pair to pair. */
static bool run_pairs(const struct side sides[2], uint32_t pairs, double *differences)
{
    for (uint32_t i = 0; i < WARM_UP + pairs; i++) {
        double ns[2];
        const unsigned first = i % 2;
        ns[first] = run_once(&sides[first]);
        ns[1 - first] = run_once(&sides[1 - first]);
        if (ns[0] < 0 || ns[1] < 0 || cli_interrupted() != 0) return false;
        if (i >= WARM_UP) differences[i - WARM_UP] = ns[1] - ns[0];
    }
    return true;
}

static void keep(struct cli_session *session, const struct cli_summary *summary,
                 double *differences, uint32_t pairs)
{
    struct ets_statistics statistics;
    struct ets_spread spread;
    ets_statistics_compute(differences, pairs, &statistics);
    ets_spread_compute(differences, pairs, &spread);
    const struct ets_untraced_runs runs = {.method = {summary->method, strlen(summary->method)},
                                           .test_case = (int32_t)summary->test_case,
                                           .pairs = pairs,
                                           .median_ns = statistics.p50,
                                           .low_ns = spread.median_low,
                                           .high_ns = spread.median_high};
    (void)ets_untraced_runs_add(&session->told, &runs);
}

/* `summaries` share the time. */
static uint32_t count_pairs(const struct cli_summary *summary, size_t summaries)
{
    const double fit = TIME_FOR_PAIRS_NS / (double)summaries / (2 * summary->p50_ns);
    if (!(fit >= LEAST_PAIRS)) return 0; /* no time, or it is not known */
    return fit > MOST_PAIRS ? MOST_PAIRS : (uint32_t)fit;
}

/* A backend's own reports are what costs; where these are not foretold, it is not known whether a
 * program may be open more than once. */
static bool has_foretold_backends(const struct cli_session *session, const char *method)
{
    const char *backend;
    size_t count = 0;
    while ((backend = session->engine->method_backend(session->program, method, count)) != NULL) {
        if (ets_payload_knowledge(cli_text(backend)) != ETS_PAYLOAD_FORETOLD) return false;
        count++;
    }
    return count > 0;
}

static void measure(struct cli_session *session, const struct cli_summary *summary,
                    struct ets_bytes *data, double *differences)
{
    struct side sides[2] = {{.engine = session->engine}, {.engine = session->engine}};
    struct cli_model_inputs inputs;
    const uint32_t pairs = count_pairs(summary, session->summary_count);
    if (pairs == 0 || !has_foretold_backends(session, summary->method)) return;
    session->is_next_turn = true; /* where inputs come from was told */
    if (cli_model_inputs_open(session, summary->method, summary->test_case, &inputs) == CLI_OK &&
        open_side(session, ETS_TRACER_NONE, summary->method, &inputs, data, &sides[0]) &&
        open_side(session, ETS_TRACER_ETSCOPE, summary->method, &inputs, data, &sides[1]) &&
        run_pairs(sides, pairs, differences)) {
        keep(session, summary, differences, pairs);
    }
    close_side(&sides[0]);
    close_side(&sides[1]);
    cli_model_inputs_close(&inputs);
}

void cli_measure_tracing(struct cli_session *session)
{
    size_t bytes = session->model.bytes.size;
    for (size_t i = 0; i < session->data_file_count; i++) {
        bytes += ets_file_bytes(session->data_files[i]).size;
    }
    if (bytes > MOST_PROGRAM_BYTES || session->capture != ETS_CAPTURE_NONE ||
        session->counts_memory || cli_interrupted() != 0) {
        return;
    }
    struct ets_bytes *data = calloc(session->data_file_count + 1, sizeof *data);
    double *differences = calloc(MOST_PAIRS, sizeof *differences);
    cli_interrupt_begin(); /* a signal ends the measuring; what was recorded is still written */
    for (size_t i = 0; data != NULL && differences != NULL && i < session->summary_count; i++) {
        if (cli_interrupted() == 0) measure(session, &session->summaries[i], data, differences);
    }
    cli_interrupt_end();
    free(data);
    free(differences);
}
