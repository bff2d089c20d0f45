/*
 * Runs a command on a target: pushes the program and its files, runs it there, and pulls what it
 * wrote. `profile` is taken apart: it records there, and shows its trace here, where the ETRecord
 * and the sources are.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/interrupt.h"
#include "cli/session/child.h"
#include "cli/target/remote_files.h"
#include "etscope/file.h"
#include "host/os/os_files.h"
#include "host/output.h"

enum { MOST_OUTPUTS = 16, SCRIPT_BYTES = 65536 };

/* A file that the command writes there, and where it goes here. */
struct output {
    const char *path;
    char name[16];
};

struct request {
    const struct cli_arguments *arguments;
    const struct cli_command *shows; /* of profile: `inspect`, which shows the trace; else NULL */
    struct cli_remote remote;
    char words[SCRIPT_BYTES / 2]; /* of the command there, quoted */
    char links[SCRIPT_BYTES / 4]; /* the script that names its files */
    size_t words_used, links_used;
    bool is_too_long;
    unsigned link_count;
    struct output outputs[MOST_OUTPUTS];
    unsigned output_count;
    char trace[CLI_TARGET_PATH]; /* of profile, where it is shown from */
};

/* ---- the words of the command there ---- */

static void append(struct request *r, char *to, size_t room, size_t *used, const char *text)
{
    const size_t size = strlen(text);
    if (size >= room - *used) {
        r->is_too_long = true;
        return;
    }
    memcpy(to + *used, text, size + 1);
    *used += size;
}

/* In single quotes of the shell, with a space before. */
static void add_word(struct request *r, const char *word)
{
    append(r, r->words, sizeof r->words, &r->words_used, " '");
    for (const char *c = word; *c != '\0'; c++) {
        const char one[] = {*c, '\0'};
        append(r, r->words, sizeof r->words, &r->words_used, *c == '\'' ? "'\\''" : one);
    }
    append(r, r->words, sizeof r->words, &r->words_used, "'");
}

/* The last component of a path, which messages there say, as a name that needs no quotes. */
static void name_input(const struct request *r, const char *path, char name[CLI_TARGET_TEXT])
{
    const char *from = ets_os_name(path);
    size_t used = 0;
    if (r->link_count > 0) {
        used = (size_t)snprintf(name, CLI_TARGET_TEXT, "%u/", r->link_count);
    }
    for (; *from != '\0' && used + 1 < CLI_TARGET_TEXT; from++) {
        const bool is_plain = (*from >= '0' && *from <= '9') || (*from >= 'a' && *from <= 'z') ||
                              (*from >= 'A' && *from <= 'Z') || strchr("._-+", *from) != NULL;
        name[used++] = is_plain ? *from : '_';
    }
    name[used] = '\0';
}

/* Pushes a file, and gives the command there its name. Each but the first is in its own folder. */
static int add_input(struct request *r, const char *path)
{
    char there[CLI_REMOTE_NAME], name[CLI_TARGET_TEXT], script[2 * CLI_TARGET_PATH];
    const int code = cli_remote_push(&r->remote, path, there);
    if (code != CLI_OK) return code;
    name_input(r, path, name);
    if (r->link_count > 0) {
        snprintf(script, sizeof script, "mkdir %u && ", r->link_count);
        append(r, r->links, sizeof r->links, &r->links_used, script);
    }
    snprintf(script, sizeof script, "ln -s \"$R/files/%s\" ./%s && ", there, name);
    append(r, r->links, sizeof r->links, &r->links_used, script);
    r->link_count++;
    add_word(r, name);
    return CLI_OK;
}

static int add_output(struct request *r, const char *path)
{
    if (strcmp(path, "-") == 0) {
        add_word(r, path);
        return CLI_OK;
    }
    if (r->output_count == MOST_OUTPUTS) {
        return cli_complain(CLI_USAGE, "more than %d outputs on a target", MOST_OUTPUTS);
    }
    struct output *output = &r->outputs[r->output_count];
    output->path = path;
    snprintf(output->name, sizeof output->name, "out%u", r->output_count++);
    add_word(r, output->name);
    return CLI_OK;
}

