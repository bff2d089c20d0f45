/*
 * Silences standard error while foreign start-up code runs: the runtime's CPU detection writes
 * notes to file descriptor 2 that bypass its log hook.
 */
#ifndef ETSCOPE_HOST_OS_QUIET_H
#define ETSCOPE_HOST_OS_QUIET_H

#ifdef __cplusplus
extern "C" {
#endif

/* Redirects descriptor 2 to nowhere. Returns the argument for ets_os_quiet_end; -1: not changed. */
int ets_os_quiet_begin(void);

/* Restores descriptor 2. */
void ets_os_quiet_end(int saved);

#ifdef __cplusplus
}
#endif

#endif
