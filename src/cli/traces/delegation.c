/* Opens a program's instructions with the ETRecord that belongs to it. */
#include "cli/traces/delegation.h"

#include "cli/beside/siblings.h"

enum ets_status cli_delegation_open(const struct cli_arguments *arguments,
                                    const struct ets_program *program,
                                    const struct cli_record *record,
                                    struct ets_delegation **delegation_out, struct ets_error *error)
{
    const struct ets_delegation_options options = {
        .program = program,
        .record = record->record,
        .method = cli_value(arguments, "--method"),
    };
    return ets_delegation_open(&options, delegation_out, error);
}

struct search {
    const struct cli_arguments *arguments;
    const struct ets_program *program;
    struct ets_delegation **delegation_out;
};

static bool is_of_program(void *context, const struct cli_record *record)
{
    const struct search *search = context;
    return cli_delegation_open(search->arguments, search->program, record, search->delegation_out,
                               NULL) == ETS_OK;
}

void cli_delegation_find_record(const struct cli_arguments *arguments, const char *program_path,
                                const struct ets_program *program, struct cli_record *record,
                                struct ets_delegation **delegation_out)
{
    struct search search = {arguments, program, delegation_out};
    struct cli_record found;
    struct ets_method method;
    const char *wanted = cli_value(arguments, "--method");
    /* A method that the program lacks is no fault of the record; the caller reports it. */
    if (wanted != NULL && ets_program_find_method(program, wanted, &method, NULL) != ETS_OK) return;
    if (cli_sibling_record(arguments, program_path, is_of_program, &search, &found))
        *record = found;
}
