/* Pushes what is not there. */
#define _POSIX_C_SOURCE 200809L
#include "cli/target/remote_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/core/command.h"
#include "cli/session/child.h"
#include "cli/target/pack_folder.h"
#include "etscope/file.h"
#include "host/digest.h"
#include "host/os/os_files.h"
#include "host/os/os_libraries.h"
#include "host/os/os_processes.h"
#include "host/text_builder.h"

enum { SCRIPT_BYTES = 16384, LISTING_BYTES = 1 << 20 };

/*
 * Folders of this user alone. Says the machine, the bundles, and the files with their sizes. Runs
 * that a lost connection left a day ago go away, and what was pushed in part.
 */
static const char probe[] =
    "umask 077; R=\"%s\"; mkdir -p \"$R/bundles\" \"$R/files\" \"$R/runs\" && cd \"$R\" && "
    "uname -m && ls bundles; (cd files && stat -c '%%s %%n' * 2>/dev/null || wc -c * 2>/dev/null); "
    "{ for F in $(find runs -mindepth 1 -maxdepth 1 -mtime +0); do "
    "kill -0 $(cat $F/shell) || rm -rf $F; done; "
    "find files bundles -mindepth 1 -maxdepth 1 -name '*.*' -mmin +15 -exec rm -rf {} +; } "
    "2>/dev/null; exit 0";

/* The first line. It is a part of the names of bundles. */
static int read_machine(struct cli_remote *remote)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t size = strspn(remote->listing, plain);
    const char end = remote->listing[size];
    if (size == 0 || size >= sizeof remote->machine || (end != '\r' && end != '\n')) {
        return cli_complain(CLI_UNAVAILABLE,
                            "%s: its shell did not answer: no folder could be made below %s",
                            remote->connection.name, remote->connection.root);
    }
    memcpy(remote->machine, remote->listing, size);
    remote->machine[size] = '\0';
    return CLI_OK;
}

bool cli_remote_read(const struct cli_remote *remote, const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    const size_t size = fread(text, 1, room - 1, file);
    fclose(file);
    const size_t begin = cli_connection_answer(&remote->connection, text, size);
    memmove(text, text + begin, size - begin);
    text[size - begin] = '\0';
    return true;
}

static int read_listing(struct cli_remote *remote, const char *path)
{
    remote->listing = calloc(LISTING_BYTES + 1, 1);
    if (remote->listing == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory for what the target has");
    }
    if (!cli_remote_read(remote, path, remote->listing, LISTING_BYTES + 1)) {
        return cli_complain(CLI_INTERNAL, "%s: %s", path, strerror(errno));
    }
    return read_machine(remote);
}

int cli_remote_open(const char *target, struct cli_remote *remote_out)
{
    struct cli_remote *remote = remote_out;
    char script[SCRIPT_BYTES], path[CLI_TARGET_PATH + 16];
    struct timespec now;
    *remote = (struct cli_remote){.listing = NULL};
    int code = cli_connection_parse(target, &remote->connection);
    if (code == CLI_OK) code = cli_child_folder(remote->folder, sizeof remote->folder);
    if (code != CLI_OK) return code;
    cli_connection_share(&remote->connection, remote->folder);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(remote->run, sizeof remote->run, "%lx%08lx", ets_os_process_number(),
             (unsigned long)now.tv_nsec ^ (unsigned long)now.tv_sec << 30);
    snprintf(script, sizeof script, probe, remote->connection.root);
    snprintf(path, sizeof path, "%s/listing", remote->folder);
    const struct cli_script_streams streams = {.input = NULL, .output = path};
    const int answer = cli_connection_run(&remote->connection, script, streams);
    if (answer < 0) return CLI_UNAVAILABLE;
    if (answer != 0) return cli_connection_complain(&remote->connection, "its shell");
    return read_listing(remote, path);
}

static void remove_here(const struct cli_remote *remote, const char *name)
{
    char path[CLI_TARGET_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", remote->folder, name);
    ets_os_remove(path);
}

void cli_remote_close(struct cli_remote *remote)
{
    if (remote->folder[0] != '\0') {
        remove_here(remote, "listing");
        cli_connection_close(&remote->connection);
        ets_os_remove_folder(remote->folder);
    }
    free(remote->listing);
    *remote = (struct cli_remote){.listing = NULL};
}

/* Whether the listing has this line. */
static bool is_there(const struct cli_remote *remote, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = remote->listing; (at = strstr(at, name)) != NULL; at += size) {
        const bool begins = at == remote->listing || at[-1] == '\n';
        if (begins && (at[size] == '\n' || at[size] == '\r')) return true;
    }
    return false;
}

