/* Starts programs with streams of their own, and waits for them. */
#ifndef ETSCOPE_HOST_OS_PROCESSES_H
#define ETSCOPE_HOST_OS_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Of a new process. NULL: those of this process. */
struct ets_os_streams {
    const char *input;             /* a file */
    const char *output, *messages; /* files, made or emptied, for this user alone */
    bool has_feed;                 /* instead of `input`: a pipe that gives nothing */
    bool has_answer;               /* instead of `output` and `messages`: one pipe of both */
};

struct ets_os_process {
    intptr_t id;
    FILE *answer; /* of has_answer; the caller closes it */
    int feed;     /* of has_feed: the other end, for ets_os_close; -1: none */
};

/* The program is `words[0]`, found as a shell does; NULL ends the words. Returns 0 or an errno;
 * emulators tell that it is missing by its exit code alone, 127.
 */
int ets_os_start(const char *const *words, const struct ets_os_streams *streams,
                 struct ets_os_process *process_out);

enum ets_os_end { ETS_OS_RUNS, ETS_OS_EXITED, ETS_OS_SIGNALLED, ETS_OS_LOST };

/*
 * Waits for the end, or only asks for it. `*code_out`: the exit code, the signal's number, or of
 * ETS_OS_LOST an errno. After any answer but ETS_OS_RUNS the process is not asked again.
 */
enum ets_os_end ets_os_wait(const struct ets_os_process *process, bool waits, int *code_out);

/* Asks it to end. */
void ets_os_stop(const struct ets_os_process *process);

/* Starts what shows an address in the user's browser. Returns 0 or an errno. */
int ets_os_show_in_browser(const char *address, struct ets_os_process *process_out);

long ets_os_process_number(void); /* of this process */

#endif
