/* Compares a rewritten program with the original by running both, then writes it. */
#include "cli/session/changed_program.h"

#include <math.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/interrupt.h"
#include "cli/session/compared_outputs.h"

enum { RUNS = 2 }; /* the second shows what the first left behind, as state */

struct comparison {
    const struct cli_arguments *arguments;
    const char *path, *method;
    const struct cli_program *model;
    struct ets_engine_library *library;
    const struct ets_engine *engine;
    struct cli_compared_outputs outputs;
    uint32_t method_count;
    bool was_told; /* where inputs come from */
};

int cli_changed_program_check(const struct cli_arguments *arguments)
{
    static const char *const only_with[] = {"--input",  "--case",         "--seed", "--range",
                                            "--shape",  "--int-range",    "--data", "--engine",
                                            "--python", "--load-library", NULL};
    const char *given = cli_first_given(arguments, only_with);
    if (!cli_has(arguments, "--write")) {
        if (given == NULL) return CLI_OK;
        return cli_complain(CLI_USAGE, "%s needs --write: it is for the runs that compare", given);
    }
    if (strcmp(arguments->words[0], "-") == 0) {
        return cli_complain(CLI_USAGE, "--write needs a file, not standard input");
    }
    return cli_model_inputs_check(arguments);
}

/* Whether there is an engine at all; one that --engine names has to be. */
static bool has_engine(const struct cli_arguments *arguments, struct ets_error *error)
{
    struct ets_engine_library *library;
    const struct ets_engine *engine;
    if (cli_has(arguments, "--engine")) return true;
    if (ets_engine_open(NULL, &library, &engine, error) != ETS_OK) return false;
    ets_engine_close(library);
    return true;
}

static int run_methods(struct comparison *c, struct cli_session *session)
{
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && i < c->model->program.method_count; i++) {
        struct ets_method method;
        char name[256];
        ets_program_method(&c->model->program, i, &method);
        snprintf(name, sizeof name, "%.*s", ETS_TEXT(method.name));
        if (c->method != NULL && strcmp(c->method, name) != 0) continue;
        code = cli_session_method(session, name);
        if (code == CLI_OK) c->method_count += !c->outputs.is_kept;
    }
    return code;
}

/* Runs the original, or the changed program if it is given. */
static int run_program(struct comparison *c, struct ets_bytes changed)
{
    struct cli_session session = {
        .arguments = c->arguments,
        .path = c->path,
        .model = *c->model,
        .library = c->library,
        .engine = c->engine,
        .limits = {.runs = RUNS, .time_ns = INFINITY, .is_runs_chosen = true},
        .changed = changed,
        .outputs = &c->outputs,
        .is_next_turn = c->was_told,
    };
    int code = cli_session_program(&session, 0);
    if (code == CLI_OK) code = run_methods(c, &session);
    c->was_told = true;
    cli_session_close_program(&session);
    return code;
}

static int open_engine(struct comparison *c)
{
    struct cli_session session = {.arguments = c->arguments, .path = c->path};
    const int code = cli_session_engine(&session);
    c->library = session.library;
    c->engine = session.engine;
    return code;
}

/* `told`: what the runs showed, for the sentence. */
static int compare(struct comparison *c, struct ets_bytes changed, char *told, size_t room)
{
    const struct ets_bytes none = {NULL, 0};
    const int plain = run_program(c, none);
    if (cli_interrupted() != 0) return CLI_SIGNAL + cli_interrupted();
    if (plain == CLI_RUNTIME || plain == CLI_UNAVAILABLE) {
        snprintf(told, room, "not compared, because the program does not run here");
        return CLI_OK;
    }
    if (plain != CLI_OK) return plain; /* a mistake in what the runs are given */
    c->outputs.is_kept = true;
    const int code = run_program(c, changed);
    if (code != CLI_OK) {
        return cli_complain(CLI_INTERNAL,
                            "the rewritten program does not run, so it is not written; please "
                            "report this");
    }
    if (c->outputs.differing > 0 || c->outputs.compared != c->outputs.count) {
        return cli_complain(
            CLI_INTERNAL,
            "the rewritten program computes something else (%s), so it is not "
            "written; please report this",
            c->outputs.differing > 0 ? c->outputs.first_differing : "fewer outputs");
    }
    snprintf(told, room, "%zu output%s of %u method%s %s equal bit for bit", c->outputs.count,
             c->outputs.count == 1 ? "" : "s", c->method_count, c->method_count == 1 ? "" : "s",
             c->outputs.count == 1 ? "is" : "are");
    return CLI_OK;
}

static int write_file(const char *path, struct ets_bytes bytes)
{
    struct ets_output *output;
    struct ets_error error;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_output_write(output, bytes.data, bytes.size);
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    return CLI_OK;
}

int cli_changed_program_write(const struct cli_arguments *arguments, const char *path,
                              const struct cli_program *model, const char *method,
                              struct ets_bytes changed, const char *saved)
{
    struct comparison c = {.arguments = arguments, .path = path, .method = method, .model = model};
    struct ets_error error;
    char told[160] = "not compared, because no engine is installed";
    const char *output = cli_value(arguments, "--write");
    int code = CLI_OK;
    ets_arena_init(&c.outputs.arena, NULL, 0);
    if (has_engine(arguments, &error)) {
        code = open_engine(&c);
        if (code == CLI_OK) code = compare(&c, changed, told, sizeof told);
    }
    ets_engine_close(c.library);
    cli_compared_outputs_close(&c.outputs);
    if (code == CLI_OK) code = write_file(output, changed);
    if (code == CLI_OK) cli_note("%s: %s; %s", output, saved, told);
    return code;
}
