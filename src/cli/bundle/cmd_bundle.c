/* The command `bundle`: writes a program and its test cases to one file. */
#include <stdlib.h>
#include <string.h>

#include "cli/bundle/new_cases.h"
#include "cli/core/cli_text.h"
#include "cli/session/kept_methods.h"
#include "host/output.h"

static const struct cli_command_option option_list[] = {
    {"--output", .help = "The .bpte to write"},
    {"--new-case", .aliases = {"--case", "-c"}},
    {"--expect"},
    {"--expect-from-run"},
    {"--in-turn", .help = "With --expect-from-run: run the cases one after the other in the same "
                          "loaded methods, which keep their buffers, as steps of a generation"},
    {"--method", .is_repeatable = true,
     .help = "The method of the following cases; default: forward, or the only method"},
    {"--cases-from"},
    CLI_ENGINE_OPTIONS,
    {NULL},
};

/* The output, and the program whose memory is released after writing. */
struct target {
    struct ets_output *output;
    const struct ets_file *program;
};

static int write_piece(void *context, const void *data, size_t size)
{
    const struct target *target = context;
    ets_output_write(target->output, data, size); /* errors are reported by the commit */
    ets_file_release(target->program, data, size);
    return 0;
}

static int write_bundle(const struct cli_arguments *arguments, const struct cli_session *session,
                        const struct ets_new_bundle *bundle)
{
    struct ets_error error;
    struct target target = {.program = session->model.file};
    const char *path = cli_value(arguments, "--output");
    const struct ets_bundle_sink sink = {&target, write_piece};
    if (ets_output_open(path, &target.output, &error) != ETS_OK) {
        return cli_fail_output(path, &error);
    }
    if (ets_bundle_write(bundle, &sink, &error) != ETS_OK) {
        ets_output_discard(target.output);
        return cli_fail(session->path, &error);
    }
    if (ets_output_commit(target.output, &error) != ETS_OK) return cli_fail_output(path, &error);
    return CLI_OK;
}

/* Runs a case and takes its outputs as the expected outputs. */
static int take_outputs(const struct cli_session *session, struct ets_engine_method *method,
                        size_t count, struct cli_new_cases *cases, struct ets_new_case *test_case)
{
    struct ets_error error;
    struct ets_value *values = cli_new_cases_alloc(cases, count * sizeof *values);
    if (values == NULL) return CLI_INTERNAL;
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < count; i++) {
        if (session->engine->method_get_output(method, i, &values[i], &error) != ETS_OK) {
            return cli_fail(session->path, &error);
        }
        code = cli_new_cases_copy(cases, &values[i]);
    }
    test_case->expected = values;
    test_case->expected_count = (uint32_t)count;
    return code;
}

/* Uses a newly loaded method, so that no case sees buffers changed by another, unless wanted. */
static int run_case(const struct cli_session *session, struct cli_kept_methods *methods,
                    const char *name, struct cli_new_cases *cases, struct ets_new_case *test_case)
{
    const struct ets_engine *engine = session->engine;
    struct ets_engine_method *method = NULL;
    struct ets_engine_method_info info;
    struct ets_error error;
    enum ets_status status = engine->method_info(session->program, name, &info, &error);
    if (status == ETS_OK) status = cli_method_begin(methods, session, name, &method, &error);
    for (uint32_t i = 0; status == ETS_OK && i < test_case->input_count; i++) {
        status = engine->method_set_input(method, i, &test_case->inputs[i], &error);
    }
    if (status == ETS_OK) status = engine->method_execute(method, &error);
    int code = status == ETS_OK ? CLI_OK : cli_fail(session->path, &error);
    if (code == CLI_OK && test_case->expected_count == 0) {
        code = take_outputs(session, method, info.output_count, cases, test_case);
    }
    cli_method_end(methods, session, method);
    return code;
}

static int run_cases(const struct cli_session *session, struct cli_new_cases *cases)
{
    struct cli_kept_methods methods = {.keeps = cli_has(session->arguments, "--in-turn")};
    int code = CLI_OK;
    for (uint32_t s = 0; s < cases->suite_count; s++) {
        const struct cli_new_suite *suite = &cases->suites[s];
        for (uint32_t c = 0; code == CLI_OK && c < suite->case_count; c++) {
            if (suite->cases[c].expected_count > 0 && !methods.keeps) continue;
            code = run_case(session, &methods, suite->method, cases, &suite->cases[c]);
        }
    }
    cli_kept_methods_close(&methods, session);
    return code;
}

