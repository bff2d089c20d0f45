/* Runs a model: opens the engine, program and inputs, runs, and writes the files. */
#define _POSIX_C_SOURCE 200809L
#include "cli/session/session.h"
#include "cli/session/compared_outputs.h"
#include "cli/session/crash.h"
#include "cli/session/tapped_session.h"
#include "cli/session/tell_device.h"
#include "host/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/bounds.h"
#include "cli/core/interrupt.h"
#include "cli/session/measure_tracing.h"
#include "cli/session/print_outputs.h"
#include "cli/session/python_libraries.h"
#include "etscope/inspect.h"
#include "record/numpy.h"

/* Opens an output early, so that errors are reported before anything runs. */
static int hold_output(struct cli_session *session, const char *path)
{
    struct ets_error error;
    struct cli_kept_file *kept =
        realloc(session->kept, (session->kept_count + 1) * sizeof *session->kept);
    if (kept == NULL) return cli_complain(CLI_INTERNAL, "%s: no memory to write it", path);
    session->kept = kept;
    kept += session->kept_count;
    *kept = (struct cli_kept_file){.output = NULL};
    if (ets_output_open(path, &kept->output, &error) != ETS_OK) {
        return cli_fail_output(path, &error);
    }
    snprintf(kept->path, sizeof kept->path, "%s", path);
    session->kept_count++;
    return CLI_OK;
}

static struct cli_kept_file *find_held(const struct cli_session *session, const char *path)
{
    for (size_t i = 0; i < session->kept_count; i++) {
        struct cli_kept_file *kept = &session->kept[i];
        if (!kept->is_written && strcmp(kept->path, path) == 0) return kept;
    }
    return NULL;
}

int cli_session_keep(struct cli_session *session, const char *path, const struct ets_bytes *parts,
                     size_t part_count)
{
    if (find_held(session, path) == NULL) {
        const int code = hold_output(session, path);
        if (code != CLI_OK) return code;
    }
    struct cli_kept_file *kept = find_held(session, path);
    if (kept == NULL) return cli_complain(CLI_USAGE, "%s: the path is too long", path);
    for (size_t i = 0; i < part_count; i++) {
        ets_output_write(kept->output, parts[i].data, parts[i].size);
    }
    kept->is_written = true;
    return CLI_OK;
}

int cli_session_commit(struct cli_session *session)
{
    for (size_t i = 0; i < session->kept_count; i++) {
        struct ets_error error;
        struct ets_output *output = session->kept[i].output;
        session->kept[i].output = NULL;
        if (output == NULL) continue; /* committed before */
        if (!session->kept[i].is_written) {
            ets_output_discard(output);
        } else if (ets_output_commit(output, &error) != ETS_OK) {
            return cli_fail_output(session->kept[i].path, &error);
        }
    }
    return CLI_OK;
}

