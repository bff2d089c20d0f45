/* Opens ETRecords and programs that options name, and reports errors. */
#include "cli/files/inputs.h"

#include <stdlib.h>

#include "etscope/file.h"

enum ets_status cli_record_read(const char *path, struct cli_record *record_out,
                                struct ets_error *error)
{
    *record_out = (struct cli_record){.file = NULL};
    if (path == NULL) return ETS_OK;
    enum ets_status status = cli_file_open(path, &record_out->file, error);
    if (status != ETS_OK) return status;
    status = ets_etrecord_open(ets_file_bytes(record_out->file), NULL, &record_out->record, error);
    if (status == ETS_OK) ets_etrecord_set_name(record_out->record, path);
    return status;
}

int cli_record_open(const char *path, struct cli_record *record_out)
{
    struct ets_error error;
    return cli_record_read(path, record_out, &error) == ETS_OK ? CLI_OK : cli_fail(path, &error);
}

void cli_record_close(struct cli_record *record)
{
    ets_etrecord_close(record->record);
    ets_file_close(record->file);
    free(record->path);
}

/* Opens the contents of the file. */
static enum ets_status begin_program(struct cli_program *program, struct ets_error *error)
{
    enum ets_status status;
    program->bytes = ets_file_bytes(program->file);
    program->is_bundle = ets_kind_sniff(program->bytes) == ETS_KIND_BUNDLE;
    if (program->is_bundle) {
        status = ets_bundle_init(&program->bundle, program->bytes, error);
        if (status != ETS_OK) return status;
        program->bytes = program->bundle.program;
    }
    status = ets_program_init(&program->program, program->bytes, error);
    if (status != ETS_OK && error != NULL && program->is_bundle && error->offset != ETS_NO_OFFSET) {
        error->offset += program->bundle.program_offset;
    }
    program->is_open = status == ETS_OK;
    return status;
}

enum ets_status cli_program_read(const char *path, struct cli_program *program_out,
                                 struct ets_error *error)
{
    *program_out = (struct cli_program){.file = NULL};
    if (path == NULL) return ETS_OK;
    const enum ets_status status = cli_file_open(path, &program_out->file, error);
    return status != ETS_OK ? status : begin_program(program_out, error);
}

enum ets_status cli_program_peek(const char *path, struct cli_program *program_out)
{
    *program_out = (struct cli_program){.file = NULL};
    const enum ets_status status = ets_file_open(path, &program_out->file, NULL);
    return status != ETS_OK ? status : begin_program(program_out, NULL);
}

int cli_program_open(const char *path, struct cli_program *program_out)
{
    struct ets_error error;
    return cli_program_read(path, program_out, &error) == ETS_OK ? CLI_OK : cli_fail(path, &error);
}

void cli_program_close(struct cli_program *program)
{
    ets_file_close(program->file);
}

enum ets_status cli_model_read(const char *record_path, const char *program_path,
                               struct cli_model *model_out)
{
    *model_out = (struct cli_model){.record = {.file = NULL}};
    const enum ets_status status = cli_record_read(record_path, &model_out->record, NULL);
    return status == ETS_OK ? cli_program_read(program_path, &model_out->program, NULL) : status;
}

int cli_model_open(const char *record_path, const char *program_path, struct cli_model *model_out)
{
    *model_out = (struct cli_model){.record = {.file = NULL}};
    const int code = cli_record_open(record_path, &model_out->record);
    return code == CLI_OK ? cli_program_open(program_path, &model_out->program) : code;
}

void cli_model_close(struct cli_model *model)
{
    cli_record_close(&model->record);
    cli_program_close(&model->program);
}

const struct ets_program *cli_model_program(const struct cli_model *model)
{
    return model->program.is_open ? &model->program.program : NULL;
}

bool cli_fingerprint_number(struct ets_bytes fingerprint, uint64_t *number_out)
{
    if (fingerprint.size != ETS_PROGRAM_FINGERPRINT_BYTES) return false;
    *number_out = 0;
    for (size_t i = fingerprint.size; i-- > 0;) {
        *number_out = *number_out << 8 | fingerprint.data[i];
    }
    return true;
}
