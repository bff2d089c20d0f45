/* The progress line of a terminal. */
#define _DEFAULT_SOURCE
#include "cli/core/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "host/os/os_streams.h"

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
    return (struct cli_progress){ets_os_is_terminal(ETS_OS_MESSAGES), cli_now_ns(), 0};
}

bool cli_progress_is_due(const struct cli_progress *progress, uint64_t now_ns)
{
    if (!progress->is_terminal || now_ns - progress->start_ns < FIRST_NS) return false;
    return progress->shown_ns == 0 || now_ns - progress->shown_ns >= PAUSE_NS;
}

enum { LONGEST = 400, USUAL_WIDTH = 80, LEAST_WIDTH = 20 };

/* Bytes of a line of the terminal, but for the last column: a full line would wrap. */
static size_t line_bytes(void)
{
    const size_t told = ets_os_terminal_width(ETS_OS_MESSAGES);
    const size_t width = told >= LEAST_WIDTH ? told : USUAL_WIDTH;
    return width < LONGEST ? width : LONGEST;
}

void cli_progress_show(struct cli_progress *progress, uint64_t now_ns, const char *format, ...)
{
    char line[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, line_bytes(), format, arguments);
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

void cli_progress_count(struct cli_progress *progress, const char *what, double done, double all)
{
    const uint64_t now = cli_now_ns();
    char left[32] = "";
    if (done < 1 || !cli_progress_is_due(progress, now)) return;
    const double per_s = done / ((double)(now - progress->start_ns) / 1e9);
    if (all >= done) snprintf(left, sizeof left, ", %.0f s left", (all - done) / per_s);
    cli_progress_show(progress, now, "%s %.0f of %.0f, %.3g/s%s", what, done, all, per_s, left);
}