/* Whether the value of an option names a file that the command reads. */
static bool is_input(const struct cli_option *option, const char *value)
{
    const bool is_file =
        option->value != NULL && (option->ending != NULL || strncmp(option->value, "FILE", 4) == 0);
    return is_file && strcmp(value, "-") != 0 && ets_os_can_read(value);
}

static bool is_of_this_side(const char *name)
{
    return strcmp(name, "--target") == 0 || strcmp(name, "--target-runtime") == 0;
}

/* Of profile: what `inspect` takes is for showing, unless `run` takes it, too. */
static bool is_for_showing(const struct request *r, const struct cli_command *runs,
                           const char *name)
{
    if (r->shows == NULL) return false;
    if (strcmp(name, "--output") == 0 || strcmp(name, "--report") == 0) return true;
    if (strcmp(name, "--etrecord") == 0 || strcmp(name, "--table") == 0) return true;
    return cli_command_find(r->shows, name, strlen(name)) >= 0 &&
           cli_command_find(runs, name, strlen(name)) < 0;
}

static int add_value(struct request *r, const char *name, const char *value, bool begins)
{
    struct cli_option option;
    const int index = cli_command_find(r->arguments->command, name, strlen(name));
    (void)cli_command_option(r->arguments->command, (unsigned)index, &option);
    if (begins) add_word(r, name);
    if (option.value == NULL) return CLI_OK;
    if (option.is_output) return add_output(r, value);
    return is_input(&option, value) ? add_input(r, value) : (add_word(r, value), CLI_OK);
}

/* What cannot be on a target yet: it starts programs, or writes files that only it can name. */
static int check_options(const struct cli_arguments *arguments)
{
    static const char *const others[] = {"--before", "--outputs", "--python", "--tokenizer", NULL};
    const char *other = cli_first_given(arguments, others);
    if (other != NULL) {
        return cli_complain(CLI_USAGE, "--target and %s exclude each other", other);
    }
    const char *threads = cli_value(arguments, "--threads");
    const bool is_profile = strcmp(arguments->command->name, "profile") == 0;
    if (is_profile &&
        (cli_has(arguments, "--recordings") || (threads != NULL && strchr(threads, ',') != NULL))) {
        return cli_complain(
            CLI_USAGE, "on a target, profile makes one recording: leave out %s",
            cli_has(arguments, "--recordings") ? "--recordings" : "the list of --threads");
    }
    return CLI_OK;
}

static int add_words(struct request *r)
{
    const struct cli_arguments *arguments = r->arguments;
    const struct cli_command *runs = cli_find_command(arguments->commands, "run");
    const char *name, *value;
    bool begins;
    int code = CLI_OK;
    add_word(r, arguments->command->name);
    for (unsigned i = 0; code == CLI_OK && i < arguments->word_count; i++) {
        code = add_input(r, arguments->words[i]);
    }
    for (unsigned i = 0;
         code == CLI_OK && (name = cli_given(arguments, i, &value, &begins)) != NULL; i++) {
        if (is_of_this_side(name) || is_for_showing(r, runs, name)) continue;
        code = add_value(r, name, value, begins);
    }
    if (r->shows == NULL || code != CLI_OK) return code;
    const char *inputs = cli_value(arguments, "--inputs");
    const char *record = cli_value(arguments, "--etrecord");
    if (record != NULL && inputs != NULL && strcmp(inputs, "etrecord") == 0) {
        add_word(r, "--etrecord"); /* the inputs are in it */
        code = add_input(r, record);
    }
    add_word(r, "--table");
    add_word(r, "/dev/null");
    add_word(r, "--output");
    return code == CLI_OK ? add_output(r, r->trace) : code;
}

/* ---- running it ---- */

/*
 * Standard input there is open as long as this process waits: when it ends, the command is stopped
 * and its folder removed. The shell gives commands in the background no standard input of its own;
 * the one that waits for its end stays until the connection is closed, or is killed before. What
 * the shell itself says of a command that was stopped is dropped: without a connection, saying it
 * would end the shell before it has removed the folder.
 */