/* A name that says the content. */
static int name_file(const char *path, char name[CLI_REMOTE_NAME], uint64_t *bytes_out)
{
    struct ets_file *file;
    struct ets_error error;
    *bytes_out = 0;
    if (ets_os_look(path).kind > ETS_OS_FILE) {
        return cli_complain(CLI_USAGE, "%s: only files can be pushed to a target", path);
    }
    if (cli_file_open_as_it_is(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const struct ets_bytes bytes = ets_file_bytes(file);
    snprintf(name, CLI_REMOTE_NAME, "%016" PRIx64 "-%zu", ets_digest_of(bytes), bytes.size);
    *bytes_out = bytes.size;
    ets_file_close(file);
    return CLI_OK;
}

static void say_push(const struct cli_remote *remote, const char *what, uint64_t bytes)
{
    char room[CLI_TARGET_TEXT];
    struct ets_text_builder size = {room, sizeof room, 0};
    ets_add_bytes(&size, bytes);
    cli_note("%s: pushing %s, %.*s", remote->connection.name, what, (int)size.used, room);
}

int cli_remote_push(struct cli_remote *remote, const char *path, const char *what,
                    char name_out[CLI_REMOTE_NAME])
{
    const char *root = remote->connection.root;
    char script[SCRIPT_BYTES], there[CLI_TARGET_PATH], line[CLI_REMOTE_NAME + 32];
    uint64_t bytes;
    const int code = name_file(path, name_out, &bytes);
    snprintf(line, sizeof line, "%" PRIu64 " %s", bytes, name_out);
    if (code != CLI_OK || is_there(remote, line)) return code;
    say_push(remote, what, bytes);
    snprintf(there, sizeof there, "%s/files/%s.%s", root, name_out, remote->run);
    snprintf(script, sizeof script,
             "[ \"$(wc -c < \"$T\")\" -eq %" PRIu64
             " ] && chmod 400 \"$T\" && "
             "mv -f \"$T\" \"%s/files/%s\"",
             bytes, root, name_out);
    return cli_connection_push(&remote->connection, path, there, script);
}

/* Beside the program, in its libraries, or named by ETSCOPE_BUNDLES. */
static bool find_bundle(const char *machine, char path[CLI_TARGET_PATH])
{
    char self[CLI_TARGET_PATH];
    const char *named = getenv("ETSCOPE_BUNDLES");
    if (!ets_os_program(self, sizeof self) || !ets_os_cut_name(self)) self[0] = '\0';
    const char *const folders[] = {named, self, self, self};
    static const char *const below[] = {"", "", "/../lib/etscope", "/../bundles"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (folders[i] == NULL || *folders[i] == '\0') continue;
        snprintf(path, CLI_TARGET_PATH, "%.3900s%s/etscope-bundle-%s.tar", folders[i], below[i],
                 machine);
        if (ets_os_can_read(path)) return true;
    }
    return false;
}

static int push_tar(struct cli_remote *remote, const char *path, char name_out[CLI_REMOTE_NAME])
{
    const char *root = remote->connection.root;
    char script[SCRIPT_BYTES], there[CLI_TARGET_PATH];
    uint64_t bytes;
    const int code = name_file(path, name_out, &bytes);
    if (code != CLI_OK || is_there(remote, name_out)) return code;
    say_push(remote, "the program", bytes);
    snprintf(there, sizeof there, "%s/bundles/%s.%s.tar", root, name_out, remote->run);
    /* Of two that do this at once, the second finds the first one's folder, or moves its own into
     * it. */
    snprintf(script, sizeof script,
             "[ \"$(wc -c < \"$T\")\" -eq %" PRIu64
             " ] && cd \"%s/bundles\" && N=%s && F=$N.%s && "
             "mkdir $F && { tar -xf \"$T\" -C $F && { [ -d $N ] || mv $F $N || [ -d $N ]; }; C=$?; "
             "rm -rf $F $N/$F \"$T\"; [ $C -eq 0 ]; }",
             bytes, root, name_out, remote->run);
    return cli_connection_push(&remote->connection, path, there, script);
}

static int push_folder(struct cli_remote *remote, const char *folder,
                       char name_out[CLI_REMOTE_NAME])
{
    char path[CLI_TARGET_PATH + 16];
    snprintf(path, sizeof path, "%s/runtime.tar", remote->folder);
    int code = cli_pack_folder(folder, path);
    if (code == CLI_OK) code = push_tar(remote, path, name_out);
    ets_os_remove(path);
    return code;
}

int cli_remote_push_bundle(struct cli_remote *remote, const char *given,
                           char name_out[CLI_REMOTE_NAME])
{
    char found[CLI_TARGET_PATH];
    if (given != NULL && ets_os_look(given).kind == ETS_OS_FOLDER) {
        return push_folder(remote, given, name_out);
    }
    if (given != NULL) return push_tar(remote, given, name_out);
    if (find_bundle(remote->machine, found)) return push_tar(remote, found, name_out);
    return cli_complain(
        CLI_UNAVAILABLE,
        "%s is %s, and there is no etscope-bundle-%s.tar: make it with `make bundle "
        "TARGET=%s`, or name one with --target-runtime",
        remote->connection.name, remote->machine, remote->machine, remote->machine);
}
