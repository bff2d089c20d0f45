/*
 * A way to another machine: runs scripts of its shell, and copies files. The connection is opened
 * for each call, unless cli_connection_share lets ssh keep one open for all of them.
 */
#ifndef ETSCOPE_CLI_TARGET_CONNECTION_H
#define ETSCOPE_CLI_TARGET_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_TARGET_TEXT = 256, CLI_TARGET_PATH = 4096 };

struct cli_connection {
    bool is_adb;
    char address[CLI_TARGET_TEXT]; /* USER@HOST, or adb's serial number, or "" */
    char port[8];                  /* of ssh; "" for its own choice */
    char socket[CLI_TARGET_PATH];  /* of ssh's shared connection; "": none */
    const char *root;              /* the folder there, as its shell expands it */
    const char *name;              /* as the user wrote it, for messages */
};

/* "ssh:me@board:2222", "adb:emulator-5554". Returns an exit code. */
int cli_connection_parse(const char *text, struct cli_connection *connection_out);

/*
 * Lets ssh keep one connection open for all calls, through a socket in the folder. Who can write
 * there can take over the connection: the folder is of this user alone.
 */
void cli_connection_share(struct cli_connection *connection, const char *folder);

/* Where a script's standard streams go. */
struct cli_script_streams {
    const char *input;  /* a file; NULL: a pipe that stays open until the script has ended */
    const char *output; /* a file; NULL: standard output of this process */
};

/*
 * Runs a script there. Returns its exit code; of ssh, 255: there was no connection. Negative: the
 * program that connects could not be started, which was said.
 */
int cli_connection_run(const struct cli_connection *connection, const char *script,
                       struct cli_script_streams streams);

/*
 * Where an answer begins in the file of `output`, after what the login shell printed; `size`: there
 * is none.
 */
size_t cli_connection_answer(const struct cli_connection *connection, const void *data,
                             size_t size);

/*
 * Copies a file there, under a path that the shell there expands; then `script` puts it in place,
 * whose "$T" is that path. What did not succeed leaves no file. Returns an exit code.
 */
int cli_connection_push(const struct cli_connection *connection, const char *local,
                        const char *remote, const char *script);
/*
 * Copies a file here, to `local`, which is made or replaced: from cli_connection_answer on. Returns
 * an exit code.
 */
int cli_connection_pull(const struct cli_connection *connection, const char *remote,
                        const char *local);

/* Ends ssh's shared connection; its folder is empty of it. */
void cli_connection_close(const struct cli_connection *connection);

/* Says that the connection was lost or refused. Returns an exit code. */
int cli_connection_complain(const struct cli_connection *connection, const char *what);

#endif
