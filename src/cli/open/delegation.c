/* Opens a program's instructions with the ETRecord that belongs to it. */
#include "cli/open/delegation.h"

#include "cli/open/siblings.h"

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

void cli_delegation_find_record(const struct cli_arguments *arguments, const char *program_path,
                                const struct ets_program *program, struct cli_record *record,
                                struct ets_delegation **delegation_out)
{
    static char path[CLI_SIBLING_BYTES]; /* the record's name from now on */
    struct cli_record found;
    struct ets_method method;
    const char *wanted = cli_value(arguments, "--method");
    if (!cli_siblings_wanted(arguments) || cli_has(arguments, "--etrecord")) return;
    if (!cli_sibling_path(program_path, ".etrecord", path)) return;
    /* A method that the program lacks is no fault of the record; the caller reports it. */
    if (wanted != NULL && ets_program_find_method(program, wanted, &method, NULL) != ETS_OK) return;
    if (cli_record_read(path, &found, NULL) == ETS_OK &&
        cli_delegation_open(arguments, program, &found, delegation_out, NULL) == ETS_OK) {
        *record = found;
        cli_note("using %s beside the program; --no-siblings ignores it", path);
        return;
    }
    cli_record_close(&found);
    cli_note_ignored(path);
}
