/* A program's instructions, with the ETRecord that is named or lies beside it. */
#ifndef ETSCOPE_CLI_TRACES_DELEGATION_H
#define ETSCOPE_CLI_TRACES_DELEGATION_H

#include "cli/files/inputs.h"
#include "etscope/experimental/delegates.h"

/* Of the program and the record, of --method alone where it is given. */
enum ets_status cli_delegation_open(const struct cli_arguments *arguments,
                                    const struct ets_program *program,
                                    const struct cli_record *record,
                                    struct ets_delegation **delegation_out,
                                    struct ets_error *error);

/*
 * Without --etrecord and --no-siblings: opens the record of the program's name that lies beside it,
 * and both together, where it is the program's; says so in a note. `record` and `*delegation_out`
 * are left as they were where there is none.
 */
void cli_delegation_find_record(const struct cli_arguments *arguments, const char *program_path,
                                const struct ets_program *program, struct cli_record *record,
                                struct ets_delegation **delegation_out);

#endif
