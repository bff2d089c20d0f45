#include "inputs.h"

#include "etscope/kind.h"

int cli_record_open(const char *path, struct cli_record *record_out)
{
    struct ets_error error;
    *record_out = (struct cli_record){NULL, NULL};
    if (path == NULL) return CLI_OK;
    if (cli_file_open(path, &record_out->file, &error) != ETS_OK ||
        ets_etrecord_open(ets_file_bytes(record_out->file), NULL, &record_out->record, &error) !=
            ETS_OK) {
        return cli_fail(path, &error);
    }
    return CLI_OK;
}

void cli_record_close(struct cli_record *record)
{
    ets_etrecord_close(record->record);
    ets_file_close(record->file);
}

int cli_program_open(const char *path, struct cli_program *program_out)
{
    struct ets_error error;
    *program_out = (struct cli_program){.file = NULL};
    if (path == NULL) return CLI_OK;
    if (cli_file_open(path, &program_out->file, &error) != ETS_OK) return cli_fail(path, &error);
    program_out->bytes = ets_file_bytes(program_out->file);
    program_out->is_bundle = ets_kind_sniff(program_out->bytes) == ETS_KIND_BUNDLE;
    if (program_out->is_bundle) {
        if (ets_bundle_init(&program_out->bundle, program_out->bytes, &error) != ETS_OK) {
            return cli_fail(path, &error);
        }
        program_out->bytes = program_out->bundle.program;
    }
    if (ets_program_init(&program_out->program, program_out->bytes, &error) != ETS_OK) {
        if (program_out->is_bundle && error.offset != ETS_NO_OFFSET) {
            error.offset += program_out->bundle.program_offset;
        }
        return cli_fail(path, &error);
    }
    program_out->is_open = true;
    return CLI_OK;
}

void cli_program_close(struct cli_program *program)
{
    ets_file_close(program->file);
}
