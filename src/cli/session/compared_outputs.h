/* Outputs of a program, and whether a changed program gives the same ones, bit for bit. */
#ifndef ETSCOPE_CLI_SESSION_COMPARED_OUTPUTS_H
#define ETSCOPE_CLI_SESSION_COMPARED_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "etscope/engine.h"
#include "host/arena.h"

/* An output of the program as it is, by its bytes. */
struct cli_kept_output {
    void *bytes;
    size_t size;
};

/* `arena` is to be initialized; cli_compared_outputs_close releases it. */
struct cli_compared_outputs {
    struct ets_arena arena;
    struct cli_kept_output *outputs; /* in the order of execution */
    size_t count, room;
    bool is_kept; /* the program as it is has run: outputs are compared now */
    size_t compared, differing;
    char first_differing[128];
};

/*
 * Keeps the outputs that a method of the program as it is has just given, or of the changed one
 * compares them. `path` is for errors. Returns an exit code.
 */
int cli_compared_outputs_see(struct cli_compared_outputs *outputs, const struct ets_engine *engine,
                             struct ets_engine_program *program, struct ets_engine_method *method,
                             const char *name, const char *path);
void cli_compared_outputs_close(struct cli_compared_outputs *outputs);

#endif