static int load_library(const struct ets_engine *engine, const char *path)
{
    size_t kernels, backends;
    struct ets_error error;
    if (engine->load_library(path, &kernels, &backends, &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    cli_note("%s: %zu kernels and %zu backends added", path, kernels, backends);
    return CLI_OK;
}

int cli_session_engine(struct cli_session *session)
{
    struct ets_error error;
    const char *engine_path = cli_value(session->arguments, "--engine");
    if (ets_engine_open(engine_path, &session->library, &session->engine, &error) != ETS_OK) {
        return cli_fail(engine_path, &error);
    }
    struct cli_python_libraries python = {.count = 0};
    int code = cli_has(session->arguments, "--tokenizer")
                   ? CLI_OK /* --python is for that one */
                   : cli_python_libraries(session->arguments, &python);
    for (unsigned i = 0; code == CLI_OK && i < python.count; i++) {
        code = load_library(session->engine, python.paths[i]);
    }
    const char *path;
    for (unsigned i = 0;
         code == CLI_OK && (path = cli_value_at(session->arguments, "--load-library", i)) != NULL;
         i++) {
        code = load_library(session->engine, path);
    }
    return code;
}

static const char *data_option(const struct cli_session *session)
{
    return session->data_option != NULL ? session->data_option : "--data";
}

static int open_data_files(struct cli_session *session, struct ets_bytes *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *path = cli_value_at(session->arguments, data_option(session), (unsigned)i);
        struct ets_error error;
        if (cli_file_open(path, &session->data_files[i], &error) != ETS_OK) {
            return cli_fail(path, &error);
        }
        session->data_file_count++;
        bytes[i] = ets_file_bytes(session->data_files[i]);
    }
    return CLI_OK;
}

static enum ets_engine_tracer choose_tracer(const struct cli_session *session)
{
    const char *name = cli_value(session->arguments, "--tracer");
    if (!session->wants_trace) return ETS_TRACER_NONE;
    return name != NULL && strcmp(name, "upstream") == 0 ? ETS_TRACER_UPSTREAM : ETS_TRACER_ETSCOPE;
}

/* What the trace states about the model; ExecuTorch's tracer cannot store it. */
static struct ets_bytes take_fingerprint(struct cli_session *session)
{
    if (choose_tracer(session) != ETS_TRACER_ETSCOPE) return (struct ets_bytes){NULL, 0};
    const uint64_t number = ets_program_fingerprint(&session->model.program);
    for (size_t i = 0; i < sizeof session->fingerprint; i++) {
        session->fingerprint[i] = (uint8_t)(number >> 8 * i);
    }
    return (struct ets_bytes){session->fingerprint, sizeof session->fingerprint};
}

static struct ets_bytes chosen_program(const struct cli_session *session)
{
    if (session->changed.size > 0) return session->changed;
    if (session->tapped != NULL && !session->is_plain) return cli_tapped_program(session->tapped);
    return session->model.bytes;
}

int cli_session_program(struct cli_session *session, unsigned threads)
{
    const size_t count = cli_value_count(session->arguments, data_option(session));
    struct ets_bytes *data = calloc(count + 1, sizeof *data);
    session->data_files = calloc(count + 1, sizeof *session->data_files);
    if (data == NULL || session->data_files == NULL) {
        free(data);
        return cli_complain(CLI_INTERNAL, "no memory to open the program");
    }
    int code = open_data_files(session, data, count);
    session->threads = threads;
    const struct ets_engine_program_options options = {
        .program = chosen_program(session),
        .data_files = data,
        .data_file_count = count,
        .tracer = choose_tracer(session),
        .capture = session->capture,
        .debug_buffer_bytes = session->debug_buffer_bytes,
        .threads = threads,
        .fingerprint = take_fingerprint(session),
        .count_memory = session->counts_memory,
    };
    struct ets_error error;
    if (code == CLI_OK &&
        session->engine->program_open(&options, &session->program, &error) != ETS_OK) {
        code = cli_fail(session->path, &error);
    }
    free(data);
    cli_crash_watch(session->engine, &session->model.program, session->path, session->wants_trace);
    return code;
}

/* Test case number `index` of --case; -1 past the end. */
static long long case_at(const struct cli_arguments *arguments, unsigned index)
{
    const char *value = cli_value_at(arguments, "--case", index);
    return value == NULL ? -1 : strtoll(value, NULL, 10);
}

/* Whether the values within delegates are asked for. */
static bool wants_delegates(const struct cli_arguments *arguments)
{
    const char *capture = cli_value(arguments, "--capture");
    return capture != NULL && strcmp(capture, "delegates") == 0;
}

static int check_delegates(const struct cli_session *session)
{
    const struct cli_arguments *arguments = session->arguments;
    if (!wants_delegates(arguments)) {
        if (!cli_has(arguments, "--strict")) return CLI_OK;
        return cli_complain(CLI_USAGE, "--strict needs --capture delegates");
    }
    if (strcmp(arguments->command->name, "run") != 0) {
        return cli_complain(CLI_USAGE,
                            "--capture delegates is for run: times of a run that hands out values "
                            "from within delegates are not the model's");
    }
    if (cli_has(arguments, "--time") || cli_has(arguments, "--until-sure")) {
        return cli_complain(CLI_USAGE, "--capture delegates needs a number of runs: --runs N");
    }
    if (choose_tracer(session) != ETS_TRACER_ETSCOPE) {
        return cli_complain(CLI_USAGE,
                            "--capture delegates needs etscope's tracer, whose trace says "
                            "which values they are");
    }
    return CLI_OK;
}

/* Checks for options that contradict each other. */
static int check(const struct cli_session *session)
{
    const struct cli_arguments *arguments = session->arguments;
    if (session->capture != ETS_CAPTURE_NONE && !cli_has(arguments, "--debug-buffer")) {
        return cli_complain(CLI_USAGE, "--capture needs --debug-buffer FILE for the tensors");
    }
    if (session->capture == ETS_CAPTURE_NONE && cli_has(arguments, "--debug-buffer")) {
        return cli_complain(CLI_USAGE,
                            "--debug-buffer needs --capture outputs, intermediates or delegates");
    }
    if (session->counts_memory && choose_tracer(session) != ETS_TRACER_ETSCOPE) {
        return cli_complain(CLI_USAGE, "--memory needs etscope's tracer, whose trace keeps it%s",
                            session->wants_trace ? "" : ": -o FILE");
    }
    if (!session->wants_trace && session->capture != ETS_CAPTURE_NONE) {
        return cli_complain(CLI_USAGE, "--capture needs a trace: -o FILE");
    }
    const char *trace = cli_value(arguments, "--output");
    const char *debug = cli_value(arguments, "--debug-buffer");
    if (trace != NULL && debug != NULL && strcmp(trace, debug) == 0) {
        return cli_complain(CLI_USAGE, "the trace and the captured tensors need different files");
    }
    if (session->capture == ETS_CAPTURE_NONE && cli_has(arguments, "--debug-buffer-size")) {
        return cli_complain(CLI_USAGE,
                            "--debug-buffer-size needs --capture outputs, intermediates or "
                            "delegates");
    }
    int code = check_delegates(session);
    if (code == CLI_OK) code = cli_check_stdin(arguments);
    return code == CLI_OK ? cli_model_inputs_check(arguments) : code;
}

int cli_session_start(struct cli_session *session, unsigned threads)
{
    const int code = cli_session_engine(session);
    return code == CLI_OK ? cli_session_program(session, threads) : code;
}

/* For --inputs etrecord: the ETRecord beside the program. */
static int open_sibling_record(struct cli_session *session)
{
    char path[CLI_SIBLING_BYTES];
    if (session->record.record != NULL || !cli_sibling_path(session->path, ".etrecord", path)) {
        return CLI_OK;
    }
    char *name = strdup(path); /* the record keeps it */
    if (name == NULL) return cli_complain(CLI_INTERNAL, "no memory for a name");
    const int code = cli_record_open(name, &session->record);
    session->record.path = name;
    if (code == CLI_OK) cli_note("using %s beside the program", path);
    return code;
}

int cli_session_prepare(const struct cli_arguments *arguments, bool wants_trace, uint32_t runs,
                        uint32_t warmup, struct cli_session *session)
{
    *session = (struct cli_session){.arguments = arguments,
                                    .wants_trace = wants_trace,
                                    .counts_memory = cli_has(arguments, "--memory")};
    if (arguments->word_count != 1) {
        return cli_complain(CLI_USAGE, "%s needs one program: etscope %s model.pte",
                            arguments->command->name, arguments->command->name);
    }
    session->path = arguments->words[0];
    int code = cli_run_limits_read(arguments, runs, &session->limits);
    if (code != CLI_OK) return code;
    session->warmup = (uint32_t)cli_number(arguments, "--warmup", warmup);
    session->capture = wants_delegates(arguments) ? ETS_CAPTURE_INTERMEDIATES
                                                  : (enum ets_engine_capture)cli_choice(
                                                        arguments, "--capture", ETS_CAPTURE_NONE);
    session->debug_buffer_bytes = cli_bytes(arguments, "--debug-buffer-size", 0);
    code = check(session);
    if (code == CLI_OK) code = cli_program_open(session->path, &session->model);
    if (code == CLI_OK)
        code = cli_record_open(cli_value(arguments, "--etrecord"), &session->record);
    if (code == CLI_OK && cli_wants_record_inputs(arguments)) code = open_sibling_record(session);
    if (code == CLI_OK && wants_delegates(arguments)) {
        code = cli_tapped_open(session, &session->tapped);
    }
    return code;
}

int cli_session_open(const struct cli_arguments *arguments, bool wants_trace, uint32_t runs,
                     uint32_t warmup, struct cli_session *session)
{
    const unsigned threads = (unsigned)cli_number(arguments, "--threads", 0);
    const int code = cli_session_prepare(arguments, wants_trace, runs, warmup, session);
    if (wants_trace) ets_device_read_moment("", &session->before);
    if (code != CLI_OK) return code != CLI_OK ? code : CLI_USAGE;
    return cli_session_start(session, threads);
}

void cli_session_close_program(struct cli_session *session)
{
    cli_crash_forget();
    if (session->program != NULL) session->engine->program_close(session->program);
    for (size_t i = 0; i < session->data_file_count; i++) ets_file_close(session->data_files[i]);
    free(session->data_files);
    free(session->summaries);
    free(session->grown_trace);
    session->grown_trace = NULL;
    ets_extra_growth_close(&session->told);
    session->program = NULL;
    session->data_files = NULL;
    session->data_file_count = 0;
    session->summaries = NULL;
}

void cli_session_close(struct cli_session *session)
{
    cli_session_close_program(session);
    ets_engine_close(session->library);
    for (size_t i = 0; i < session->kept_count; i++) ets_output_discard(session->kept[i].output);
    free(session->kept);
    cli_tapped_close(session->tapped);
    cli_record_close(&session->record);
    cli_program_close(&session->model);
}

/* "decode, prefill": the methods' names, as many as fit, and the number of the others. */
static void list_methods(const struct cli_session *session, char *list, size_t room)
{
    const size_t count = session->engine->method_count(session->program);
    const size_t rest = sizeof " and 4294967295 more";
    size_t used = 0;
    *list = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *name = session->engine->method_name(session->program, i);
        const bool fits = used + strlen(name) + rest < room;
        const char *comma = i > 0 ? ", " : "";
        if (!fits) snprintf(list + used, room - used, " and %zu more", count - i);
        if (!fits) return;
        used += (size_t)snprintf(list + used, room - used, "%s%s", comma, name);
    }
}