static const char script_of_run[] =
    "umask 077; R=\"%s\"; B=\"$R/bundles/%s\"; cd \"$R/runs\" && mkdir %s && cd %s && %s"
    "{ exec 3<&0 4>&2 2>/dev/null; ETSCOPE_SELF=\"$B/start\" \"$B/start\"%s 2>&4 & P=$!; "
    "{ cat <&3; : > gone; kill $P; } >/dev/null 2>&1 & W=$!; exec 3<&- 4>&-; wait $P; C=$?; "
    "[ -e gone ] || { kill $W; echo $C > code; exit 0; }; cd ..; rm -rf %s; }; exit 1";

static int run_there(struct request *r, const char *bundle)
{
    static char script[SCRIPT_BYTES + 8192];
    const struct cli_remote *remote = &r->remote;
    if (r->is_too_long) return cli_complain(CLI_USAGE, "too many words for a target");
    snprintf(script, sizeof script, script_of_run, remote->connection.root, bundle, remote->run,
             remote->run, r->links, r->words, remote->run);
    const int code = cli_connection_run(&remote->connection, script,
                                        (struct cli_script_streams){.input = NULL, .output = NULL});
    if (code == 0) return CLI_OK;
    if (code == 1 && cli_interrupted() == 0) {
        return cli_complain(CLI_UNAVAILABLE, "%s: the command cannot begin: is its disk full?",
                            remote->connection.name);
    }
    return cli_connection_complain(&remote->connection, "while the command ran");
}

/* Pulls one file of the run's folder to a new name beside `path`, then renames it. */
static int pull(struct request *r, const char *name, const char *path)
{
    char there[CLI_TARGET_PATH], here[CLI_TARGET_PATH + 16];
    struct ets_error error;
    struct ets_output *output;
    struct ets_file *file;
    snprintf(there, sizeof there, "%s/runs/%s/%s", r->remote.connection.root, r->remote.run, name);
    snprintf(here, sizeof here, "%s/pulled", r->remote.folder);
    int code = cli_connection_pull(&r->remote.connection, there, here);
    if (code != CLI_OK) return code;
    if (cli_file_open_as_it_is(here, &file, &error) != ETS_OK) return cli_fail(here, &error);
    if (ets_output_open(path, &output, &error) != ETS_OK) {
        code = cli_fail_output(path, &error);
    } else {
        const struct ets_bytes bytes = ets_file_bytes(file);
        ets_output_write(output, bytes.data, bytes.size);
        if (ets_output_commit(output, &error) != ETS_OK) code = cli_fail_output(path, &error);
    }
    ets_file_close(file);
    ets_os_remove(here);
    return code;
}

/* The exit code of the command there; -1: it did not end. */
static int read_code(struct request *r)
{
    char here[CLI_TARGET_PATH + 16], there[CLI_TARGET_PATH], text[16] = "";
    snprintf(there, sizeof there, "%s/runs/%s/code", r->remote.connection.root, r->remote.run);
    snprintf(here, sizeof here, "%s/code", r->remote.folder);
    if (cli_connection_pull(&r->remote.connection, there, here) != CLI_OK) return -1;
    FILE *file = fopen(here, "rb");
    const size_t size = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    if (file != NULL) fclose(file);
    ets_os_remove(here);
    return size > 0 && text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1;
}

static void remove_run(const struct request *r)
{
    char script[CLI_TARGET_PATH];
    snprintf(script, sizeof script, "rm -rf \"%s/runs/%s\"", r->remote.connection.root,
             r->remote.run);
    const struct cli_script_streams streams = {.input = NULL, .output = ets_os_null_device};
    (void)cli_connection_run(&r->remote.connection, script, streams);
}

/* The command's exit code, with its outputs here. Those of a command that failed stay there. */
static int finish(struct request *r)
{
    const int code = read_code(r);
    int failed = code < 0 ? CLI_UNAVAILABLE : CLI_OK;
    const bool has_outputs = code == CLI_OK || code == CLI_NEGATIVE;
    for (unsigned i = 0; failed == CLI_OK && has_outputs && i < r->output_count; i++) {
        failed = pull(r, r->outputs[i].name, r->outputs[i].path);
    }
    if (code >= 0) remove_run(r);
    return failed != CLI_OK ? failed : code;
}

/* ---- showing what profile recorded ---- */

static bool takes_value(const struct cli_arguments *arguments, const char *name)
{
    struct cli_option option;
    const int index = cli_command_find(arguments->command, name, strlen(name));
    return cli_command_option(arguments->command, (unsigned)index, &option) && option.value != NULL;
}

