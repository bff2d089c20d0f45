/* One recording: loads, generates at each depth, and keeps the times. */
#include "cli/generate/generate_plan.h"

#include <math.h>
#include <string.h>

#include "cli/core/interrupt.h"
#include "cli/core/progress.h"
#include "cli/generate/traced_tokens.h"
#include "cli/tokens/prompt_tokens.h"
#include "host/resident_memory.h"

/* The tokens of a generation on a terminal. */
struct shown {
    struct cli_progress progress;
    double all;
};

static bool is_stopped(void *context, uint32_t used)
{
    struct shown *shown = context;
    cli_progress_count(&shown->progress, "token", used, shown->all);
    return cli_interrupted() != 0;
}

int cli_generate_make_tests(struct cli_generate_plan *plan, uint32_t recordings)
{
    struct ets_generation_report *report = &plan->report;
    struct ets_arena *arena = &plan->arena;
    const uint32_t phases = plan->new_count > 0 ? 2 : 1;
    report->recordings = recordings;
    report->test_count = phases * plan->depths.count;
    report->tests = ets_arena_alloc_array(arena, report->test_count, sizeof *report->tests);
    double *numbers =
        ets_arena_alloc_array(arena, (size_t)report->test_count * recordings, 7 * sizeof *numbers);
    if (report->tests == NULL || numbers == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory for the times");
    }
    for (uint32_t i = 0; i < report->test_count; i++) {
        struct ets_generation_test *test = &report->tests[i];
        double **const of[] = {&test->total_ns,       &test->slope_ns,       &test->first_call_ns,
                               &test->median_call_ns, &test->first_token_ns, &test->cold_call_ns,
                               &test->cold_token_ns};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++, numbers += recordings) *of[k] = numbers;
        test->phase = i % phases == 0 ? ETS_PHASE_PREFILL : ETS_PHASE_DECODE;
        test->depth = plan->depths.items[i / phases];
        test->prompt = plan->prompt_count;
        test->is_cold = test->depth == 0 && !plan->warms_up;
        test->slope = (struct ets_slope){NAN, NAN, NAN};
    }
    return CLI_OK;
}

/* The array of --input number `index`, which stays open until the command ends. */
static int open_array(struct cli_generate_plan *plan, uint32_t index, const char *path,
                      struct ets_value *value_out)
{
    struct cli_arrays *arrays = &plan->arrays[index];
    int code = cli_arrays_open(path, arrays);
    plan->array_count = index + 1;
    if (code == CLI_OK && arrays->count != 1) {
        code = cli_complain(CLI_INPUT, "%s has %zu arrays: expected one for each input", path,
                            arrays->count);
    }
    value_out->kind = ETS_VALUE_TENSOR;
    return code == CLI_OK ? cli_arrays_read(arrays, 0, &value_out->as.tensor) : code;
}

/* "input 1 of encoder `what`" */
static enum ets_status refuse(struct ets_error *error, enum ets_status status, const char *what,
                              uint32_t input, const char *method)
{
    *error = (struct ets_error){.status = status, .offset = ETS_NO_OFFSET};
    snprintf(error->message, sizeof error->message, "input %u of %s %s", input, method, what);
    return status;
}

/* Random numbers from 0 to 1. */
static enum ets_status draw_values(struct cli_generate_plan *plan, const char *method,
                                   uint32_t input, const struct ets_engine_value_info *info,
                                   struct ets_value *value_out, struct ets_error *error)
{
    enum { STEPS = 1 << 16 };
    if (info->kind != ETS_VALUE_TENSOR || info->tensor.scalar_type != ETS_SCALAR_FLOAT) {
        return refuse(
            error, ETS_UNSUPPORTED,
            "is no float32 tensor, and only these are random: give it with --input FILE.npy", input,
            method);
    }
    const uint64_t count = ets_tensor_count(&info->tensor);
    int64_t *drawn = ets_arena_alloc_array(&plan->arena, (size_t)count, sizeof *drawn);
    uint8_t *bytes = ets_arena_alloc_array(&plan->arena, (size_t)count, sizeof(float));
    if (drawn == NULL || bytes == NULL) {
        return refuse(error, ETS_NO_MEMORY, "needs more memory than there is", input, method);
    }
    cli_random_tokens(plan->seed, STEPS, drawn, (size_t)count);
    for (uint64_t i = 0; i < count; i++) {
        const float number = (float)drawn[i] / STEPS;
        memcpy(bytes + i * sizeof number, &number, sizeof number);
    }
    *value_out = (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = info->tensor};
    ets_tensor_set_contiguous(&value_out->as.tensor);
    value_out->as.tensor.data = bytes;
    value_out->as.tensor.data_bytes = (size_t)count * sizeof(float);
    return ETS_OK;
}