/* The only method, or "forward", like the runtime's tools. */
static int default_method(const struct cli_session *session, const char **name_out)
{
    const size_t count = session->engine->method_count(session->program);
    char list[256];
    for (size_t i = 0; i < count; i++) {
        const char *name = session->engine->method_name(session->program, i);
        if (count == 1 || strcmp(name, "forward") == 0) {
            *name_out = name;
            return CLI_OK;
        }
    }
    list_methods(session, list, sizeof list);
    return cli_complain(CLI_USAGE, "%s has no method forward; choose one with --method: %s",
                        session->path, list);
}

/* The formats of saved outputs. */
static const struct output_form {
    const char *option, *before, *ending; /* of the output's number */
    bool has_header;
} output_forms[] = {{"--outputs", ".", ".npy", true}, {"--output-file", "-", ".bin", false}};

enum { OUTPUT_FORMS = sizeof output_forms / sizeof *output_forms };

/* PREFIX.N.npy, or for several methods or cases PREFIX.METHOD.CASE.N.npy. */
static int name_output(const struct cli_session *session, const struct output_form *form,
                       const char *method, long long test_case, size_t index,
                       char path[CLI_PATH_BYTES])
{
    const struct cli_arguments *arguments = session->arguments;
    const bool has_methods = cli_value_at(arguments, "--method", 1) != NULL;
    const bool has_cases = cli_value_at(arguments, "--case", 1) != NULL;
    char number[32] = "";
    if (has_cases) snprintf(number, sizeof number, ".%lld", test_case);
    char name[CLI_PATH_BYTES];
    snprintf(name, sizeof name, "%s%s%s%s%zu%s", has_methods ? "." : "", has_methods ? method : "",
             number, form->before, index, form->ending);
    const char *prefix = cli_value(arguments, form->option);
    const size_t size = strlen(prefix);
    const bool is_folder = size > 0 && prefix[size - 1] == '/'; /* no hidden files in it */
    const int length = snprintf(path, CLI_PATH_BYTES, "%s%s", prefix, name + is_folder);
    if (length >= 0 && length < CLI_PATH_BYTES) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s is too long", form->option);
}

