/* ETRecords and programs beside a trace that belong to it. */
#ifndef ETSCOPE_CLI_BESIDE_SIBLINGS_H
#define ETSCOPE_CLI_BESIDE_SIBLINGS_H

#include "cli/files/inputs.h"
#include "etscope/inspect.h"

/* The ETRecord and the program that were found beside a trace, at least one of them. */
struct cli_sibling {
    struct cli_sibling *next;
    struct cli_model model;
    const char *record_path, *program_path; /* NULL: none */
    bool is_needed;                         /* used by an open inspection */
    bool is_noted;
};

/* All siblings that a command found, each once; zero it before use. */
struct cli_siblings {
    struct cli_sibling *first;
    unsigned noted;
};

/*
 * Without --etrecord and --program: looks beside "a.etdp" for the ETRecord "a.etrecord" and the
 * program "a.pte" or "a.bpte", and uses them if they agree with the trace; a note names them or
 * says that they do not agree. For a trace with a fingerprint, also looks for the program with this
 * fingerprint, under any name, and the ETRecord with that program's name. Matching operators are
 * not enough to use a file of another name: joining the ETRecord of another model is worse than
 * joining none. Does nothing for commands without --no-siblings, and for upstream's table, which
 * does not use siblings.
 *
 * Agreement is tested by an inspection with `options`, except for ETRecord and program. The caller
 * closes the inspection; it is NULL if the options do not fit, such as an unknown method, which the
 * caller's own attempt then reports. Returns NULL if there are no siblings.
 */
struct cli_sibling *cli_siblings_join(struct cli_siblings *siblings,
                                      const struct cli_arguments *arguments, const char *path,
                                      struct ets_bytes dump,
                                      const struct ets_inspect_options *options,
                                      struct ets_inspection **inspection_out);
/* The same with the siblings of another trace, without a note about files that do not agree. */
struct cli_sibling *cli_siblings_join_as(struct cli_siblings *siblings, const char *other_path,
                                         struct ets_bytes dump,
                                         const struct ets_inspect_options *options,
                                         struct ets_inspection **inspection_out);
/* Closes an unneeded sibling. */
void cli_siblings_drop(struct cli_siblings *siblings, struct cli_sibling *sibling);
void cli_siblings_close(struct cli_siblings *siblings);

/* Whether the command looks for siblings with these arguments. */
bool cli_siblings_wanted(const struct cli_arguments *arguments);

/* "FOLDER/STEM.ENDING" for "FOLDER/STEM.anything" if it is a file; otherwise false and "". */
enum { CLI_SIBLING_BYTES = 4096 };
bool cli_sibling_path(const char *path, const char *ending, char found[CLI_SIBLING_BYTES]);

/* The note that a record beside a program is not used: it is another's, or damaged. */
void cli_note_ignored(const char *path);

/*
 * Opens the record "a.etrecord" beside the program "a.pte", unless options forbid it, and keeps it
 * if `is_of` says that it is the program's. A note tells that it is used, or ignored. False: none;
 * the record is empty then.
 */
typedef bool cli_is_record_of(void *context, const struct cli_record *record);
bool cli_sibling_record(const struct cli_arguments *arguments, const char *program_path,
                        cli_is_record_of *is_of, void *context, struct cli_record *record_out);

/* Whether a file with the trace's name exists beside it. */
bool cli_siblings_exist(const char *path);

/*
 * Whether the trace joins these, either of which may be NULL: at least one block does, and no block
 * disagrees.
 */
bool cli_trace_agrees(struct ets_bytes dump, struct ets_etrecord *record,
                      const struct ets_program *program);

/* Whether the trace carries the fingerprint of a program (ets_program_fingerprint). */
bool cli_trace_fingerprint(struct ets_bytes dump, uint64_t *fingerprint_out);

#endif
