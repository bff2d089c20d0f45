/*
 * What ExecuTorch's runner for Cortex-M and Ethos-U prints: files as commands of a shell, echo
 * "BASE64" | base64 -d >FILE, and lines of counters.
 */
#ifndef ETSCOPE_DUMP_RUNNER_LOG_H
#define ETSCOPE_DUMP_RUNNER_LOG_H

#include <stdbool.h>

#include "etscope/base.h"

struct ets_runner_files {
    struct ets_bytes all;   /* of all files, one after another; size 0: there is none */
    uint32_t debug_buffers; /* complete ones among them */
};

/* Decodes the files of a log to `out`, which needs room for as many bytes as the log has. */
struct ets_runner_files ets_runner_files_decode(struct ets_bytes text, uint8_t *out);

/* What the device printed in the start in which it printed an ETDump. */
struct ets_runner_start {
    struct ets_bytes debug_buffer; /* of the ETDump; size 0: none, or it is not certain */
    struct ets_bytes log;          /* up to the ETDump */
};

/*
 * Finds the start of an ETDump within `all`, and decodes the files up to it again, to the same
 * `out`; what follows it there is lost. All sizes are 0 if no file has it.
 */
struct ets_runner_start ets_runner_start_find(struct ets_bytes text, uint8_t *out,
                                              struct ets_bytes dump);

/* Whether the log says that the times of its ETDump are cycles, or is of a program that counts so.
 */
bool ets_runner_counts_cycles(struct ets_bytes text);

/* The next line of counters, without what the log puts before it; false: there is no more. Begin
   with `*at` 0. */
bool ets_runner_next_counter(struct ets_bytes text, size_t *at, struct ets_text *line_out);

/*
 * Copies an ETDump to `out`, which needs ETS_RUNNER_EXTRA_BYTES more than it has, and states that
 * its times are cycles (docs/SPEC.md, CLOCK and CYCLES). Returns the size; 0: it has such a block
 * already, or no size at its beginning, and cannot be marked.
 */
enum { ETS_RUNNER_EXTRA_BYTES = 72 };
size_t ets_runner_mark_cycles(struct ets_bytes dump, uint8_t *out);

#endif
