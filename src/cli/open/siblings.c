#include "cli/open/siblings.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/core/cli_text.h"
#include "cli/open/trace_paths.h"
#include "etscope/trace_extra.h"

enum { PATH_BYTES = 4096, WITH_RECORD = 1, WITH_PROGRAM = 2 };

struct siblings {
    char record[PATH_BYTES], program[PATH_BYTES]; /* "": none */
    bool record_is_programs;                      /* it has the program's name, not the trace's */
};

/* Programs that are hashed to find the trace's; a folder of more is no folder of one model. */
enum { MOST_PROGRAMS = 64 };

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

bool cli_trace_agrees(struct ets_bytes dump, struct ets_etrecord *record,
                      const struct ets_program *program, bool partial)
{
    struct ets_inspection *inspection;
    const struct ets_inspect_options options = {
        .record = record, .program = program, .partial = partial};
    bool is_found = false, is_mismatch = false;
    if (ets_inspection_open(dump, &options, &inspection, NULL) != ETS_OK) return false;
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
        if (cli_trace_agrees(subject->dump, subject->record, subject->program,
                             cli_has(arguments, "--partial"))) {
            return true;
        }
    }
    take_back(files, subject);
    return false;
}

bool cli_trace_fingerprint(struct ets_bytes dump, uint64_t *fingerprint_out)
{
    struct ets_trace_extra extra;
    struct ets_trace_summary summary;
    if (ets_trace_extra_init(&extra, dump, NULL) != ETS_OK) return false;
    ets_trace_extra_summary(&extra, &summary);
    return cli_fingerprint_number(summary.fingerprint, fingerprint_out);
}

static bool is_program_of(const char *path, uint64_t fingerprint)
{
    struct cli_program program;
    const bool is = cli_program_peek(path, &program) == ETS_OK &&
                    ets_program_fingerprint(&program.program) == fingerprint;
    cli_program_close(&program);
    return is;
}

/* The program in the trace's folder that has the fingerprint; copies of it are the same. */
static bool find_by_fingerprint(const char *path, uint64_t fingerprint, char found[PATH_BYTES])
{
    struct cli_paths files;
    char folder[PATH_BYTES] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL && slash - path < PATH_BYTES - 2) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    }
    unsigned looked_at = 0;
    files = (struct cli_paths){.items = NULL};
    found[0] = '\0';
    if (access(folder, R_OK) == 0 && cli_folder_open(folder, &files) == CLI_OK) {
        for (unsigned i = 0; i < files.count && found[0] == '\0'; i++) {
            const char *name = files.items[i] + (slash == NULL ? strlen("./") : 0);
            if (!cli_ends_with(name, ".pte") && !cli_ends_with(name, ".bpte")) continue;
            if (strlen(name) >= PATH_BYTES) continue;
            if (looked_at++ == MOST_PROGRAMS) break;
            if (is_program_of(name, fingerprint)) snprintf(found, PATH_BYTES, "%s", name);
        }
    }
    cli_paths_close(&files);
    return found[0] != '\0';
}

/* Files of the trace's name; of a trace with a fingerprint its program, whatever that is called. */
static void find_all(const struct cli_subject *subject, struct siblings *siblings)
{
    uint64_t fingerprint;
    siblings->record_is_programs = false;
    if (!find(subject->path, ".pte", siblings->program)) {
        find(subject->path, ".bpte", siblings->program);
    }
    find(subject->path, ".etrecord", siblings->record);
    if (!cli_trace_fingerprint(subject->dump, &fingerprint)) return;
    if (siblings->program[0] == '\0' || !is_program_of(siblings->program, fingerprint)) {
        static char found[PATH_BYTES];
        if (!find_by_fingerprint(subject->path, fingerprint, found)) return;
        snprintf(siblings->program, PATH_BYTES, "%s", found);
    }
    if (siblings->record[0] != '\0') return;
    siblings->record_is_programs = find(siblings->program, ".etrecord", siblings->record);
}

void cli_siblings_find(const struct cli_arguments *arguments, struct cli_subject_files *files,
                       struct cli_subject *subject)
{
    static struct siblings siblings; /* too large for the stack */
    if (!are_wanted(arguments, subject->path)) return;
    find_all(subject, &siblings);
    const int there = (siblings.record[0] != '\0' ? WITH_RECORD : 0) |
                      (siblings.program[0] != '\0' ? WITH_PROGRAM : 0);
    static const int tries[] = {WITH_RECORD | WITH_PROGRAM, WITH_RECORD, WITH_PROGRAM};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        const int with = tries[i];
        if ((there & with) != with || (with == WITH_RECORD && siblings.record_is_programs) ||
            !try_with(arguments, &siblings, with, files, subject)) {
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
