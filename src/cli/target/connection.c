/* Starts ssh and adb, and waits for them. */
#define _POSIX_C_SOURCE 200809L
#include "cli/target/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/core/command.h"
#include "cli/core/interrupt.h"
#include "host/os/os_files.h"
#include "host/os/os_input.h"
#include "host/os/os_processes.h"
#include "host/os/os_sockets.h"

/* Moments: the script of a command has 5 s to end itself; one that takes a file does so at once. */
enum { MOST_WORDS = 24, MOMENT_NS = 2000000, PATIENCE = 2500, PATIENCE_OF_PUSH = 50 };

static const char ssh_root[] = "$HOME/.cache/etscope";
static const char adb_root[] = "/data/local/tmp/etscope";

/* What starts a connection: ssh or adb, as the user names them. */
static const char *program_of(const struct cli_connection *connection)
{
    const char *named = getenv(connection->is_adb ? "ETSCOPE_ADB" : "ETSCOPE_SSH");
    if (named != NULL && *named != '\0') return named;
    return connection->is_adb ? "adb" : "ssh";
}

static bool copy_part(char *to, size_t room, const char *from, size_t size)
{
    if (size >= room) return false;
    memcpy(to, from, size);
    to[size] = '\0';
    return true;
}

/* An address that begins with - would be an option of ssh or adb. */
static bool is_address(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c <= ' ' || (unsigned char)*c == 127) return false;
    }
    return *text != '\0' && *text != '-';
}

/* [::1]:22, whose brackets ssh does not know; an address with several colons is IPv6's, too. */
static bool parse_host(const char *host, const char **end_out, bool *has_brackets_out)
{
    const char *colon = strchr(host, ':'), *bracket = strchr(host, ']');
    *has_brackets_out = *host == '[';
    if (*host == '[') {
        *end_out = bracket;
        return bracket != NULL && bracket > host + 1 && (bracket[1] == '\0' || bracket[1] == ':');
    }
    const bool has_port = colon != NULL && strchr(colon + 1, ':') == NULL;
    *end_out = has_port ? colon : host + strlen(host);
    return *end_out > host && bracket == NULL;
}

/* USER@HOST[:PORT] */
static bool parse_ssh(const char *text, struct cli_connection *connection)
{
    char *address = connection->address;
    const char *at = strrchr(text, '@'), *host = at == NULL ? text : at + 1, *end;
    const size_t user = (size_t)(host - text);
    bool has_brackets;
    if (!parse_host(host, &end, &has_brackets)) return false;
    const char *port = end + has_brackets;
    host += has_brackets;
    if (!copy_part(address, sizeof connection->address, text, user) ||
        !copy_part(address + user, sizeof connection->address - user, host, (size_t)(end - host)) ||
        !is_address(address)) {
        return false;
    }
    if (*port == '\0') return true;
    const size_t digits = strspn(port + 1, "0123456789");
    return digits > 0 && port[1 + digits] == '\0' &&
           copy_part(connection->port, sizeof connection->port, port + 1, digits);
}

void cli_connection_share(struct cli_connection *connection, const char *folder)
{
    struct cli_connection *c = connection;
    if (c->is_adb || !ets_os_has_local_sockets) return;
    const int size = snprintf(c->socket, sizeof c->socket, "%s/s", folder);
    /* ssh adds 17 characters, and the path of a socket has about 100; it reads more into some
     * marks. */
    if (size < 0 || size > 80 || strpbrk(folder, "%$ \t\"\\'") != NULL) c->socket[0] = '\0';
}

int cli_connection_parse(const char *text, struct cli_connection *connection_out)
{
    struct cli_connection *c = connection_out;
    *c = (struct cli_connection){.name = text, .root = ssh_root};
    if (strncmp(text, "ssh:", 4) == 0 && parse_ssh(text + 4, c)) return CLI_OK;
    c->is_adb = true;
    c->root = adb_root;
    if (strcmp(text, "adb") == 0) return CLI_OK;
    if (strncmp(text, "adb:", 4) == 0 && is_address(text + 4) &&
        copy_part(c->address, sizeof c->address, text + 4, strlen(text + 4))) {
        return CLI_OK;
    }
    return cli_complain(CLI_USAGE,
                        "--target takes ssh:USER@HOST[:PORT] or adb[:SERIAL], not \"%s\"", text);
}

