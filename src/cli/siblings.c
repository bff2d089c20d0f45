#include "siblings.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli_text.h"

enum { PATH_BYTES = 4096, WITH_RECORD = 1, WITH_PROGRAM = 2 };

struct siblings {
    char record[PATH_BYTES], program[PATH_BYTES]; /* "": none */
};

static bool has_option(const struct cli_arguments *arguments, const char *name)
{
    for (const struct cli_option *option = arguments->command->options; option->name; option++) {
        if (strcmp(option->name, name) == 0) return true;
    }
    return false;
}

static bool are_wanted(const struct cli_arguments *arguments, const char *path)
{
    static const char *const others[] = {"--no-siblings", "--etrecord", "--program",
                                         "--tsv-path",    "--method",   NULL};
    const char *format = cli_value(arguments, "--format");
    const bool is_upstreams = format != NULL && strcmp(format, "upstream") == 0;
    return has_option(arguments, "--no-siblings") && strcmp(path, "-") != 0 && !is_upstreams &&
           cli_first_given(arguments, others) == NULL;
}

/* "FOLDER/STEM.ENDING" of "FOLDER/STEM.anything", where it is a file; else "". */
static bool find(const char *path, const char *ending, char found[PATH_BYTES])
{
    struct stat info;
    const char *slash = strrchr(path, '/'), *point = strrchr(path, '.');
    const bool has_stem = point != NULL && point > (slash == NULL ? path : slash + 1);
    const int size = has_stem ? (int)(point - path) : 0;
    if (has_stem && size < PATH_BYTES - 16) {
        snprintf(found, PATH_BYTES, "%.*s%s", size, path, ending);
        if (strcmp(found, path) != 0 && stat(found, &info) == 0 && S_ISREG(info.st_mode)) {
            return true;
        }
    }
    found[0] = '\0';
    return false;
}

/* Whether the trace joins what is open: at least one block does, and none disagrees. */
static bool agrees(const struct cli_arguments *arguments, const struct cli_subject *subject)
{
    struct ets_inspection *inspection;
    const struct ets_inspect_options options = {.record = subject->record,
                                                .program = subject->program,
                                                .partial = cli_has(arguments, "--partial")};
    bool is_found = false, is_mismatch = false;
    if (ets_inspection_open(subject->dump, &options, &inspection, NULL) != ETS_OK) return false;
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        const enum ets_method_state state = ets_inspection_block(inspection, b)->method_state;
        is_found |= state == ETS_METHOD_FOUND;
        is_mismatch |= state == ETS_METHOD_MISMATCH;
    }
    ets_inspection_close(inspection);
    return is_found && !is_mismatch;
}

static void take_back(struct cli_subject_files *files, struct cli_subject *subject)
{
    cli_record_close(&files->record);
    cli_program_close(&files->program);
    files->record = (struct cli_record){.file = NULL};
    files->program = (struct cli_program){.file = NULL};
    subject->record = NULL;
    subject->program = NULL;
}

/* Opens what `with` says; they stay where the trace agrees. */
static bool try_with(const struct cli_arguments *arguments, const struct siblings *siblings,
                     int with, struct cli_subject_files *files, struct cli_subject *subject)
{
    const char *record = with & WITH_RECORD ? siblings->record : NULL;
    const char *program = with & WITH_PROGRAM ? siblings->program : NULL;
    if (cli_record_read(record, &files->record, NULL) == ETS_OK &&
        cli_program_read(program, &files->program, NULL) == ETS_OK) {
        subject->record = files->record.record;
        subject->program = files->program.is_open ? &files->program.program : NULL;
        if (agrees(arguments, subject)) return true;
    }
    take_back(files, subject);
    return false;
}

void cli_siblings_find(const struct cli_arguments *arguments, struct cli_subject_files *files,
                       struct cli_subject *subject)
{
    static struct siblings siblings; /* too large for the stack */
    if (!are_wanted(arguments, subject->path)) return;
    int there = find(subject->path, ".etrecord", siblings.record) ? WITH_RECORD : 0;
    if (find(subject->path, ".pte", siblings.program) ||
        find(subject->path, ".bpte", siblings.program)) {
        there |= WITH_PROGRAM;
    }
    static const int tries[] = {WITH_RECORD | WITH_PROGRAM, WITH_RECORD, WITH_PROGRAM};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        const int with = tries[i];
        if ((there & with) != with || !try_with(arguments, &siblings, with, files, subject)) {
            continue;
        }
        cli_note("using %s%s%s, beside the trace; --no-siblings leaves %s out",
                 with & WITH_RECORD ? siblings.record : "",
                 with == (WITH_RECORD | WITH_PROGRAM) ? " and " : "",
                 with & WITH_PROGRAM ? siblings.program : "",
                 with == (WITH_RECORD | WITH_PROGRAM) ? "them" : "it");
        return;
    }
    if (there == 0) return;
    cli_note("%s, beside the trace, does not belong to it or cannot be read",
             there & WITH_RECORD ? siblings.record : siblings.program);
}
