/*
 * What to look at next and what to change: findings in sentences, ordered by what they cost.
 *
 *     const struct ets_findings_subject subject = {.inspection = inspection, .program = &program};
 *     struct ets_findings findings;
 *     ETS_TRY(ets_findings_collect(&arena, &subject, &findings, error));
 *     for (uint32_t i = 0; i < findings.count; i++) print(findings.items[i].sentence);
 *
 * A rule uses what other views compute, and says no more than the data decide: where a range does
 * not decide, there is no finding. A saving is a range with its basis. Findings are in the arena;
 * their frames are the record's.
 */
#ifndef ETSCOPE_ADVICE_FINDINGS_H
#define ETSCOPE_ADVICE_FINDINGS_H

#include "contents/byte_map.h"
#include "etscope/etrecord.h"
#include "etscope/experimental/gap.h"
#include "etscope/program.h"
#include "views/advice_words.h"
#include "views/headroom.h"
#include "views/memory_lines.h"
#include "views/work.h"

enum ets_severity { ETS_SEVERITY_BAD = 0, ETS_SEVERITY_NOTE = 1, ETS_SEVERITY_GOOD = 2 };

/* What can be examined; NULL: not there. */
struct ets_findings_subject {
    const struct ets_inspection *inspection;
    const struct ets_program *program;
    struct ets_etrecord *record;           /* of the program */
    const struct ets_memory_lines *memory; /* of the method that ran longest */
    const struct ets_byte_map *bytes;      /* of the program, with duplicates */
    const struct ets_gap_report *gap;
    const struct ets_headroom *headrooms;    /* [block] of a machine */
    const struct ets_inspection *one_thread; /* the same program, in turns, with one thread */
    const struct ets_advice_words *words;    /* NULL: no advice */
};

/* What a saving is known from. */
enum ets_saving_basis {
    ETS_SAVING_NONE = 0,    /* nothing is saved, or how much is not known */
    ETS_SAVING_REMOVED = 1, /* the measured time of what goes away, from its fastest runs on */
    ETS_SAVING_BOUND = 2,   /* what takes the place of what goes away takes time as well */
    ETS_SAVING_FILE = 3,    /* bytes of the program file, exact */
    ETS_SAVING_MEMORY = 4   /* bytes of planned memory */
};

struct ets_saving {
    enum ets_saving_basis basis;
    struct ets_span ticks;  /* of a run; NaN: not a time, or not measured */
    double part;            /* ticks.upper of the median run of its method; 0: not a time */
    double away, away_part; /* the time of what goes away, and its part of the median run */
    double beside;          /* of that: time of no row */
    double others;          /* of that: time of other rows, which other findings may be about */
    double most; /* the upper end by the time of what goes away; 0: ets_finding_add finds it */
    struct ets_span measured; /* ticks without what is not known of the median run */
    double unsure;            /* that, which is at both ends of ticks */
    uint64_t bytes;           /* 0: not bytes */
};

enum ets_confidence {
    ETS_CONFIDENCE_UNSAID = 0, /* an observation, without advice */
    ETS_CONFIDENCE_HIGH = 1,   /* the files decide it */
    ETS_CONFIDENCE_MEDIUM = 2, /* it is so by the rules of a known version, or as a rule */
    ETS_CONFIDENCE_LOW = 3     /* worth a try */
};

/* Whether a saving is so little known that this is said. */
static inline bool ets_is_unsure(double unsure, double upper)
{
    return unsure > 0.1 * upper;
}

/* How to see whether a change helped. */
enum ets_check {
    ETS_CHECK_NONE = 0,
    ETS_CHECK_DIFFERENCE = 1, /* compare a trace of before with one of after */
    ETS_CHECK_DELEGATES = 2,  /* look at what is delegated */
    ETS_CHECK_NUMBERS = 3,    /* compare captured values with the reference */
    ETS_CHECK_MEMORY = 4,     /* look at the memory plan */
    ETS_CHECK_SIZE = 5,       /* look at the bytes of the file */
    ETS_CHECK_RUNS = 6,       /* measure again, with more or other runs */
    ETS_CHECK_EXECUTION = 7,  /* run it */
    ETS_CHECK_PROGRAM = 8,    /* examine the program again */
    ETS_CHECK_THREADS = 9,    /* measure with one thread and more, in turn */
    ETS_CHECK_COUNT = 10
};

struct ets_finding {
    const char *kind; /* name of the rule: "between_operators" */
    enum ets_severity severity;
    struct ets_span share; /* of a run of its method; NaN: it is not a time */
    struct ets_text sentence;
    const char *view;       /* of the report, that shows it: "operators", "runs", ... */
    uint32_t row;           /* of the inspection; ETS_NO_INDEX: none, or several */
    uint32_t block;         /* likewise */
    struct ets_text method; /* it is about; data NULL: all of them, or not known */
    struct ets_text place;  /* operator, module or line; data NULL: none */
    double cost;  /* ticks of the whole trace, which findings are ordered by; 0: no time */
    double bytes; /* that the instructions read and write, which order those of equal cost */
    /* Of advice; texts have data NULL where there is nothing to say. */
    struct ets_text action;   /* what to change */
    struct ets_text evidence; /* the numbers that it rests on */
    const char *doubt;        /* what would make it wrong; NULL: nothing known */
    struct ets_saving saving;
    enum ets_confidence confidence;
    enum ets_check check;
    const struct ets_text *modules; /* each once */
    uint32_t module_count;
    const struct ets_graph_frame *const *frames; /* source lines, each once */
    uint32_t frame_count;
    const uint32_t *instructions; /* of the method */
    uint32_t instruction_count;
    const uint32_t *rows; /* of the inspection, whose time it is about */
    uint32_t row_count;
};

struct ets_findings {
    struct ets_finding *items; /* bad, note, good; the most expensive first */
    uint32_t count, capacity;
};

/* Operators of this part of a run are told even where no rule helps. */
#define ETS_EXPENSIVE_SHARE 0.1
#define ETS_EXPENSIVE_KIND "expensive_operator"

/*
 * Statuses: NO_MEMORY, those of ets_delegation_open. A record that does not belong to the program
 * is no error; there are no findings from it.
 */
enum ets_status ets_findings_collect(struct ets_arena *arena,
                                     const struct ets_findings_subject *subject,
                                     struct ets_findings *findings_out, struct ets_error *error);

/* Whether some rule finds things of this kind. */
bool ets_finding_kind_exists(const char *kind);

/* The first of its modules; data NULL: none. */
static inline struct ets_text ets_finding_module(const struct ets_finding *finding)
{
    return finding->module_count > 0 ? finding->modules[0] : (struct ets_text){NULL, 0};
}

/* Whether it says what to change. */
static inline bool ets_finding_is_advice(const struct ets_finding *finding)
{
    return finding->action.data != NULL;
}

/* Whether it is shown to who does not ask for all: also an observation about what takes much of a
 * run, and what captured values say. */
bool ets_finding_is_shown(const struct ets_finding *finding);

/* "bad", "note", "good" */
const char *ets_severity_name(enum ets_severity severity);
/* "removed", "bound", "file", "memory"; NULL: NONE */
const char *ets_saving_basis_name(enum ets_saving_basis basis);
/* "high", "medium", "low"; NULL: UNSAID */
const char *ets_confidence_name(enum ets_confidence confidence);

#endif
