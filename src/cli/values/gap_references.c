/* Reads reference values from another trace or from a folder of arrays. */
#include "cli/values/gap_references.h"

#include "cli/beside/debug_buffer.h"
#include "cli/core/cli_text.h"
#include "cli/files/inputs.h"
#include "cli/files/trace_file.h"
#include "record/numpy.h"

/* The open files of the other trace. */
struct other_trace {
    struct ets_file *trace, *buffer;
    struct ets_bytes debug_buffer;
    struct cli_record record;
    struct ets_inspection *inspection;
    struct ets_gap_report *report;
};

static int open_other(const struct cli_arguments *arguments, struct ets_etrecord *record,
                      struct other_trace *other)
{
    struct ets_error error;
    const char *path = cli_value(arguments, "--reference-trace");
    const char *buffer = cli_value(arguments, "--reference-debug-buffer");
    const char *record_path = cli_value(arguments, "--reference-etrecord");
    if (buffer == NULL) {
        return cli_complain(
            CLI_USAGE,
            "--reference-trace needs --reference-debug-buffer, which contains its tensors");
    }
    if (cli_trace_open(path, &other->trace, &error) != ETS_OK) return cli_fail(path, &error);
    int code = cli_debug_buffer_open(buffer, &other->buffer, &other->debug_buffer);
    if (code == CLI_OK && record_path != NULL) code = cli_record_open(record_path, &other->record);
    if (code != CLI_OK) return code;
    const struct ets_inspect_options options = {
        .record = other->record.record != NULL ? other->record.record : record,
        .allow_mismatch = cli_has(arguments, "--allow-mismatch")};
    if (ets_inspection_open(ets_file_bytes(other->trace), &options, &other->inspection, &error) !=
        ETS_OK) {
        code = cli_fail(path, &error);
        if (code == CLI_MISMATCH && record_path == NULL) {
            cli_note(
                "if the reference comes from another export, for example for another backend, name "
                "its ETRecord with --reference-etrecord");
        }
        return code;
    }
    const struct ets_gap_options gap = {.inspection = other->inspection,
                                        .record = options.record,
                                        .debug_buffer = other->debug_buffer,
                                        .run = ETS_NO_INDEX,
                                        .reference = cli_value(arguments, "--reference")};
    if (ets_gap_open(&gap, &other->report, &error) != ETS_OK) return cli_fail(path, &error);
    return CLI_OK;
}

int cli_gap_compare_trace(const struct cli_arguments *arguments, struct ets_etrecord *record,
                          struct ets_gap_report *report)
{
    struct other_trace other = {.trace = NULL};
    struct ets_error error;
    int code = open_other(arguments, record, &other);
    if (code == CLI_OK && ets_gap_compare_report(report, other.report, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    }
    ets_gap_close(other.report);
    ets_inspection_close(other.inspection);
    cli_record_close(&other.record);
    ets_file_close(other.buffer);
    ets_file_close(other.trace);
    return code;
}

struct folder {
    const char *path;
    struct ets_file *file; /* of the last value looked up */
    bool is_damaged;
};

static int look_up(void *context, const struct ets_gap_value *value, struct ets_tensor *tensor_out)
{
    struct folder *folder = context;
    struct ets_error error;
    char path[4096];
    ets_file_close(folder->file);
    folder->file = NULL;
    if (value->occurrence > 0) return 0;
    const struct ets_text name = value->node->name;
    const bool is_single =
        value->node->output_count == 1 && value->node->outputs[0].kind == ETS_ARGUMENT_TENSOR;
    int used = snprintf(path, sizeof path, "%s/%.*s", folder->path, (int)name.size, name.data);
    if (used < 0 || (size_t)used + 24 > sizeof path) return 0;
    /* A node's name comes from a file: it must not lead to another folder. */
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '/') return 0;
    }
    if (is_single) snprintf(path + used, sizeof path - (size_t)used, ".npy");
    else snprintf(path + used, sizeof path - (size_t)used, ".%u.npy", value->output);
    const enum ets_status status = cli_file_open(path, &folder->file, &error);
    if (status == ETS_NOT_FOUND) return 0;
    if (status == ETS_OK &&
        ets_npy_read(ets_file_bytes(folder->file), tensor_out, &error) == ETS_OK) {
        return 1;
    }
    if (!folder->is_damaged) cli_fail(path, &error);
    folder->is_damaged = true;
    return 0;
}

int cli_gap_compare_files(const char *folder_path, struct ets_gap_report *report)
{
    struct folder folder = {.path = folder_path};
    struct ets_error error;
    int code = CLI_OK;
    if (ets_gap_compare(report, look_up, &folder, &error) != ETS_OK) {
        code = cli_fail(folder_path, &error);
    }
    ets_file_close(folder.file);
    return code == CLI_OK && folder.is_damaged ? CLI_INPUT : code;
}