static int show_trace(struct request *r)
{
    const struct cli_arguments *arguments = r->arguments;
    const struct cli_command *runs = cli_find_command(arguments->commands, "run");
    struct cli_child_words words = {.count = 0};
    const char *name, *value;
    bool begins;
    cli_child_add(&words, "inspect");
    cli_child_add(&words, r->trace);
    cli_child_add(&words, "--program");
    cli_child_add(&words, arguments->words[0]);
    for (unsigned i = 0; (name = cli_given(arguments, i, &value, &begins)) != NULL; i++) {
        const bool is_written = strcmp(name, "--output") == 0 || strcmp(name, "--report") == 0;
        if (is_of_this_side(name) || is_written || !is_for_showing(r, runs, name)) continue;
        if (begins) cli_child_add(&words, strcmp(name, "--table") == 0 ? "--output" : name);
        if (takes_value(arguments, name)) cli_child_add(&words, value);
    }
    if (cli_has(arguments, "--memory")) cli_child_add(&words, "--memory");
    return cli_child_run(&words, CLI_CHILD_SHOWN, CLI_CHILD_HEARD);
}

static int write_report(struct request *r)
{
    const struct cli_arguments *arguments = r->arguments;
    const char *path = cli_value(arguments, "--report");
    const char *record = cli_value(arguments, "--etrecord");
    struct cli_child_words words = {.count = 0};
    if (path == NULL) return CLI_OK;
    cli_child_add(&words, "report");
    cli_child_add(&words, r->trace);
    cli_child_add(&words, "--program");
    cli_child_add(&words, arguments->words[0]);
    if (record != NULL) {
        cli_child_add(&words, "--etrecord");
        cli_child_add(&words, record);
    }
    cli_child_add(&words, "-o");
    cli_child_add(&words, path);
    return cli_child_run(&words, CLI_CHILD_DROPPED, CLI_CHILD_HEARD);
}

static int show(struct request *r)
{
    const int code = show_trace(r);
    const int written = code == CLI_OK ? write_report(r) : CLI_OK;
    if (!cli_has(r->arguments, "--output")) ets_os_remove(r->trace);
    return code != CLI_OK ? code : written;
}

/* ---- */

static int run(struct request *r)
{
    const struct cli_arguments *arguments = r->arguments;
    char bundle[CLI_REMOTE_NAME];
    int code = cli_remote_open(cli_value(arguments, "--target"), &r->remote);
    if (code != CLI_OK) return code;
    if (r->shows != NULL) {
        const char *path = cli_value(arguments, "--output");
        const int size =
            path != NULL ? snprintf(r->trace, sizeof r->trace, "%s", path)
                         : snprintf(r->trace, sizeof r->trace, "%s/profile.etdp", r->remote.folder);
        if (size < 0 || (size_t)size >= sizeof r->trace) {
            return cli_complain(CLI_USAGE, "the path of the trace is too long");
        }
    }
    code = cli_remote_push_bundle(&r->remote, cli_value(arguments, "--target-runtime"), bundle);
    if (code == CLI_OK) code = add_words(r);
    if (code == CLI_OK) code = run_there(r, bundle);
    if (code == CLI_OK) code = finish(r);
    if (code == CLI_OK && r->shows != NULL) code = show(r);
    return code;
}

/* Programs that are not there are said before anything is asked of the target. */
static int check_words(const struct cli_arguments *arguments)
{
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

int cli_target_run(const struct cli_arguments *arguments)
{
    static struct request request;
    request = (struct request){.arguments = arguments};
    if (strcmp(arguments->command->name, "profile") == 0) {
        request.shows = cli_find_command(arguments->commands, "inspect");
    }
    int code = check_options(arguments);
    if (code == CLI_OK && arguments->word_count == 0 &&
        strcmp(arguments->command->name, "machine") != 0) {
        code = cli_complain(CLI_USAGE, "%s needs a program", arguments->command->name);
    }
    if (code == CLI_OK) code = check_words(arguments);
    if (code != CLI_OK) return code;
    cli_interrupt_begin(); /* what runs there is ended first, and folders are removed */
    code = run(&request);
    cli_remote_close(&request.remote);
    cli_interrupt_end();
    return code;
}
