/*
 * Runs a command on a target: pushes the program and its files, runs it there, and pulls what it
 * wrote. `profile` and `gap` are taken apart: they record there, and show the trace here, where the
 * ETRecord, the sources and the reference are.
 */
#include "cli/target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/interrupt.h"
#include "cli/session/child.h"
#include "cli/target/record_inputs.h"
#include "cli/target/remote_command.h"
#include "etscope/file.h"
#include "etscope/trace_extra.h"
#include "host/os/os_files.h"
#include "views/device_facts.h"

/* What runs there for a command, and what shows its trace here; NULL: it shows itself there. */
static const struct taken_apart {
    const char *command, *there, *here;
} taken_apart[] = {{"profile", "profile", "inspect"}, {"gap", "run", "gap"}};

struct request {
    const struct cli_arguments *arguments;
    const struct cli_command *runs;  /* there */
    const struct cli_command *shows; /* here; NULL: none */
    struct cli_remote remote;
    struct cli_remote_command command;
    char record[CLI_SIBLING_BYTES]; /* given, or beside the program; "": none */
    bool is_record_given;           /* by an option */
    char inputs[CLI_TARGET_PATH];   /* of the record, as arrays here; "": none */
    char trace[CLI_TARGET_PATH];    /* of `shows` */
    char captures[CLI_TARGET_PATH]; /* of gap: the debug buffer */
};

/* ---- the words of the command there ---- */

/* Whether the value of an option names a file that the command reads. */
static bool is_input(const struct cli_option *option, const char *value)
{
    const bool is_file =
        option->value != NULL && (option->ending != NULL || strncmp(option->value, "FILE", 4) == 0);
    return is_file && strcmp(value, "-") != 0 && ets_os_can_read(value);
}

static bool is_among(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0) list++;
    return *list != NULL;
}

static const char *const of_this_side[] = {"--target", "--target-runtime", "--no-siblings", NULL};

static bool takes(const struct cli_command *command, const char *name)
{
    return cli_command_find(command, name, strlen(name)) >= 0;
}

static bool is_gap(const struct request *r)
{
    return r->shows != NULL && r->shows == r->arguments->command;
}

/* Of commands that are taken apart: whether an option is for what runs there. */
static bool is_for_running(const struct request *r, const char *name)
{
    static const char *const of_gap[] = {"--method", "--input", "--case", NULL};
    static const char *const never[] = {"--output", "--report", "--etrecord", "--table", NULL};
    if (r->shows == NULL) return true;
    if (is_gap(r)) return is_among(name, of_gap);
    if (is_among(name, never)) return false;
    const struct cli_command *run = cli_find_command(r->arguments->commands, "run");
    return !takes(r->shows, name) || takes(run, name);
}

/* Of them: whether it is for what shows the trace here. */
static bool is_for_showing(const struct request *r, const char *name)
{
    static const char *const of_profile[] = {"--output", "--report", NULL};
    if (is_gap(r)) return true;
    if (is_among(name, of_profile)) return false;
    if (strcmp(name, "--table") == 0 || strcmp(name, "--memory") == 0) return true;
    return takes(r->shows, name) && !is_for_running(r, name);
}

static bool is_replaced_by_inputs(const char *name)
{
    static const char *const others[] = {"--inputs",    "--etrecord", "--seed", "--range",
                                         "--int-range", "--shape",    NULL};
    return is_among(name, others);
}

static int add_value(struct request *r, const char *name, const char *value, bool begins)
{
    static const char *const prefixes[] = {"--outputs", "--output-file", NULL};
    struct cli_option option;
    const int index = cli_command_find(r->arguments->command, name, strlen(name));
    (void)cli_command_option(r->arguments->command, (unsigned)index, &option);
    if (begins) cli_remote_command_word(&r->command, name);
    if (option.value == NULL) return CLI_OK;
    const bool is_prefix = is_among(name, prefixes);
    if (option.is_output || is_prefix) {
        return cli_remote_command_output(&r->command, value, is_prefix);
    }
    if (is_input(&option, value)) return cli_remote_command_input(&r->command, value, value);
    cli_remote_command_word(&r->command, value);
    return CLI_OK;
}