static int hold_outputs_of(struct cli_session *session, const struct output_form *form,
                           const char *method, long long test_case)
{
    struct ets_engine_method_info info;
    struct ets_error error;
    if (session->engine->method_info(session->program, method, &info, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    int code = CLI_OK;
    for (size_t i = 0; i < info.output_count && code == CLI_OK; i++) {
        struct ets_engine_value_info value;
        char path[CLI_PATH_BYTES];
        if (session->engine->output_info(session->program, method, i, &value, NULL) != ETS_OK ||
            value.kind != ETS_VALUE_TENSOR) {
            continue;
        }
        code = name_output(session, form, method, test_case, i, path);
        if (code == CLI_OK) code = hold_output(session, path);
    }
    return code;
}

/* Method number `index` of those to run, NULL past the end. */
static const char *method_at(const struct cli_session *session, unsigned index)
{
    const char *name = cli_value_at(session->arguments, "--method", index);
    return name == NULL && index == 0 ? session->default_method : name;
}

static int hold_outputs(struct cli_session *session)
{
    const struct cli_arguments *arguments = session->arguments;
    const char *paths[] = {session->wants_trace ? cli_value(arguments, "--output") : NULL,
                           cli_value(arguments, "--debug-buffer")};
    int code = CLI_OK;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && code == CLI_OK; i++) {
        if (paths[i] != NULL) code = hold_output(session, paths[i]);
    }
    for (size_t f = 0; f < OUTPUT_FORMS; f++) {
        const struct output_form *form = &output_forms[f];
        if (!cli_has(arguments, form->option)) continue;
        for (unsigned m = 0; code == CLI_OK && method_at(session, m) != NULL; m++) {
            unsigned c = 0;
            do {
                code = hold_outputs_of(session, form, method_at(session, m), case_at(arguments, c));
            } while (code == CLI_OK && case_at(arguments, ++c) >= 0);
        }
    }
    return code;
}

static int keep_output(struct cli_session *session, const struct output_form *form,
                       const char *path, const struct ets_tensor *tensor)
{
    uint8_t header[ETS_NPY_HEADER_BYTES];
    size_t header_bytes = 0;
    struct ets_error error;
    if (form->has_header &&
        ets_npy_write_header(tensor, header, sizeof header, &header_bytes, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    const struct ets_bytes parts[] = {{header, header_bytes}, {tensor->data, tensor->data_bytes}};
    return cli_session_keep(session, path, parts, 2);
}

/* Writes and prints output `index`, as requested. */
static int hand_out(struct cli_session *session, const char *method, long long test_case,
                    size_t index, const struct ets_value *value)
{
    char path[CLI_PATH_BYTES];
    int code = CLI_OK;
    bool is_left_out = false;
    for (size_t f = 0; f < OUTPUT_FORMS && code == CLI_OK; f++) {
        const struct output_form *form = &output_forms[f];
        if (!cli_has(session->arguments, form->option)) continue;
        is_left_out = value->kind != ETS_VALUE_TENSOR;
        if (is_left_out) continue;
        code = name_output(session, form, method, test_case, index, path);
        if (code == CLI_OK) code = keep_output(session, form, path, &value->as.tensor);
    }
    if (is_left_out) cli_note("output %zu is not a tensor and was not written", index);
    if (code != CLI_OK || !cli_wants_outputs_printed(session->arguments)) return code;
    return cli_print_output(session->arguments, method, test_case, index, value);
}

static int keep_outputs(struct cli_session *session, struct ets_engine_method *method,
                        const char *name, long long test_case)
{
    struct ets_engine_method_info info;
    struct ets_error error;
    static const char *const options[] = {"--outputs", "--output-file", "--print-outputs", NULL};
    if (cli_first_given(session->arguments, options) == NULL) return CLI_OK;
    if (session->engine->method_info(session->program, name, &info, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    int code = CLI_OK;
    for (size_t i = 0; i < info.output_count && code == CLI_OK; i++) {
        struct ets_value value;
        code = session->engine->method_get_output(method, i, &value, &error) == ETS_OK
                   ? hand_out(session, name, test_case, i, &value)
                   : cli_fail(session->path, &error);
    }
    return code;
}

static int set_inputs(const struct cli_session *session, struct ets_engine_method *method,
                      const char *name, const struct cli_model_inputs *inputs)
{
    struct ets_engine_method_info info;
    struct ets_error error;
    if (session->engine->method_info(session->program, name, &info, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    if (inputs->count != info.input_count) {
        const bool is_several = info.input_count > 0 && inputs->count > info.input_count &&
                                inputs->count % info.input_count == 0;
        return cli_complain(CLI_USAGE, "%s: %s takes %zu input%s, not %zu%s", session->path, name,
                            info.input_count, info.input_count == 1 ? "" : "s", inputs->count,
                            is_several ? ": all runs are of the same inputs" : "");
    }
    for (size_t i = 0; i < inputs->count; i++) {
        if (session->engine->method_set_input(method, i, &inputs->values[i], &error) != ETS_OK) {
            return cli_fail(session->path, &error);
        }
    }
    return CLI_OK;
}

static int add_summary(struct cli_session *session, const char *method, long long test_case,
                       const struct cli_timed_runs *runs)
{
    struct ets_statistics s;
    struct cli_summary *grown =
        realloc(session->summaries, (session->summary_count + 1) * sizeof *session->summaries);
    if (grown == NULL) return cli_complain(CLI_INTERNAL, "no memory for the times");
    session->summaries = grown;
    ets_statistics_compute(runs->ns, runs->count, &s);
    grown[session->summary_count++] = (struct cli_summary){.method = method,
                                                           .test_case = test_case,
                                                           .runs = runs->count,
                                                           .p50_ns = s.p50,
                                                           .min_ns = s.min,
                                                           .max_ns = s.max};
    return CLI_OK;
}

static int warm_up(struct cli_session *session, struct ets_engine_method *method)
{
    const struct cli_run_limits limits = {
        .runs = session->warmup, .time_ns = INFINITY, .is_runs_chosen = true};
    struct cli_timed_runs runs;
    session->engine->trace_enable(session->program, 0);
    const int code = cli_timed_runs_execute(session->engine, session->program, method, &limits,
                                            session->path, "warm-up run", &runs);
    session->engine->trace_enable(session->program, 1);
    cli_timed_runs_reset(&runs);
    return code;
}

/* The recorded runs, until their limit or a signal; keeps the last outputs. */
static int record_runs(struct cli_session *session, struct ets_engine_method *method,
                       const char *name, long long inputs_case, long long test_case)
{
    struct cli_timed_runs runs;
    int code = cli_timed_runs_execute(session->engine, session->program, method, &session->limits,
                                      session->path, "run", &runs);
    session->is_unsure |= runs.is_unsure;
    if (code == CLI_OK && runs.count > 0) {
        code = add_summary(session, name, inputs_case, &runs);
        if (code == CLI_OK && session->tapped != NULL) {
            code = cli_tapped_see(session->tapped, session, method, name);
        }
        if (code == CLI_OK && session->outputs != NULL) {
            code = cli_compared_outputs_see(session->outputs, session->engine, session->program,
                                            method, name, session->path);
        }
        if (code == CLI_OK && !session->is_plain) {
            code = keep_outputs(session, method, name, test_case);
        }
    }
    cli_timed_runs_reset(&runs);
    return code;
}

/* Runs warm-up, then the recorded runs, on one set of inputs. */
static int run_case(struct cli_session *session, struct ets_engine_method *method, const char *name,
                    long long test_case)
{
    struct cli_model_inputs inputs;
    int code = cli_model_inputs_open(session, name, test_case, &inputs);
    if (code == CLI_OK) code = set_inputs(session, method, name, &inputs);
    if (code == CLI_OK && session->wants_trace &&
        !ets_extra_inputs_add(&session->told, name, (int32_t)inputs.test_case, inputs.values,
                              inputs.count, session->capture != ETS_CAPTURE_NONE)) {
        code = cli_complain(CLI_INTERNAL, "no memory for the inputs of %s", name);
    }
    session->engine->trace_set_case(session->program, (int32_t)inputs.test_case);
    if (code == CLI_OK && session->warmup > 0) code = warm_up(session, method);
    if (code == CLI_OK && cli_interrupted() == 0) {
        code = record_runs(session, method, name, inputs.test_case, test_case);
    }
    session->engine->trace_set_case(session->program, -1);
    cli_model_inputs_close(&inputs);
    return code;
}

int cli_session_method(struct cli_session *session, const char *name)
{
    struct ets_engine_method *method;
    struct ets_error error;
    if (session->engine->method_open(session->program, name, &method, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    int code = CLI_OK;
    unsigned c = 0;
    do {
        code = run_case(session, method, name, case_at(session->arguments, c));
    } while (code == CLI_OK && cli_interrupted() == 0 && case_at(session->arguments, ++c) >= 0);
    session->engine->method_close(method);
    return code;
}

/* Reports everything that the tracer could not keep. */
static void report_drops(struct cli_session *session)
{
    struct ets_engine_trace_statistics s;
    session->engine->trace_statistics(session->program, &s);
    if (s.dropped_type_count > 0) {
        cli_note(
            "%llu values were not captured: the tracer does not support their type (first: %s, "
            "instruction %d)%s",
            (unsigned long long)s.dropped_type_count, s.first_dropped, s.first_dropped_instruction,
            choose_tracer(session) == ETS_TRACER_UPSTREAM ? "; --tracer etscope does" : "");
    }
    if (s.dropped_space_count > 0) {
        session->is_incomplete = true;
        cli_note(
            "%llu values were not captured: the debug buffer was full; --debug-buffer-size %llu is "
            "enough",
            (unsigned long long)s.dropped_space_count, (unsigned long long)s.debug_bytes_needed);
    }
    /* etscope's tracer records this in the trace: trace_notes.h. */
    if (s.dropped_invalid_count > 0 && choose_tracer(session) == ETS_TRACER_UPSTREAM) {
        cli_note("dropped %llu events of a delegate that called the tracer incorrectly",
                 (unsigned long long)s.dropped_invalid_count);
    }
}

int cli_session_finish(struct cli_session *session)
{
    struct ets_error error;
    size_t size;
    if (!session->wants_trace) return CLI_OK;
    if (!session->engine->tracing_compiled_in) {
        return cli_complain(CLI_UNAVAILABLE,
                            "this ExecuTorch runtime was built without event "
                            "tracing; build it with EXECUTORCH_ENABLE_EVENT_TRACER");
    }
    report_drops(session);
    if (session->engine->trace_finish(session->program, &session->trace, &session->debug, &error) !=
        ETS_OK) {
        return cli_fail(session->path, &error);
    }
    cli_count_input(session->trace);
    cli_count_input(session->debug);
    if (session->measures_tracing && choose_tracer(session) == ETS_TRACER_ETSCOPE) {
        cli_measure_tracing(session);
    }
    if (choose_tracer(session) == ETS_TRACER_ETSCOPE &&
        !cli_tell_device(&session->told, &session->before)) {
        return cli_complain(CLI_INTERNAL, "no memory for the trace");
    }
    if (session->tapped != NULL) {
        const int code = cli_tapped_tell(session->tapped, &session->told);
        if (code != CLI_OK) return code;
    }
    if (!ets_extra_growth_append(&session->told, session->trace, &session->grown_trace, &size)) {
        return cli_complain(CLI_INTERNAL, "no memory for the trace");
    }
    if (session->grown_trace != NULL) {
        session->trace = (struct ets_bytes){session->grown_trace, size};
    }
    const char *debug_path = cli_value(session->arguments, "--debug-buffer");
    if (debug_path == NULL) return CLI_OK;
    cli_note("%s: %zu bytes of captured tensors", debug_path, session->debug.size);
    return cli_session_keep(session, debug_path, &session->debug, 1);
}

int cli_session_turn(struct cli_session *session, unsigned threads)
{
    struct ets_error error;
    int code = CLI_OK;
    if (session->engine->set_thread_count(threads, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    if (session->default_method == NULL && !cli_has(session->arguments, "--method")) {
        code = default_method(session, &session->default_method);
    }
    return code == CLI_OK ? cli_session_method(session, method_at(session, 0)) : code;
}

static int run_methods(struct cli_session *session)
{
    const char *name;
    int code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK && (name = method_at(session, i)) != NULL; i++) {
        if (cli_interrupted() == 0) code = cli_session_method(session, name);
    }
    return code;
}

/* Runs the program as it is, for what it gives and the operators that it runs. */
static int run_plain(struct cli_session *session)
{
    struct ets_error error;
    struct ets_bytes debug;
    struct cli_session plain = {.arguments = session->arguments,
                                .path = session->path,
                                .data_option = session->data_option,
                                .model = session->model,
                                .record = session->record,
                                .library = session->library,
                                .engine = session->engine,
                                .limits = session->limits,
                                .warmup = session->warmup,
                                .tapped = session->tapped,
                                .is_plain = true,
                                .wants_trace = true,
                                .default_method = session->default_method};
    int code = cli_session_program(&plain, session->threads);
    if (code == CLI_OK) code = run_methods(&plain);
    if (code == CLI_OK &&
        plain.engine->trace_finish(plain.program, &plain.trace, &debug, &error) != ETS_OK) {
        code = cli_fail(session->path, &error);
    }
    if (code == CLI_OK) code = cli_tapped_keep_plain(session->tapped, plain.trace);
    cli_session_close_program(&plain);
    session->is_next_turn = plain.is_next_turn;
    return code;
}

/* Says whether the values within changed what the program does. */
static int conclude_tapped(struct cli_session *session)
{
    if (session->tapped == NULL || cli_interrupted() != 0) return CLI_OK;
    const int code = cli_tapped_conclude(session->tapped, session->trace,
                                         cli_has(session->arguments, "--strict"));
    session->is_changed = code == CLI_NEGATIVE;
    return session->is_changed ? CLI_OK : code;
}

int cli_session_execute(struct cli_session *session)
{
    int code = CLI_OK;
    if (!cli_has(session->arguments, "--method")) {
        code = default_method(session, &session->default_method);
    }
    if (code == CLI_OK) code = hold_outputs(session);
    cli_interrupt_begin();
    if (code == CLI_OK && session->tapped != NULL) code = run_plain(session);
    if (code == CLI_OK) code = run_methods(session);
    cli_interrupt_end();
    if (code == CLI_OK && session->summary_count == 0) {
        return cli_complain(CLI_SIGNAL + cli_interrupted(),
                            "interrupted before the first run ended: there is nothing to show");
    }
    if (code == CLI_OK) code = cli_session_finish(session);
    return code == CLI_OK ? conclude_tapped(session) : code;
}

int cli_session_end(const struct cli_session *session, int code)
{
    if (code != CLI_OK) return code;
    if (cli_interrupted() != 0) return CLI_SIGNAL + cli_interrupted();
    return session->is_incomplete || session->is_unsure || session->is_changed ? CLI_NEGATIVE
                                                                               : CLI_OK;
}