/* The inputs of methods that feed others, in the order in which these run: files, then random. */
static enum ets_status give_input(void *context, const char *method, uint32_t input,
                                  const struct ets_engine_value_info *info,
                                  struct ets_value *value_out, struct ets_error *error)
{
    struct cli_generate_plan *plan = context;
    const char *path = cli_value_at(plan->arguments, "--input", plan->array_count);
    if (path == NULL) return draw_values(plan, method, input, info, value_out, error);
    if (plan->array_count == CLI_MOST_ARRAYS) {
        return refuse(error, ETS_LIMIT, "is one too many", input, method);
    }
    plan->code = open_array(plan, plan->array_count, path, value_out);
    return plan->code == CLI_OK ? ETS_OK : ETS_IO;
}

static void close_arrays(struct cli_generate_plan *plan)
{
    while (plan->array_count > 0) cli_arrays_close(&plan->arrays[--plan->array_count]);
}

/* The calls of a phase, alone. */
static const double *take_calls(struct cli_generate_plan *plan,
                                const struct ets_generation *generation,
                                enum ets_generation_phase phase)
{
    uint32_t count = 0;
    double *calls = ets_arena_alloc_array(&plan->arena, generation->call_count, sizeof *calls);
    for (uint32_t i = 0; calls != NULL && i < generation->call_count; i++) {
        const struct ets_generation_call *call = &generation->calls[i];
        if (call->phase == phase && !call->is_warm_up) calls[count++] = call->ns;
    }
    return calls;
}

/* The first calls of the method: those of the warm-up, or the measured ones. */
static void keep_cold(struct ets_generation_test *test, const struct ets_generation *generation)
{
    const struct ets_cold_times call = ets_cold_times_of(generation, test->phase);
    const struct ets_cold_times prompt = ets_cold_times_of(generation, ETS_PHASE_PREFILL);
    const struct ets_cold_times encode = ets_cold_times_of(generation, ETS_PHASE_ENCODE);
    test->cold_call_ns[0] = test->is_cold ? test->first_call_ns[0] : call.first_ns;
    test->cold_token_ns[0] = test->is_cold            ? test->first_token_ns[0]
                             : isnan(prompt.first_ns) ? NAN
                                                      : encode.total_ns + prompt.total_ns;
}

/* Fills the tests of one depth. */
static int keep(struct cli_generate_plan *plan, const struct ets_generation *generation,
                uint32_t depth)
{
    struct ets_generation_report *report = &plan->report;
    double first_token = 0;
    for (uint32_t i = 0; i < report->test_count; i++) {
        struct ets_generation_test *test = &report->tests[i];
        struct ets_phase_times times, encode;
        if (test->depth != depth || test->calls_ns != NULL) continue;
        test->calls_ns = take_calls(plan, generation, test->phase);
        if (test->calls_ns == NULL ||
            !ets_phase_times_of(generation, test->phase, &plan->arena, &times) ||
            !ets_phase_times_of(generation, ETS_PHASE_ENCODE, &plan->arena, &encode)) {
            return cli_complain(CLI_INTERNAL, "no memory for the times");
        }
        if (test->phase == ETS_PHASE_PREFILL) first_token = encode.total_ns + times.total_ns;
        test->tokens = times.tokens;
        test->call_count = times.calls;
        test->total_ns[0] = times.total_ns;
        test->slope_ns[0] = times.slope_ns.value;
        test->slope = times.slope_ns;
        test->first_call_ns[0] = times.first_ns;
        test->median_call_ns[0] = times.median_ns;
        test->first_token_ns[0] = first_token;
        keep_cold(test, generation);
        if (test->phase == ETS_PHASE_DECODE) {
            test->new_tokens = generation->new_tokens;
            test->new_count = generation->new_count;
        }
    }
    if (generation->end > report->used) report->used = generation->end;
    return CLI_OK;
}

static int open_program(struct cli_generate_plan *plan, bool is_first)
{
    struct cli_session *session = &plan->session;
    const unsigned threads = (unsigned)cli_number(plan->arguments, "--threads", 0);
    if (!is_first) cli_session_close_program(session);
    const uint64_t before = cli_now_ns();
    const int code = cli_session_program(session, threads);
    if (is_first) plan->report.program_ns = (double)(cli_now_ns() - before);
    return code;
}