static int add_options(struct request *r)
{
    const char *name, *value;
    bool begins;
    int code = CLI_OK;
    for (unsigned i = 0;
         code == CLI_OK && (name = cli_given(r->arguments, i, &value, &begins)) != NULL; i++) {
        if (is_among(name, of_this_side) || !is_for_running(r, name)) continue;
        if (r->inputs[0] != '\0' && is_replaced_by_inputs(name)) continue;
        code = add_value(r, name, value, begins);
    }
    return code;
}

/* What a command that is taken apart writes there, and not on standard output. */
static int add_recording(struct request *r)
{
    if (is_gap(r)) {
        cli_remote_command_word(&r->command, "--capture");
        cli_remote_command_word(&r->command, "intermediates");
        cli_remote_command_word(&r->command, "--debug-buffer");
        const int code = cli_remote_command_output(&r->command, r->captures, false);
        if (code != CLI_OK) return code;
    } else {
        cli_remote_command_word(&r->command, "--table");
        cli_remote_command_word(&r->command, "/dev/null");
    }
    cli_remote_command_word(&r->command, "--output");
    return cli_remote_command_output(&r->command, r->trace, false);
}

static int add_inputs(struct request *r)
{
    const char *source = cli_value(r->arguments, "--inputs");
    const bool needs_record = source != NULL && strcmp(source, "etrecord") == 0;
    if (r->inputs[0] != '\0') {
        cli_remote_command_word(&r->command, "--input");
        return cli_remote_command_input(&r->command, r->inputs, "the ETRecord's inputs");
    }
    if (r->shows == NULL || !needs_record || r->record[0] == '\0') return CLI_OK;
    cli_remote_command_word(&r->command, "--etrecord");
    return cli_remote_command_input(&r->command, r->record, r->record);
}

static int add_words(struct request *r)
{
    const struct cli_arguments *arguments = r->arguments;
    int code = CLI_OK;
    cli_remote_command_begin(&r->command, &r->remote, arguments, r->runs->name);
    for (unsigned i = 0; code == CLI_OK && i < arguments->word_count; i++) {
        code = cli_remote_command_input(&r->command, arguments->words[i], arguments->words[i]);
    }
    if (code == CLI_OK) code = add_options(r);
    if (code == CLI_OK) code = add_inputs(r);
    return code == CLI_OK && r->shows != NULL ? add_recording(r) : code;
}

/* ---- what is asked of the command ---- */

/* What cannot be on a target: it starts programs of this side. */
static int check_options(const struct request *r)
{
    static const char *const others[] = {"--python", "--tokenizer", NULL};
    static const char *const of_gap[] = {"--debug-buffer", "--block", "--run", "--partial", NULL};
    const char *other = cli_first_given(r->arguments, others);
    if (other == NULL && is_gap(r)) other = cli_first_given(r->arguments, of_gap);
    if (other == NULL) return CLI_OK;
    return cli_complain(CLI_USAGE, "--target and %s exclude each other", other);
}

/* Programs that are not there are said before anything is asked of the target. */
static int check_words(const struct request *r)
{
    const struct cli_arguments *arguments = r->arguments;
    if (arguments->word_count == 0 && strcmp(arguments->command->name, "machine") != 0) {
        return cli_complain(CLI_USAGE, "%s needs a program", arguments->command->name);
    }
    for (unsigned i = 0; i < arguments->word_count; i++) {
        struct ets_file *file;
        struct ets_error error;
        if (cli_file_open_as_it_is(arguments->words[i], &file, &error) != ETS_OK) {
            return cli_fail(arguments->words[i], &error);
        }
        ets_file_close(file);
    }
    return CLI_OK;
}

/* What more threads gain is measured in turns, and shown, by one process. */
static bool is_shown_there(const struct cli_arguments *arguments)
{
    const char *threads = cli_value(arguments, "--threads");
    return threads != NULL && strchr(threads, ',') != NULL;
}

static void choose_commands(struct request *r)
{
    const struct cli_arguments *arguments = r->arguments;
    r->runs = arguments->command;
    if (is_shown_there(arguments)) return;
    for (size_t i = 0; i < sizeof taken_apart / sizeof *taken_apart; i++) {
        if (strcmp(arguments->command->name, taken_apart[i].command) != 0) continue;
        r->runs = cli_find_command(arguments->commands, taken_apart[i].there);
        r->shows = cli_find_command(arguments->commands, taken_apart[i].here);
    }
}

