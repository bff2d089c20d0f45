/*
 * Silence on standard error while foreign start-up code runs: the runtime's CPU detection writes
 * notes to file descriptor 2 that no log hook sees.
 */
#ifndef ETSCOPE_ENGINE_QUIET_H
#define ETSCOPE_ENGINE_QUIET_H

#ifdef __cplusplus
extern "C" {
#endif

/* Points descriptor 2 at nothing. Returns what end takes back; -1 where nothing was changed. */
int ets_quiet_begin(void);

/* Restores descriptor 2. */
void ets_quiet_end(int saved);

#ifdef __cplusplus
}
#endif

#endif