/* One depth, in a program that was just opened: its caches are empty. */
static int run_depth(struct cli_generate_plan *plan, uint32_t index)
{
    struct cli_session *session = &plan->session;
    const uint32_t depth = plan->depths.items[index];
    struct ets_resident before, after;
    struct ets_generation generation;
    struct ets_error error;
    int64_t *tokens =
        ets_arena_alloc_array(&plan->arena, (size_t)depth + plan->prompt_count, sizeof *tokens);
    if (tokens == NULL) return cli_complain(CLI_INTERNAL, "no memory for the tokens");
    cli_random_tokens(plan->seed + 1, plan->model.vocabulary, tokens, depth);
    memcpy(tokens + depth, plan->prompt, plan->prompt_count * sizeof *tokens);
    const bool is_known = ets_resident_read(&before);
    int code = open_program(plan, index == 0);
    if (code != CLI_OK) return code;
    struct shown shown = {cli_progress_start(),
                          (double)depth + plan->prompt_count + plan->new_count};
    const struct ets_generation_options options = {.engine = session->engine,
                                                   .program = session->program,
                                                   .model = &plan->model,
                                                   .now_ns = cli_now_ns,
                                                   .is_stopped = is_stopped,
                                                   .stop_context = &shown,
                                                   .tokens = tokens,
                                                   .depth_count = depth,
                                                   .prompt_count = plan->prompt_count,
                                                   .new_count = plan->new_count,
                                                   .warms_up = plan->warms_up && depth == 0,
                                                   .input = give_input,
                                                   .input_context = plan};
    const enum ets_status status = ets_generation_run(&options, &plan->arena, &generation, &error);
    cli_progress_end(&shown.progress);
    close_arrays(plan);
    if (plan->code != CLI_OK) return plan->code; /* reported */
    if (status != ETS_OK) return cli_fail(session->path, &error);
    if (generation.is_stopped) {
        cli_note("interrupted after %u new token%s", generation.new_count,
                 generation.new_count == 1 ? "" : "s");
        if (generation.new_count == 0) return CLI_OK;
    }
    if (options.warms_up && generation.warm_up_next != generation.prompt_next) {
        return cli_complain(
            CLI_MISMATCH,
            "%s: after the warm-up the prompt gives another token: the model keeps "
            "a state that is no cache by position, or its logits vary; measure it with "
            "--no-warmup",
            session->path);
    }
    if (index == 0) plan->report.methods_ns = generation.load_ns;
    if (index == 0 && is_known && ets_resident_read(&after)) {
        plan->report.copied_bytes = after.own > before.own ? after.own - before.own : 0;
        plan->report.mapped_bytes = after.mapped > before.mapped ? after.mapped - before.mapped : 0;
    }
    if (session->wants_trace && !cli_tell_tokens(session, &generation)) {
        return cli_complain(CLI_INTERNAL, "no memory for the tokens of the trace");
    }
    return keep(plan, &generation, depth);
}

/* After a signal, the tests that have no calls. */
static void drop_unfinished(struct ets_generation_report *report)
{
    while (report->test_count > 0 && report->tests[report->test_count - 1].tokens == 0) {
        report->test_count--;
    }
}

int cli_generate_once(struct cli_generate_plan *plan)
{
    struct ets_resident resident;
    struct ets_generation_report *report = &plan->report;
    int code = cli_generate_make_tests(plan, 1);
    if (code == CLI_OK) code = cli_session_engine(&plan->session);
    if (code != CLI_OK) return code;
    report->runtime = plan->session.engine->runtime_version;
    cli_interrupt_begin();
    for (uint32_t i = 0; i < plan->depths.count && code == CLI_OK && cli_interrupted() == 0; i++) {
        code = run_depth(plan, i);
    }
    cli_interrupt_end();
    if (code != CLI_OK) return code;
    drop_unfinished(report);
    if (report->test_count == 0) {
        return cli_complain(CLI_SIGNAL + cli_interrupted(),
                            "interrupted before the first new token: there is nothing to show");
    }
    report->threads = (uint32_t)plan->session.engine->thread_count();
    report->peak_bytes = ets_resident_read(&resident) ? resident.peak : -1;
    return CLI_OK;
}
