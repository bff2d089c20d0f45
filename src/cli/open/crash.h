/*
 * Says where a program crashed: a kernel or delegate that faults ends the process, and a trace that
 * is not finished says nothing.
 *
 *     cli_crash_watch(engine, &program, path);
 *     engine->method_execute(...);
 *     cli_crash_forget();
 */
#ifndef ETSCOPE_CLI_OPEN_CRASH_H
#define ETSCOPE_CLI_OPEN_CRASH_H

#include "etscope/engine.h"
#include "etscope/program.h"

/* All are borrowed until cli_crash_forget. */
void cli_crash_watch(const struct ets_engine *engine, const struct ets_program *program,
                     const char *path);
void cli_crash_forget(void);

#endif
