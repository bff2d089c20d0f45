/* Entries of the extra block that tell of another runtime's profile; docs/SPEC.md has their bytes.
 */
#ifndef ETSCOPE_BASE_ORIGIN_ENTRIES_H
#define ETSCOPE_BASE_ORIGIN_ENTRIES_H

enum { ETS_ORIGIN_RUNTIME_BYTES = 8, ETS_ORIGIN_NODE_BYTES = 28, ETS_ORIGIN_CYCLES_BYTES = 4 };

/* Its instruction has no enclosing one. */
#define ETS_ORIGIN_NO_PARENT UINT32_MAX

#endif
