/* Files that lie beside a trace and are its own. */
#ifndef ETSCOPE_CLI_OPEN_SIBLINGS_H
#define ETSCOPE_CLI_OPEN_SIBLINGS_H

#include "cli/open/subject.h"

/* For the option tables of commands that look for them. */
/* clang-format off */
#define CLI_SIBLINGS_OPTION                                                                       \
    {"--no-siblings", NULL, NULL,                                                                 \
     "Ignore the ETRecord and program found beside the trace", NULL, false}
/* clang-format on */

/*
 * Without --etrecord and --program: of "a.etdp" the ETRecord "a.etrecord" and the program "a.pte"
 * or "a.bpte" beside it, where they agree with the trace; a note names them, or says that they do
 * not. Of a trace with a fingerprint also the program beside it that has this fingerprint, under
 * any name, and the ETRecord of that program's name. Operators alone are not enough to take a file
 * of another name: to join another model's record is worse than to join none. Nothing where the
 * command's table has not --no-siblings, and for upstream's table, which knows none.
 */
void cli_siblings_find(const struct cli_arguments *arguments, struct cli_subject_files *files,
                       struct cli_subject *subject);

/* Whether the trace joins these, either of which may be NULL: at least one block does, and none
 * disagrees. */
bool cli_trace_agrees(struct ets_bytes dump, struct ets_etrecord *record,
                      const struct ets_program *program, bool partial);

/* Whether the trace carries the fingerprint of a program (ets_program_fingerprint). */
bool cli_trace_fingerprint(struct ets_bytes dump, uint64_t *fingerprint_out);

#endif
