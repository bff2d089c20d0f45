/* Opens a trace with its record, program and debug buffer. */
#include "cli/traces/subject.h"

#include "cli/beside/debug_buffer.h"
#include "cli/beside/siblings.h"
#include "cli/files/trace_file.h"

static int open_trace(const char *path, struct ets_file **file_out, struct ets_bytes *bytes_out)
{
    struct ets_error error;
    if (cli_trace_open(path, file_out, &error) != ETS_OK) return cli_fail(path, &error);
    *bytes_out = ets_file_bytes(*file_out);
    return CLI_OK;
}

/* Finds the siblings of the trace, and keeps the inspection that tested them. */
static void find_siblings(const struct cli_arguments *arguments, struct cli_subject_files *files,
                          struct cli_subject *subject)
{
    const struct ets_inspect_options options = cli_inspection_options(arguments, subject);
    struct cli_sibling *sibling = cli_siblings_join(&files->siblings, arguments, subject->path,
                                                    subject->dump, &options, &subject->inspection);
    if (sibling != NULL) files->model = &sibling->model;
}

int cli_subject_open(const struct cli_arguments *arguments, const char *path,
                     struct cli_subject_files *files_out, struct cli_subject *subject_out)
{
    struct cli_subject_files *files = files_out;
    *files = (struct cli_subject_files){.model = &files->given};
    *subject_out =
        (struct cli_subject){.path = path,
                             .method = cli_value(arguments, "--method"),
                             .debug_buffer_path = cli_value(arguments, "--debug-buffer")};
    int code = cli_check_stdin(arguments);
    if (code == CLI_OK) code = open_trace(path, &files->trace, &subject_out->dump);
    subject_out->file = files->trace;
    if (code == CLI_OK) {
        code = cli_model_open(cli_value(arguments, "--etrecord"), cli_value(arguments, "--program"),
                              &files->given);
    }
    if (code == CLI_OK) {
        code = cli_debug_buffer_open(subject_out->debug_buffer_path, &files->debug_buffer,
                                     &subject_out->debug_buffer);
    }
    if (code == CLI_OK) find_siblings(arguments, files, subject_out);
    subject_out->record = files->model->record.record;
    subject_out->program = cli_model_program(files->model);
    return code;
}

void cli_subject_close(struct cli_subject_files *files, struct cli_subject *subject)
{
    ets_inspection_close(subject->inspection);
    ets_file_close(files->debug_buffer);
    cli_siblings_close(&files->siblings);
    cli_model_close(&files->given);
    ets_file_close(files->trace);
}

/* Opens the debug buffer with the trace's name, if it is the trace's. */
static int find_debug_buffer(const struct cli_arguments *arguments,
                             const struct ets_inspection *inspection,
                             struct cli_subject_files *files, struct cli_subject *subject)
{
    if (!cli_sibling_debug_buffer(arguments, subject->path, inspection, files->debug_path)) {
        return CLI_OK;
    }
    subject->debug_buffer_path = files->debug_path;
    return cli_debug_buffer_open(files->debug_path, &files->debug_buffer, &subject->debug_buffer);
}

static int inspect(const struct cli_arguments *arguments, cli_inspection_user *use, bool has_values)
{
    struct cli_subject subject;
    static struct cli_subject_files files; /* too large for the stack */
    int code = cli_subject_open(arguments, arguments->words[0], &files, &subject);
    if (code == CLI_OK) {
        struct ets_inspection *inspection;
        const struct ets_inspect_options options = cli_inspection_options(arguments, &subject);
        code = cli_open_inspection(&subject, &options, &inspection);
        if (code == CLI_OK) {
            if (has_values) code = find_debug_buffer(arguments, inspection, &files, &subject);
            if (code == CLI_OK) code = use(arguments, &subject, &files.model->program, inspection);
            ets_inspection_close(inspection);
        }
    }
    cli_subject_close(&files, &subject);
    return code;
}

int cli_subject_inspect(const struct cli_arguments *arguments, cli_inspection_user *use)
{
    return inspect(arguments, use, false);
}

int cli_subject_inspect_values(const struct cli_arguments *arguments, cli_inspection_user *use)
{
    return inspect(arguments, use, true);
}
