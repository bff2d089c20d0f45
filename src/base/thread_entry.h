/* The entry of the extra block that tells on how many threads a program ran. */
#ifndef ETSCOPE_BASE_THREAD_ENTRY_H
#define ETSCOPE_BASE_THREAD_ENTRY_H

/* A key, behind those of enum ets_trace_key; docs/SPEC.md has the bytes. */
enum { ETS_THREADS_KEY = 12 };

#endif
