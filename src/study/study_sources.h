/* What a study is of: open traces, records and programs, which of them belong together, a machine.
 */
#ifndef ETSCOPE_STUDY_STUDY_SOURCES_H
#define ETSCOPE_STUDY_STUDY_SOURCES_H

#include "cost/machine.h"
#include "etscope/etrecord.h"
#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "etscope/program.h"
#include "views/advice_words.h"

struct ets_study_record {
    const char *path; /* as shown in the tables */
    struct ets_etrecord *record;
};

struct ets_study_program {
    const char *path;
    const struct ets_program *program;
};

struct ets_study_trace {
    const char *path;
    struct ets_inspection *inspection;
    struct ets_bytes debug_buffer; /* of the captured tensors; data NULL: none */
    uint32_t record, program; /* indices in the sources that it was joined with; or ETS_NO_INDEX */
};

/* Everything is borrowed until the study is reset, including the arrays. */
struct ets_study_sources {
    const struct ets_study_trace *traces;
    uint32_t trace_count;
    const struct ets_study_record *records;
    uint32_t record_count;
    const struct ets_study_program *programs;
    uint32_t program_count;
    const struct ets_machine *machine;        /* operators are judged by its roofs; NULL: none */
    uint32_t threads;                         /* that ran; if there is a machine */
    const struct ets_gap_report *const *gaps; /* [trace] of captured values; NULL: none */
    const struct ets_inspection *one_thread;  /* the first trace's program in turns; NULL: none */
    const struct ets_advice_words *words;     /* of findings; NULL: no advice in them */
    const char *const *checks; /* [ETS_CHECK_COUNT] commands that check findings; NULL: none */
};

#endif
