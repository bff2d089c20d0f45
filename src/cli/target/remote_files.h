/*
 * Files on the target, named by the digest of their content, so that each is pushed once: bundles
 * of the program, models and inputs.
 */
#ifndef ETSCOPE_CLI_TARGET_REMOTE_FILES_H
#define ETSCOPE_CLI_TARGET_REMOTE_FILES_H

#include <stdbool.h>

#include "cli/target/connection.h"

enum { CLI_REMOTE_NAME = 64 };

/* What is there already. */
struct cli_remote {
    struct cli_connection connection;
    char machine[32];             /* as uname -m says: "aarch64" */
    char *listing;                /* names of bundles and files, a line each */
    char run[32];                 /* name of this command's own folder */
    char folder[CLI_TARGET_PATH]; /* for files here, removed by cli_remote_close */
};

/* Connects, and asks what is there. Returns an exit code. Close it in any case. */
int cli_remote_open(const char *target, struct cli_remote *remote_out);
void cli_remote_close(struct cli_remote *remote);

/* Reads what a script said into a file, without what a login shell said before, as a text of at
 * most `room` - 1 bytes. false: errno. */
bool cli_remote_read(const struct cli_remote *remote, const char *path, char *text, size_t room);

/*
 * Pushes the file unless it is there. `what` names it in notes; `name_out`: its name in the folder
 * files there. Returns an exit code.
 */
int cli_remote_push(struct cli_remote *remote, const char *path, const char *what,
                    char name_out[CLI_REMOTE_NAME]);

/*
 * Pushes and unpacks the bundle for the target's machine, unless it is there: `given`, a tar or
 * a folder, or the one that lies beside the program. `name_out`: its name in the folder bundles.
 * Returns an exit code.
 */
int cli_remote_push_bundle(struct cli_remote *remote, const char *given,
                           char name_out[CLI_REMOTE_NAME]);

#endif
