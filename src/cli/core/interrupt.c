/*
 * Handles SIGINT and SIGTERM, and removes temporary files at other signals that end a process.
 */
#include "cli/core/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "host/os/os_signals.h"
#include "host/os/os_streams.h"
#include "host/output.h"

static volatile sig_atomic_t is_kept, is_terminal, kept;
static const struct ets_os_process *volatile child;

/* Only functions that a signal handler may call. */
static bool take_signal(int number)
{
    static const char note[] = "\r\033[Kstopping; Ctrl-C again ends at once\n";
    if (child != NULL && number != SIGINT) ets_os_stop(child); /* a terminal tells it itself */
    if (is_kept && kept == 0 && ets_os_is_request(number)) {
        kept = number;
        if (is_terminal) ets_os_say(note, sizeof note - 1);
        return true;
    }
    ets_output_remove_temporaries();
    if (is_terminal) ets_os_say("\r\033[K", 4);
    return false;
}

void cli_interrupt_install(void)
{
    is_terminal = ets_os_is_terminal(ETS_OS_MESSAGES);
    ets_os_watch_interrupts(take_signal);
}

void cli_interrupt_begin(void)
{
    is_kept = 1;
}

void cli_interrupt_end(void)
{
    is_kept = 0;
}

void cli_interrupt_pass_to(const struct ets_os_process *process)
{
    child = process;
}

int cli_interrupted(void)
{
    return kept;
}