struct words {
    const char *items[MOST_WORDS];
    unsigned count;
};

static void add(struct words *words, const char *word)
{
    if (words->count + 1 < MOST_WORDS) words->items[words->count++] = word;
}

/* The words up to the script. `socket` has room for an option. */
static void begin(const struct cli_connection *connection, struct words *words,
                  char socket[CLI_TARGET_PATH + 16])
{
    add(words, program_of(connection));
    if (connection->is_adb) {
        if (connection->address[0] != '\0') {
            add(words, "-s");
            add(words, connection->address);
        }
        return;
    }
    add(words, "-T");
    add(words, "-oBatchMode=yes");
    add(words, "-oConnectTimeout=15");
    add(words, "-oServerAliveInterval=5");
    if (connection->socket[0] != '\0') {
        add(words, "-oControlMaster=auto");
        add(words, "-oControlPersist=30");
        snprintf(socket, CLI_TARGET_PATH + 16, "-oControlPath=%s", connection->socket);
        add(words, socket);
    }
    if (connection->port[0] != '\0') {
        add(words, "-p");
        add(words, connection->port);
    }
    add(words, connection->address);
}

static void close_feed(struct ets_os_process *process)
{
    if (process->feed >= 0) ets_os_close(process->feed);
    process->feed = -1;
}

/*
 * Waits for the process. When this one is interrupted, it closes the end of the pipe, so that the
 * script there ends; a process that does not end by that is ended.
 */
static int wait_for(const char *program, struct ets_os_process *process)
{
    const struct timespec moment = {0, MOMENT_NS};
    int code = 0, patience = process->feed >= 0 ? PATIENCE : PATIENCE_OF_PUSH;
    enum ets_os_end end;
    while ((end = ets_os_wait(process, false, &code)) == ETS_OS_RUNS) {
        if (cli_interrupted() != 0) {
            close_feed(process);
            if (patience-- == 0) ets_os_stop(process);
        }
        nanosleep(&moment, NULL);
    }
    close_feed(process);
    if (end == ETS_OS_LOST) {
        cli_complain(CLI_UNAVAILABLE, "%s: %s", program, strerror(code));
        return -1;
    }
    return end == ETS_OS_EXITED ? code : CLI_SIGNAL + code;
}

static int run_words(const struct cli_connection *connection, const struct words *words,
                     struct cli_script_streams streams)
{
    const struct ets_os_streams wanted = {
        .input = streams.input, .output = streams.output, .has_feed = streams.input == NULL};
    struct ets_os_process process;
    const int failed = ets_os_start(words->items, &wanted, &process);
    if (failed == 0) return wait_for(words->items[0], &process);
    cli_complain(CLI_UNAVAILABLE, "%s: %s; install it, or name it in %s", words->items[0],
                 strerror(failed), connection->is_adb ? "ETSCOPE_ADB" : "ETSCOPE_SSH");
    return -1;
}

static const char mark[] = "etscope answers:\n";

/*
 * ssh gives the words to the login shell, which may be fish or csh: in single quotes they are
 * alike, but for backslashes and exclamation marks, which stand outside of them.
 */
static char *word_for_shells(const char *script, bool is_marked)
{
    static const char begins[] = "exec sh -c '", says[] = "echo etscope answers:; ";
    char *text = malloc(4 * strlen(script) + sizeof begins + sizeof says), *to = text;
    if (text == NULL) return NULL;
    to += sprintf(to, "%s%s", begins, is_marked ? says : "");
    for (const char *c = script; *c != '\0'; c++) {
        if (strchr("'\\!", *c) != NULL) to += sprintf(to, "'\\%c'", *c);
        else *to++ = *c;
    }
    memcpy(to, "'", 2);
    return text;
}

int cli_connection_run(const struct cli_connection *connection, const char *script,
                       struct cli_script_streams streams)
{
    struct words words = {.count = 0};
    char socket[CLI_TARGET_PATH + 16], *word = NULL;
    begin(connection, &words, socket);
    if (connection->is_adb) {
        add(&words, "shell");
    } else {
        word = word_for_shells(script, streams.output != NULL);
        if (word == NULL) {
            cli_complain(CLI_INTERNAL, "no memory for a script");
            return -1;
        }
    }
    add(&words, word != NULL ? word : script);
    const int code = run_words(connection, &words, streams);
    free(word);
    return code;
}

