/* Words a command for the shell there, runs it, and pulls what it wrote. */
#define _POSIX_C_SOURCE 200809L
#include "cli/target/remote_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/interrupt.h"
#include "cli/target/derived_names.h"
#include "etscope/file.h"
#include "host/os/os_files.h"
#include "host/output.h"

enum { END_BYTES = 1 << 16 };

/* ---- words ---- */

static void append(struct cli_remote_command *c, char *to, size_t room, size_t *used,
                   const char *text)
{
    const size_t size = strlen(text);
    if (size >= room - *used) {
        c->is_too_long = true;
        return;
    }
    memcpy(to + *used, text, size + 1);
    *used += size;
}

static void add_link(struct cli_remote_command *c, const char *script)
{
    append(c, c->links, sizeof c->links, &c->links_used, script);
}

/* In single quotes of the shell, with a space before. */
void cli_remote_command_word(struct cli_remote_command *command, const char *word)
{
    struct cli_remote_command *c = command;
    append(c, c->words, sizeof c->words, &c->words_used, " '");
    for (const char *at = word; *at != '\0'; at++) {
        const char one[] = {*at, '\0'};
        append(c, c->words, sizeof c->words, &c->words_used, *at == '\'' ? "'\\''" : one);
    }
    append(c, c->words, sizeof c->words, &c->words_used, "'");
}

void cli_remote_command_begin(struct cli_remote_command *command, struct cli_remote *remote,
                              const struct cli_arguments *arguments, const char *name)
{
    *command = (struct cli_remote_command){.remote = remote, .arguments = arguments};
    cli_remote_command_word(command, name);
}

/* A name that needs no quotes. */
static void make_plain(const char *from, char name[CLI_TARGET_TEXT], size_t used)
{
    for (; *from != '\0' && used + 1 < CLI_TARGET_TEXT; from++) {
        const bool is_plain = (*from >= '0' && *from <= '9') || (*from >= 'a' && *from <= 'z') ||
                              (*from >= 'A' && *from <= 'Z') || strchr("._-+", *from) != NULL;
        name[used++] = is_plain ? *from : '_';
    }
    name[used] = '\0';
}

/*
 * Each file is in a folder of its own, whatever its name. The command runs in the first one's, so
 * that messages there say the name.
 */
int cli_remote_command_input(struct cli_remote_command *command, const char *path, const char *what)
{
    struct cli_remote_command *c = command;
    char there[CLI_REMOTE_NAME], name[CLI_TARGET_TEXT], script[2 * CLI_TARGET_PATH];
    const int code = cli_remote_push(c->remote, path, what, there);
    if (code != CLI_OK) return code;
    const int used = snprintf(name, sizeof name, "../%u/", c->link_count);
    make_plain(ets_os_name(path), name, (size_t)used);
    snprintf(script, sizeof script, "%s%.*s%sln -s \"$R/files/%s\" %s && ",
             c->link_count > 0 ? "mkdir " : "", c->link_count > 0 ? used : 0, name,
             c->link_count > 0 ? " && " : "", there, name);
    add_link(c, script);
    const bool is_here = c->link_count++ == 0 && name[used] != '-'; /* no option */
    cli_remote_command_word(c, is_here ? name + used : name);
    return CLI_OK;
}

int cli_remote_command_output(struct cli_remote_command *command, const char *path, bool is_prefix)
{
    struct cli_remote_command *c = command;
    char text[CLI_TARGET_TEXT + 16];
    if (strcmp(path, "-") == 0) {
        cli_remote_command_word(c, path);
        return CLI_OK;
    }
    if (c->output_count == CLI_REMOTE_OUTPUTS) {
        return cli_complain(CLI_USAGE, "more than %d outputs on a target", CLI_REMOTE_OUTPUTS);
    }
    struct cli_remote_output *output = &c->outputs[c->output_count];
    *output = (struct cli_remote_output){.path = path, .is_prefix = is_prefix};
    make_plain(ets_os_name(path), output->base, 0);
    snprintf(text, sizeof text, "mkdir ../out%u && ", c->output_count);
    add_link(c, text);
    snprintf(text, sizeof text, "../out%u/%s", c->output_count++, output->base);
    cli_remote_command_word(c, text);
    return CLI_OK;
}

/* ---- running it ---- */

/*
 * Standard input there is open as long as this process waits: when it ends, the command is stopped
 * and its folder removed. The shell gives commands in the background no standard input of its own;
 * the one that waits for its end stays until the connection is closed, or is killed before. What
 * the shell itself says of a command that was stopped is dropped: without a connection, saying it
 * would end the shell before it has removed the folder. What does not stop is killed.
 */
