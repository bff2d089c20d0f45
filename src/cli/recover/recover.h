/* What `recover` found in a capture, and its report. */
#ifndef ETSCOPE_CLI_RECOVER_RECOVER_H
#define ETSCOPE_CLI_RECOVER_RECOVER_H

#include "cli/files/inputs.h"
#include "cli/streams/recovered_stream.h"
#include "etscope/experimental/device_log.h"
#include "etscope/trace_extra.h"

struct recovery {
    const char *path, *output_path;
    char *made;                             /* the output's name, if none was given */
    const char *debug_path;                 /* the debug buffer's output; NULL: there is none */
    char *made_debug;                       /* its name, if none was given */
    const char *program_path, *record_path; /* NULL: not given */
    struct ets_bytes bytes;                 /* of the capture */
    struct ets_device_log found;
    uint32_t part, part_count; /* counted from 1: the streams, then the ETDump in the capture */
    bool is_stream;            /* false: the ETDump of the capture */
    bool is_summary;           /* it is a summary in place of an ETDump */
    struct recovered_stream stream;
    struct ets_bytes dump; /* the output */
    bool is_in_cycles;     /* as the output states */
    uint32_t runs;
    uint64_t events;                   /* 0 of a summary */
    const struct ets_program *program; /* NULL: not given */
    struct ets_etrecord *record;       /* NULL: not given */
};

/* recovery_outputs.c: names the outputs; reports one that must not be written. Returns an exit
 * code. */
int recovery_choose_outputs(const struct cli_arguments *arguments, struct recovery *recovery);

/* Writes all outputs, or none. Returns an exit code. */
int recovery_write(const struct recovery *recovery);

/* Prints the report. Returns an exit code. */
int recovery_report(const struct recovery *recovery, bool is_json);

#endif