/* The ETRecord that was given, or that lies beside the program. */
static int find_record(struct request *r)
{
    const char *given = cli_value(r->arguments, "--etrecord");
    const char *source = cli_value(r->arguments, "--inputs");
    const bool is_needed = r->shows != NULL || (source != NULL && strcmp(source, "etrecord") == 0);
    r->is_record_given = given != NULL;
    if (given != NULL) {
        const int size = snprintf(r->record, sizeof r->record, "%s", given);
        return size < (int)sizeof r->record
                   ? CLI_OK
                   : cli_complain(CLI_USAGE, "the path of the ETRecord is too long");
    }
    if (is_needed && r->arguments->word_count > 0 && !cli_has(r->arguments, "--no-siblings")) {
        (void)cli_sibling_path(r->arguments->words[0], ".etrecord", r->record);
    }
    if (!is_gap(r) || r->record[0] != '\0') return CLI_OK;
    return cli_complain(CLI_USAGE,
                        "gap needs --etrecord, which contains the graph to compare with; none "
                        "lies beside the program");
}

/* Its inputs as arrays, where the command takes them of it: of one that was not given, if asked. */
static int find_inputs(struct request *r)
{
    char path[CLI_TARGET_PATH + 16];
    bool is_written = false;
    const bool is_asked = r->is_record_given || is_gap(r) || cli_has(r->arguments, "--inputs");
    if (r->record[0] == '\0' || !is_asked || !takes(r->runs, "--inputs")) return CLI_OK;
    snprintf(path, sizeof path, "%s/inputs.npz", r->remote.folder);
    const int code = cli_record_inputs_write(r->arguments, r->record, path, &is_written);
    if (is_written) snprintf(r->inputs, sizeof r->inputs, "%.*s", CLI_TARGET_PATH - 1, path);
    return code;
}

/* Files of this side for what is shown here. */
static int name_files(struct request *r)
{
    const char *kept = is_gap(r) ? NULL : cli_value(r->arguments, "--output");
    const char *folder = r->remote.folder;
    if (r->shows == NULL) return CLI_OK;
    const int size = kept != NULL ? snprintf(r->trace, sizeof r->trace, "%s", kept)
                                  : snprintf(r->trace, sizeof r->trace, "%.4000s/%s.etdp", folder,
                                             r->arguments->command->name);
    snprintf(r->captures, sizeof r->captures, "%.4000s/gap.bin", folder);
    if (size >= 0 && (size_t)size < sizeof r->trace) return CLI_OK;
    return cli_complain(CLI_USAGE, "the path of the trace is too long");
}

/* ---- showing what was recorded ---- */

/* A record that was not given counts only if it agrees with the trace. */
static void check_record(struct request *r)
{
    struct cli_record record;
    struct cli_program program;
    struct ets_file *trace = NULL;
    bool agrees = false;
    if (r->record[0] == '\0' || r->is_record_given || is_gap(r)) return;
    if (cli_record_read(r->record, &record, NULL) == ETS_OK &&
        cli_program_peek(r->arguments->words[0], &program) == ETS_OK) {
        if (cli_file_open_as_it_is(r->trace, &trace, NULL) == ETS_OK) {
            agrees = cli_trace_agrees(ets_file_bytes(trace), record.record, &program.program);
            ets_file_close(trace);
        }
        cli_program_close(&program);
    }
    cli_record_close(&record);
    if (agrees) {
        cli_note("using %s beside the program; --no-siblings ignores it", r->record);
    } else {
        cli_note_ignored(r->record);
        r->record[0] = '\0';
    }
}

/* What else ran there: a table of times does not show it. */
static void note_load(const struct request *r)
{
    char text[512];
    struct ets_text_builder line = {text, sizeof text, 0};
    struct ets_trace_extra extra;
    struct ets_trace_facts facts;
    struct ets_file *trace = NULL;
    if (cli_file_open_as_it_is(r->trace, &trace, NULL) != ETS_OK) return;
    if (ets_trace_extra_init(&extra, ets_file_bytes(trace), NULL) == ETS_OK) {
        ets_trace_extra_facts(&extra, &facts);
        ets_add_load(&line, facts.device);
        if (line.used > 0) cli_note("%s: %.*s", r->remote.connection.name, (int)line.used, text);
    }
    ets_file_close(trace);
}