size_t cli_connection_answer(const struct cli_connection *connection, const void *data, size_t size)
{
    const char *bytes = data;
    const size_t mark_size = sizeof mark - 1;
    if (connection->is_adb) return 0;
    for (size_t i = 0; i + mark_size <= size; i++) {
        if (memcmp(bytes + i, mark, mark_size) == 0) return i + mark_size;
    }
    return size;
}

int cli_connection_complain(const struct cli_connection *connection, const char *what)
{
    if (cli_interrupted() != 0) return CLI_SIGNAL + cli_interrupted();
    return cli_complain(CLI_UNAVAILABLE,
                        "%s: %s: the connection was refused or lost; `%s%s%s` "
                        "must work without a question",
                        connection->name, what, connection->is_adb ? "adb" : "ssh",
                        connection->address[0] == '\0' ? ""
                        : connection->is_adb           ? " -s "
                                                       : " ",
                        connection->address);
}

/* "adb push FROM TO", "adb pull FROM TO"; `what` failed otherwise. */
static int copy_by_adb(const struct cli_connection *connection, const char *direction,
                       const char *from, const char *to, const char *what)
{
    struct words words = {.count = 0};
    const struct cli_script_streams quiet = {.input = NULL, .output = ets_os_null_device};
    char socket[CLI_TARGET_PATH + 16];
    begin(connection, &words, socket);
    add(&words, direction);
    add(&words, from);
    add(&words, to);
    return run_words(connection, &words, quiet) == 0 ? CLI_OK
                                                     : cli_connection_complain(connection, what);
}

/* Of a connection that ends, the shell there sees the end of the file. */
int cli_connection_push(const struct cli_connection *connection, const char *local,
                        const char *remote, const char *script)
{
    char text[3 * CLI_TARGET_PATH];
    struct cli_script_streams streams = {local, ets_os_null_device};
    int copied = CLI_OK;
    if (connection->is_adb) {
        char path[CLI_TARGET_PATH + 2]; /* that begins with - is no option of adb */
        snprintf(path, sizeof path, "%s%s", *local == '-' ? "./" : "", local);
        copied = copy_by_adb(connection, "push", path, remote, local);
        streams.input = NULL;
    }
    const char *first = copied != CLI_OK ? "false" : connection->is_adb ? ":" : "cat > \"$T\"";
    snprintf(text, sizeof text, "umask 077; T=\"%s\"; { %s && %s; } || { rm -f \"$T\"; exit 1; }",
             remote, first, script);
    const int code = cli_connection_run(connection, text, streams);
    if (copied != CLI_OK || code == 0) return copied;
    if (cli_interrupted() != 0) return CLI_SIGNAL + cli_interrupted();
    if (code == 255 || code < 0) return cli_connection_complain(connection, local);
    return cli_complain(CLI_UNAVAILABLE, "%s: %s cannot be copied there: is its disk full?",
                        connection->name, local);
}

int cli_connection_pull(const struct cli_connection *connection, const char *remote,
                        const char *local)
{
    char text[CLI_TARGET_PATH + 64];
    if (connection->is_adb) return copy_by_adb(connection, "pull", remote, local, remote);
    snprintf(text, sizeof text, "cat \"%s\"", remote);
    const int code = cli_connection_run(connection, text, (struct cli_script_streams){NULL, local});
    return code == 0 ? CLI_OK : cli_connection_complain(connection, "its outputs");
}

void cli_connection_close(const struct cli_connection *connection)
{
    struct words words = {.count = 0};
    char socket[CLI_TARGET_PATH + 16];
    if (connection->socket[0] == '\0') return;
    if (ets_os_look(connection->socket).kind == ETS_OS_NOTHING) return;
    add(&words, program_of(connection));
    snprintf(socket, sizeof socket, "-oControlPath=%s", connection->socket);
    add(&words, socket);
    add(&words, "-oLogLevel=QUIET");
    add(&words, "-O");
    add(&words, "exit");
    add(&words, connection->address);
    (void)run_words(connection, &words,
                    (struct cli_script_streams){.input = NULL, .output = ets_os_null_device});
    ets_os_remove(connection->socket);
}
