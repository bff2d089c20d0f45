/* Files that lie beside traces and are their own. */
#ifndef ETSCOPE_CLI_OPEN_SIBLINGS_H
#define ETSCOPE_CLI_OPEN_SIBLINGS_H

#include "cli/open/inputs.h"
#include "etscope/inspect.h"

/* For the option tables of commands that look for them. */
/* clang-format off */
#define CLI_SIBLINGS_OPTION                                                                       \
    {"--no-siblings", NULL, NULL,                                                                 \
     "Ignore the ETRecord and program found beside the trace", NULL, false}
/* clang-format on */

/* The ETRecord and the program that were found beside a trace, at least one of them. */
struct cli_sibling {
    struct cli_sibling *next;
    struct cli_model model;
    const char *record_path, *program_path; /* NULL: none */
    bool is_needed;                         /* by an inspection that stays */
    bool is_noted;
};

/* All that a command found, each once; zeroed before its use. */
struct cli_siblings {
    struct cli_sibling *first;
    unsigned noted;
};

/*
 * Without --etrecord and --program: of "a.etdp" the ETRecord "a.etrecord" and the program "a.pte"
 * or "a.bpte" beside it, where they agree with the trace; a note names them, or says that they do
 * not. Of a trace with a fingerprint also the program beside it that has this fingerprint, under
 * any name, and the ETRecord of that program's name. Operators alone are not enough to take a file
 * of another name: to join another model's record is worse than to join none. Nothing where the
 * command's table has not --no-siblings, and for upstream's table, which knows none.
 *
 * To agree is seen by an inspection as `options` say, but for its record and program. It is the
 * caller's to close; NULL where the options do not fit, as a method of another name, which the
 * caller's own attempt will tell. Returns NULL where there are none.
 */
struct cli_sibling *cli_siblings_join(struct cli_siblings *siblings,
                                      const struct cli_arguments *arguments, const char *path,
                                      struct ets_bytes dump,
                                      const struct ets_inspect_options *options,
                                      struct ets_inspection **inspection_out);
/* The same with the files of another trace's name, and nothing said of those that do not agree. */
struct cli_sibling *cli_siblings_join_as(struct cli_siblings *siblings, const char *other_path,
                                         struct ets_bytes dump,
                                         const struct ets_inspect_options *options,
                                         struct ets_inspection **inspection_out);
/* Closes one that is not needed. */
void cli_siblings_drop(struct cli_siblings *siblings, struct cli_sibling *sibling);
void cli_siblings_close(struct cli_siblings *siblings);

/* Whether the command, as it was called, looks for what lies beside traces. */
bool cli_siblings_wanted(const struct cli_arguments *arguments);

/* "FOLDER/STEM.ENDING" of "FOLDER/STEM.anything", where it is a file; else false and "". */
enum { CLI_SIBLING_BYTES = 4096 };
bool cli_sibling_path(const char *path, const char *ending, char found[CLI_SIBLING_BYTES]);

/* Whether a file of the trace's name lies beside it. */
bool cli_siblings_exist(const char *path);

/* Whether the trace joins these, either of which may be NULL: at least one block does, and none
 * disagrees. */
bool cli_trace_agrees(struct ets_bytes dump, struct ets_etrecord *record,
                      const struct ets_program *program);

/* Whether the trace carries the fingerprint of a program (ets_program_fingerprint). */
bool cli_trace_fingerprint(struct ets_bytes dump, uint64_t *fingerprint_out);

#endif