static const char script_of_run[] =
    "umask 077; R=\"%s\"; B=\"$R/bundles/%s\"; cd \"$R/runs\" && mkdir -p %s/0 && cd %s/0 && "
    "echo $$ > ../shell && %s"
    "{ exec 3<&0 4>&2 2>/dev/null; ETSCOPE_SELF=\"$B/start\" \"$B/start\"%s 2>&4 & P=$!; "
    "{ cat <&3; : > ../gone; kill $P; sleep 3; kill -9 $P; } >/dev/null 2>&1 & W=$!; "
    "exec 3<&- 4>&-; wait $P; C=$?; kill $W; "
    "[ -e ../gone ] || { echo $C > ../code && exit 0; }; }; rm -rf \"$R/runs/%s\"; exit 1";

int cli_remote_command_run(struct cli_remote_command *command, const char *bundle,
                           const char *output)
{
    static char script[CLI_REMOTE_SCRIPT + 8192];
    const struct cli_remote *remote = command->remote;
    if (command->is_too_long) return cli_complain(CLI_USAGE, "too many words for a target");
    snprintf(script, sizeof script, script_of_run, remote->connection.root, bundle, remote->run,
             remote->run, command->links, command->words, remote->run);
    const int code = cli_connection_run(
        &remote->connection, script, (struct cli_script_streams){.input = NULL, .output = output});
    if (code == 0) return CLI_OK;
    if (code == 1 && cli_interrupted() == 0) {
        return cli_complain(CLI_UNAVAILABLE, "%s: the command cannot begin: is its disk full?",
                            remote->connection.name);
    }
    return cli_connection_complain(&remote->connection, "while the command ran");
}

/* ---- its end ---- */

/* The exit code, and the names of what was written, a line each. */
static const char script_of_end[] =
    "cd \"%s/runs/%s\" && cat code && for F in out*/*; do [ ! -f \"$F\" ] || echo \"$F\"; done";

static int read_end(const struct cli_remote_command *c, char text[END_BYTES])
{
    char script[CLI_TARGET_PATH], path[CLI_TARGET_PATH + 16];
    const struct cli_remote *remote = c->remote;
    snprintf(script, sizeof script, script_of_end, remote->connection.root, remote->run);
    snprintf(path, sizeof path, "%s/end", remote->folder);
    const int code = cli_connection_run(&remote->connection, script,
                                        (struct cli_script_streams){.input = NULL, .output = path});
    text[0] = '\0';
    if (code == 0) (void)cli_remote_read(remote, path, text, END_BYTES);
    ets_os_remove(path);
    if (text[0] >= '0' && text[0] <= '9') return CLI_OK;
    return cli_connection_complain(&remote->connection, "its outputs");
}

/* Files that come back: each under a new name, until all are here. */
struct arrivals {
    struct ets_output *files[CLI_REMOTE_FILES];
    char *paths[CLI_REMOTE_FILES];
    unsigned count;
};

