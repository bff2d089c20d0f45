/* What interrupts this process, and what faults in it. */
#ifndef ETSCOPE_HOST_OS_SIGNALS_H
#define ETSCOPE_HOST_OS_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls `take` at what ends a process: Ctrl-C, the end of its terminal, a request, limits of a
 * shell. If it returns false, the process ends as it would have done. What the process ignores
 * stays ignored. `take` may only call what this header, ets_os_remove and signal handlers may.
 */
void ets_os_watch_interrupts(bool (*take)(int number));
/* What reads the output may go away without ending this process. */
void ets_os_ignore_lost_readers(void);
/* Ctrl-C, or a request to end. */
bool ets_os_is_request(int number);

/* Calls `take` with words that name the fault ("SIGSEGV: ...") before one ends the process. */
void ets_os_watch_faults(void (*take)(const char *what));
void ets_os_forget_faults(void);

/* Writes to standard error without the C library. */
void ets_os_say(const char *text, size_t size);

#endif
