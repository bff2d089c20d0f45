/*
 * Ctrl-C (SIGINT) and SIGTERM. A command ends at once and leaves no temporary file. Between
 * cli_interrupt_begin and _end, the first signal is kept instead, so that the command can stop its
 * work and show what it has; the second ends it at once. Other signals that end a process (SIGHUP,
 * SIGQUIT, SIGPIPE, limits of the shell) also leave no temporary file.
 */
#ifndef ETSCOPE_CLI_CORE_INTERRUPT_H
#define ETSCOPE_CLI_CORE_INTERRUPT_H

#include <stdbool.h>

#include "host/os/os_processes.h"

/* main, once. Signals that the process ignores stay ignored. */
void cli_interrupt_install(void);

void cli_interrupt_begin(void);
void cli_interrupt_end(void);
/* A process that is to end with this one: it gets what asks this one to end. NULL: none. */
void cli_interrupt_pass_to(const struct ets_os_process *process);
/* The number of the signal that was kept; 0: none. It stays after cli_interrupt_end. */
int cli_interrupted(void);

#endif