static int write_copy(const struct cli_connection *connection, const char *from, const char *path,
                      struct ets_output **output_out)
{
    struct ets_error error;
    struct ets_file *file;
    if (cli_file_open_as_it_is(from, &file, &error) != ETS_OK) return cli_fail(from, &error);
    const enum ets_status status = ets_output_open(path, output_out, &error);
    if (status == ETS_OK) {
        const struct ets_bytes bytes = ets_file_bytes(file);
        const size_t begin = cli_connection_answer(connection, bytes.data, bytes.size);
        ets_output_write(*output_out, bytes.data + begin, bytes.size - begin);
    }
    ets_file_close(file);
    return status == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

static int pull(const struct cli_remote_command *c, const char *name, const char *path,
                struct arrivals *arrivals)
{
    char there[CLI_TARGET_PATH], here[CLI_TARGET_PATH + 16];
    if (arrivals->count == CLI_REMOTE_FILES) {
        return cli_complain(CLI_INPUT, "%s: more than %d outputs", c->remote->connection.name,
                            CLI_REMOTE_FILES);
    }
    char *kept = strdup(path);
    if (kept == NULL) return cli_complain(CLI_INTERNAL, "no memory for the outputs");
    snprintf(there, sizeof there, "%s/runs/%s/%s", c->remote->connection.root, c->remote->run,
             name);
    snprintf(here, sizeof here, "%s/pulled", c->remote->folder);
    int code = cli_connection_pull(&c->remote->connection, there, here);
    if (code == CLI_OK)
        code = write_copy(&c->remote->connection, here, kept, &arrivals->files[arrivals->count]);
    ets_os_remove(here);
    if (code == CLI_OK) arrivals->paths[arrivals->count++] = kept;
    else free(kept);
    return code;
}

/*
 * Where "out0/trace.recording-1.etdp" goes: beside the output's path. Only the path that the user
 * gave and names that a command derives from it are written. NULL: it is none of them.
 */
static const char *place(struct cli_remote_command *c, const char *name, char path[CLI_TARGET_PATH])
{
    if (strncmp(name, "out", 3) != 0 || name[3] < '0' || name[3] > '9') return NULL;
    char *end;
    const unsigned long number = strtoul(name + 3, &end, 10);
    if (number >= c->output_count || *end != '/') return NULL;
    struct cli_remote_output *output = &c->outputs[number];
    const char *file = end + 1, *base = output->base;
    const char *ending = output->is_prefix ? base + strlen(base) : ets_os_ending(base);
    const size_t stem = (size_t)(ending - base);
    const char *own_ending = output->is_prefix ? "" : ets_os_ending(output->path);
    if (!output->is_prefix && strcmp(file, base) == 0) {
        output->is_here = true;
        return output->path;
    }
    if (strncmp(file, base, stem) != 0) return NULL;
    const char *rest = file + stem;
    const bool is_derived = output->is_prefix ? cli_derived_is_of_prefix(c->arguments, base, rest)
                                              : cli_derived_is_of_recording(rest, ending);
    if (!is_derived) return NULL;
    output->is_here = true;
    const int size = (int)(strlen(output->path) - strlen(own_ending));
    const int length = snprintf(path, CLI_TARGET_PATH, "%.*s%s", size, output->path, rest);
    return length > 0 && length < CLI_TARGET_PATH ? path : NULL;
}

static int pull_all(struct cli_remote_command *c, char *names, struct arrivals *arrivals)
{
    char room[CLI_TARGET_PATH];
    int code = CLI_OK;
    for (char *name = strtok(names, "\r\n"); name != NULL && code == CLI_OK;
         name = strtok(NULL, "\r\n")) {
        const char *path = place(c, name, room);
        if (path != NULL) code = pull(c, name, path, arrivals);
    }
    for (unsigned i = 0; i < c->output_count && code == CLI_OK; i++) {
        if (c->outputs[i].is_here || c->outputs[i].is_prefix) continue;
        code = cli_complain(CLI_INTERNAL, "%s: %s was not written there",
                            c->remote->connection.name, c->outputs[i].path);
    }
    return code;
}

/* All of them, or none. */
static int pull_outputs(struct cli_remote_command *c, char *names)
{
    static struct arrivals arrivals;
    struct ets_error error;
    arrivals.count = 0;
    size_t failed = 0;
    int code = pull_all(c, names, &arrivals);
    if (code == CLI_OK &&
        ets_outputs_commit(arrivals.files, arrivals.count, &failed, &error) != ETS_OK) {
        code = cli_fail_output(arrivals.paths[failed], &error);
    } else if (code != CLI_OK) {
        for (unsigned i = 0; i < arrivals.count; i++) ets_output_discard(arrivals.files[i]);
    }
    for (unsigned i = 0; i < arrivals.count; i++) free(arrivals.paths[i]);
    return code;
}

static void remove_run(const struct cli_remote_command *c)
{
    char script[CLI_TARGET_PATH];
    snprintf(script, sizeof script, "rm -rf \"%s/runs/%s\"", c->remote->connection.root,
             c->remote->run);
    const struct cli_script_streams streams = {.input = NULL, .output = ets_os_null_device};
    (void)cli_connection_run(&c->remote->connection, script, streams);
}

int cli_remote_command_end(struct cli_remote_command *command)
{
    static char text[END_BYTES];
    int failed = read_end(command, text);
    if (failed != CLI_OK) {
        if (cli_interrupted() == 0) remove_run(command);
        return failed;
    }
    const unsigned long code = strtoul(text, NULL, 10);
    if (code > 255) {
        failed = cli_complain(CLI_UNAVAILABLE, "%s: its shell gave no exit code",
                              command->remote->connection.name);
    }
    if (code == CLI_OK || code == CLI_NEGATIVE) {
        failed = pull_outputs(command, text + strcspn(text, "\r\n"));
    }
    remove_run(command);
    return failed != CLI_OK ? failed : (int)code;
}
