/*
 * Handles SIGINT and SIGTERM, and removes temporary files at other signals that end a process.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/core/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "host/output.h"

static volatile sig_atomic_t is_kept, is_terminal, kept;

/* Only functions that a signal handler may call. */
static void take_signal(int number)
{
    static const char note[] = "\r\033[Kstopping; Ctrl-C again ends at once\n";
    const int before = errno;
    if (is_kept && kept == 0 && (number == SIGINT || number == SIGTERM)) {
        kept = number;
        if (is_terminal && write(STDERR_FILENO, note, sizeof note - 1) < 0) kept = number;
        errno = before;
        return;
    }
    ets_output_remove_temporaries();
    if (is_terminal && write(STDERR_FILENO, "\r\033[K", 4) < 0) kept = number;
    signal(number, SIG_DFL);
    raise(number); /* the caller sees what ended the process */
}

void cli_interrupt_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ};
    is_terminal = isatty(STDERR_FILENO);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = take_signal, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(numbers[i], &action, NULL);
    }
}

void cli_interrupt_begin(void)
{
    is_kept = 1;
}

void cli_interrupt_end(void)
{
    is_kept = 0;
}

int cli_interrupted(void)
{
    return kept;
}