static void report(const struct cli_arguments *arguments, const struct cli_new_cases *cases,
                   const struct ets_new_bundle *bundle)
{
    uint32_t count = 0, unchecked = 0;
    size_t size = 0;
    for (uint32_t s = 0; s < cases->suite_count; s++) {
        for (uint32_t c = 0; c < cases->suites[s].case_count; c++, count++) {
            unchecked += cases->suites[s].cases[c].expected_count == 0;
        }
    }
    (void)ets_bundle_write_size(bundle, &size, NULL);
    const char *path = cli_value(arguments, "--output");
    cli_note("%s: %u test case%s of %u method%s, %zu bytes",
             strcmp(path, "-") == 0 ? "standard output" : path, count, count == 1 ? "" : "s",
             cases->suite_count, cases->suite_count == 1 ? "" : "s", size);
    if (unchecked > 0) {
        cli_note("%u of them %s no expected outputs", unchecked, unchecked == 1 ? "has" : "have");
    }
}

static int make_bundle(const struct cli_arguments *arguments, const struct cli_session *session,
                       struct cli_new_cases *cases)
{
    struct ets_error error;
    const struct ets_new_bundle bundle = {session->model.bytes, cases->views, cases->suite_count};
    if (ets_new_bundle_check(&bundle, &session->model.program, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    int code = cli_new_cases_lay_out(cases);
    if (code == CLI_OK && cli_has(arguments, "--expect-from-run")) {
        code = run_cases(session, cases);
        if (code == CLI_OK) code = cli_new_cases_lay_out(cases);
    }
    if (code == CLI_OK) code = write_bundle(arguments, session, &bundle);
    if (code == CLI_OK) report(arguments, cases, &bundle);
    return code;
}

static int check_words(const struct cli_arguments *arguments)
{
    static const char *const engine_options[] = {"--threads", "--data",   "--load-library",
                                                 "--python",  "--engine", NULL};
    const char *unused = cli_first_given(arguments, engine_options);
    if (arguments->word_count != 1) {
        return cli_complain(
            CLI_USAGE,
            "bundle needs one program: etscope bundle model.pte --new-case x.npy -o "
            "model.bpte");
    }
    if (!cli_has(arguments, "--output")) {
        return cli_complain(CLI_USAGE, "bundle needs an output file: -o model.bpte");
    }
    if (unused == NULL && cli_has(arguments, "--in-turn")) unused = "--in-turn";
    if (unused != NULL && !cli_has(arguments, "--expect-from-run")) {
        return cli_complain(CLI_USAGE, "%s needs --expect-from-run", unused);
    }
    return cli_check_stdin(arguments);
}

static int cmd_bundle(const struct cli_arguments *arguments)
{
    struct cli_session session = {.arguments = arguments};
    struct cli_new_cases cases = {.model = NULL};
    int code = check_words(arguments);
    if (code != CLI_OK) return code;
    const unsigned threads = (unsigned)cli_number(arguments, "--threads", 0);
    session.path = arguments->words[0];
    code = cli_program_open(session.path, &session.model);
    if (code == CLI_OK) code = cli_new_cases_open(arguments, &session.model, &cases);
    if (code == CLI_OK && cli_has(arguments, "--expect-from-run")) {
        code = cli_session_start(&session, threads);
    }
    if (code == CLI_OK) code = make_bundle(arguments, &session, &cases);
    cli_new_cases_close(&cases);
    cli_session_close(&session);
    return code;
}

const struct cli_command cli_bundle_command = {
    .name = "bundle",
    .task = CLI_TASK_DATA,
    .summary = "add test cases to a program: write a bundled program (.bpte)",
    .arguments = "MODEL",
    .description =
        "Writes MODEL (a .pte, or the program of a .bpte) together with test cases, in the format "
        "that ExecuTorch's runtime, `run` and `verify` read. Each --new-case starts a test case "
        "and "
        "lists its inputs in the method's order: .npy files, .npz files (whose arrays count in the "
        "order of the file; arr_0, arr_1 and so on by number), and numbers for inputs that are "
        "plain numbers. A following --expect lists its expected outputs; --expect-from-run uses "
        "those of this runtime. Inputs and outputs must fit the program's methods; tensors are "
        "stored in the dimension order that the program declares. Files are not loaded into memory "
        "as a whole.",
    .options = option_list,
    .examples =
        "etscope bundle model.pte --new-case x.npy --expect-from-run -o tested.bpte\n"
        "etscope bundle model.pte --method forward --new-case x.npy --expect y.npy -o tested.bpte\n"
        "etscope bundle model.pte --cases-from model.bpte -o new.bpte",
    .guide = "verify.md#bundle",
    .run = cmd_bundle,
};
