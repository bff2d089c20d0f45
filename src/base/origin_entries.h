/* Entries of the extra block that tell of another runtime's profile; docs/SPEC.md has their bytes.
 */
#ifndef ETSCOPE_BASE_ORIGIN_ENTRIES_H
#define ETSCOPE_BASE_ORIGIN_ENTRIES_H

/* Keys, behind those of memory_entries.h. */
enum ets_origin_key {
    ETS_ORIGIN_KEY_RUNTIME = 10, /* whose profile it was */
    ETS_ORIGIN_KEY_NODE = 11,    /* what the profile tells of one instruction */
    ETS_ORIGIN_KEY_CYCLES = 13   /* whether times are cycles */
};

enum { ETS_ORIGIN_RUNTIME_BYTES = 8, ETS_ORIGIN_NODE_BYTES = 28, ETS_ORIGIN_CYCLES_BYTES = 4 };

/* Its instruction has no enclosing one. */
#define ETS_ORIGIN_NO_PARENT UINT32_MAX

#endif
