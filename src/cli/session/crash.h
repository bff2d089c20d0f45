/*
 * Says where a program crashed: a kernel or delegate that faults ends the process, and a trace that
 * is not finished says nothing.
 *
 *     cli_crash_watch(engine, &program, path, wants_trace);
 *     engine->method_execute(...);
 *     cli_crash_forget();
 */
#ifndef ETSCOPE_CLI_SESSION_CRASH_H
#define ETSCOPE_CLI_SESSION_CRASH_H

#include <stdbool.h>

#include "etscope/engine.h"
#include "etscope/program.h"

/* All are borrowed until cli_crash_forget. Only a program that is traced tells its instruction. */
void cli_crash_watch(const struct ets_engine *engine, const struct ets_program *program,
                     const char *path, bool is_traced);
void cli_crash_forget(void);

#endif