static bool takes_value(const struct cli_arguments *arguments, const char *name)
{
    struct cli_option option;
    const int index = cli_command_find(arguments->command, name, strlen(name));
    return cli_command_option(arguments->command, (unsigned)index, &option) && option.value != NULL;
}

static void add_model(const struct request *r, struct cli_child_words *words)
{
    cli_child_add(words, r->trace);
    cli_child_add(words, "--program");
    cli_child_add(words, r->arguments->words[0]);
    if (r->record[0] != '\0') {
        cli_child_add(words, "--etrecord");
        cli_child_add(words, r->record);
    }
    if (!is_gap(r)) return;
    cli_child_add(words, "--debug-buffer");
    cli_child_add(words, r->captures);
}

static int show_trace(const struct request *r)
{
    struct cli_child_words words = {.count = 0};
    const char *name, *value;
    bool begins;
    cli_child_add(&words, r->shows->name);
    add_model(r, &words);
    for (unsigned i = 0; (name = cli_given(r->arguments, i, &value, &begins)) != NULL; i++) {
        if (is_among(name, of_this_side) || strcmp(name, "--etrecord") == 0) continue;
        if (!is_for_showing(r, name)) continue;
        const bool is_table = !is_gap(r) && strcmp(name, "--table") == 0;
        if (begins) cli_child_add(&words, is_table ? "--output" : name);
        if (takes_value(r->arguments, name)) cli_child_add(&words, value);
    }
    return cli_child_run(&words, CLI_CHILD_SHOWN, CLI_CHILD_HEARD);
}

static int write_report(const struct request *r)
{
    const char *path = is_gap(r) ? NULL : cli_value(r->arguments, "--report");
    struct cli_child_words words = {.count = 0};
    if (path == NULL) return CLI_OK;
    cli_child_add(&words, "report");
    add_model(r, &words);
    cli_child_add(&words, "-o");
    cli_child_add(&words, path);
    return cli_child_run(&words, CLI_CHILD_DROPPED, CLI_CHILD_HEARD);
}

static int show(struct request *r)
{
    check_record(r);
    if (!is_gap(r)) note_load(r);
    const int code = show_trace(r);
    const int written = code == CLI_OK ? write_report(r) : CLI_OK;
    return code != CLI_OK ? code : written;
}

/* ---- */

static int run_there(struct request *r)
{
    char bundle[CLI_REMOTE_NAME];
    int code =
        cli_remote_push_bundle(&r->remote, cli_value(r->arguments, "--target-runtime"), bundle);
    if (code == CLI_OK) code = find_inputs(r);
    if (code == CLI_OK) code = add_words(r);
    if (code == CLI_OK) {
        code = cli_remote_command_run(&r->command, bundle, is_gap(r) ? ets_os_null_device : NULL);
    }
    return code == CLI_OK ? cli_remote_command_end(&r->command) : code;
}

static int run(struct request *r)
{
    int code = find_record(r);
    if (code == CLI_OK) code = cli_remote_open(cli_value(r->arguments, "--target"), &r->remote);
    if (code == CLI_OK) code = name_files(r);
    if (code == CLI_OK) code = run_there(r);
    if (code == CLI_OK && r->shows != NULL) code = show(r);
    return code;
}

static void remove_files(const struct request *r)
{
    const bool is_kept = !is_gap(r) && cli_has(r->arguments, "--output");
    if (r->inputs[0] != '\0') ets_os_remove(r->inputs);
    if (r->shows == NULL) return;
    if (!is_kept && r->trace[0] != '\0') ets_os_remove(r->trace);
    if (r->captures[0] != '\0') ets_os_remove(r->captures);
}

int cli_target_run(const struct cli_arguments *arguments)
{
    static struct request request;
    request = (struct request){.arguments = arguments};
    choose_commands(&request);
    int code = check_options(&request);
    if (code == CLI_OK) code = check_words(&request);
    if (code != CLI_OK) return code;
    cli_interrupt_begin(); /* what runs there is ended first, and folders are removed */
    code = run(&request);
    remove_files(&request);
    cli_remote_close(&request.remote);
    cli_interrupt_end();
    return code;
}
