/* The progress line of a terminal. */
#define _POSIX_C_SOURCE 200809L
#include "cli/core/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS 500000000u
#define PAUSE_NS 200000000u

uint64_t cli_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct cli_progress cli_progress_start(void)
{
    return (struct cli_progress){isatty(STDERR_FILENO), cli_now_ns(), 0};
}

bool cli_progress_is_due(const struct cli_progress *progress, uint64_t now_ns)
{
    if (!progress->is_terminal || now_ns - progress->start_ns < FIRST_NS) return false;
    return progress->shown_ns == 0 || now_ns - progress->shown_ns >= PAUSE_NS;
}

/* Cut at 79 characters, so that it stays one line. */
void cli_progress_show(struct cli_progress *progress, uint64_t now_ns, const char *format, ...)
{
    char line[80];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    progress->shown_ns = now_ns;
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->shown_ns == 0) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->shown_ns = 0;
}
