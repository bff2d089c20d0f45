/* Finds ETRecords and programs beside traces, and uses those that agree. */
#define _POSIX_C_SOURCE 200809L
#include "cli/beside/siblings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/files/trace_paths.h"
#include "etscope/trace_extra.h"
#include "host/memory_budget.h"
#include "host/os/os_files.h"
#include "inspect/stated_nodes.h"

enum { PATH_BYTES = CLI_SIBLING_BYTES, WITH_RECORD = 1, WITH_PROGRAM = 2 };

/* Limits the notes for hundreds of traces. */
enum { MOST_NOTES = 3 };

/* Maximum number of programs to hash; a folder with more does not belong to one model. */
enum { MOST_PROGRAMS = 64 };

/* Files that may belong to a trace. */
struct names {
    char record[PATH_BYTES], program[PATH_BYTES]; /* "": none */
    bool record_is_programs;                      /* named like the program, not like the trace */
};

/* A trace for which siblings are searched. */
struct search {
    struct cli_siblings *siblings;
    struct ets_bytes dump;
    const struct ets_inspect_options *options;
    struct ets_inspection **inspection_out;
};

bool cli_siblings_wanted(const struct cli_arguments *arguments)
{
    static const char *const others[] = {"--no-siblings", "--etrecord", "--program", "--etrecord-b",
                                         "--program-b",   "--tsv-path", NULL};
    const char *format = cli_value(arguments, "--format");
    const bool is_upstreams = format != NULL && strcmp(format, "upstream") == 0;
    return cli_takes(arguments, "--no-siblings") && !is_upstreams &&
           cli_first_given(arguments, others) == NULL;
}

bool cli_sibling_path(const char *path, const char *ending, char found[PATH_BYTES])
{
    const char *point = ets_os_ending(path);
    const bool has_stem = *point != '\0';
    const int size = (int)(point - path);
    if (has_stem && size < PATH_BYTES - 16) {
        snprintf(found, PATH_BYTES, "%.*s%s", size, path, ending);
        if (strcmp(found, path) != 0 && ets_os_look(found).kind == ETS_OS_FILE) {
            return true;
        }
    }
    found[0] = '\0';
    return false;
}

void cli_note_ignored(const char *path)
{
    cli_note("ignored %s: it belongs to another program or cannot be read", path);
}

bool cli_sibling_record(const struct cli_arguments *arguments, const char *program_path,
                        cli_is_record_of *is_of, void *context, struct cli_record *record_out)
{
    static const char *const others[] = {"--no-siblings", "--etrecord", NULL};
    char path[PATH_BYTES];
    *record_out = (struct cli_record){.file = NULL};
    if (cli_first_given(arguments, others) != NULL) return false;
    if (!cli_sibling_path(program_path, ".etrecord", path)) return false;
    char *name = strdup(path); /* the record keeps it */
    if (name == NULL) ets_memory_note_refusal();
    if (name != NULL && cli_record_read(name, record_out, NULL) == ETS_OK &&
        is_of(context, record_out)) {
        record_out->path = name;
        cli_note("using %s beside the program; --no-siblings ignores it", path);
        return true;
    }
    cli_record_close(record_out);
    free(name);
    *record_out = (struct cli_record){.file = NULL};
    cli_note_ignored(path);
    return false;
}

/* Finds files with the trace's name. */
static void find_named(const char *path, struct names *names)
{
    names->record_is_programs = false;
    if (!cli_sibling_path(path, ".pte", names->program))
        cli_sibling_path(path, ".bpte", names->program);
    cli_sibling_path(path, ".etrecord", names->record);
}

bool cli_siblings_exist(const char *path)
{
    static struct names names; /* too large for the stack */
    find_named(path, &names);
    return names.record[0] != '\0' || names.program[0] != '\0';
}

bool cli_trace_fingerprint(struct ets_bytes dump, uint64_t *fingerprint_out)
{
    struct ets_trace_extra extra;
    struct ets_trace_facts facts;
    if (ets_trace_extra_init(&extra, dump, NULL) != ETS_OK) return false;
    ets_trace_extra_facts(&extra, &facts);
    return cli_fingerprint_number(facts.fingerprint, fingerprint_out);
}

static bool is_program_of(const char *path, uint64_t fingerprint)
{
    struct cli_program program;
    const bool is = cli_program_peek(path, &program) == ETS_OK &&
                    ets_program_fingerprint(&program.program) == fingerprint;
    cli_program_close(&program);
    return is;
}

/* Finds the program in the folder with this fingerprint; any copy will do. */
static void find_in_folder(const char *folder, bool is_named, uint64_t fingerprint,
                           char found[PATH_BYTES])
{
    struct cli_paths files = {.items = NULL};
    unsigned looked_at = 0;
    found[0] = '\0';
    if (ets_os_can_read(folder) && cli_folder_open(folder, &files) == CLI_OK) {
        for (unsigned i = 0; i < files.count && found[0] == '\0'; i++) {
            const char *name = files.items[i] + (is_named ? 0 : strlen("./"));
            if (!cli_ends_with(name, ".pte") && !cli_ends_with(name, ".bpte")) continue;
            if (strlen(name) >= PATH_BYTES) continue;
            if (looked_at++ == MOST_PROGRAMS) break;
            if (is_program_of(name, fingerprint)) snprintf(found, PATH_BYTES, "%s", name);
        }
    }
    cli_paths_close(&files);
}

/* The same in the trace's folder. Caches the last answer: a folder may contain many such traces. */
static bool find_by_fingerprint(const char *path, uint64_t fingerprint, char found[PATH_BYTES])
{
    static struct {
        bool is_known;
        uint64_t fingerprint;
        char folder[PATH_BYTES], found[PATH_BYTES];
    } last;
    char folder[PATH_BYTES] = ".";
    const size_t folder_size = (size_t)(ets_os_name(path) - path);
    if (folder_size > 0 && folder_size < PATH_BYTES - 1) {
        snprintf(folder, sizeof folder, "%.*s", (int)folder_size, path);
    }
    if (!last.is_known || last.fingerprint != fingerprint || strcmp(last.folder, folder) != 0) {
        find_in_folder(folder, folder_size > 0, fingerprint, last.found);
        snprintf(last.folder, PATH_BYTES, "%s", folder);
        last.fingerprint = fingerprint;
        last.is_known = true;
    }
    snprintf(found, PATH_BYTES, "%s", last.found);
    return found[0] != '\0';
}

/*
 * Finds files with the trace's name; for a trace with a fingerprint also its program under any
 * name.
 */
static void find_all(const char *path, struct ets_bytes dump, struct names *names)
{
    uint64_t fingerprint;
    find_named(path, names);
    if (!cli_trace_fingerprint(dump, &fingerprint)) return;
    if (names->program[0] == '\0' || !is_program_of(names->program, fingerprint)) {
        static char found[PATH_BYTES];
        if (!find_by_fingerprint(path, fingerprint, found)) return;
        snprintf(names->program, PATH_BYTES, "%s", found);
    }
    if (names->record[0] != '\0') return;
    names->record_is_programs = cli_sibling_path(names->program, ".etrecord", names->record);
}

/* Options that do not fit the trace do not decide what it belongs to. */
static bool is_of_options(enum ets_status status, const struct ets_inspect_options *options)
{
    return (status == ETS_NOT_FOUND && options->method != NULL) ||
           (status == ETS_INVALID_ARGUMENT && options->subtract_overhead);
}

static bool agrees(struct ets_bytes dump, const struct ets_inspect_options *options,
                   struct ets_inspection **inspection_out)
{
    bool is_found = false, is_mismatch = false;
    const enum ets_status status = ets_inspection_open(dump, options, inspection_out, NULL);
    if (status != ETS_OK) {
        *inspection_out = NULL;
        return is_of_options(status, options);
    }
    for (uint32_t b = 0; b < ets_inspection_block_count(*inspection_out); b++) {
        const enum ets_method_state state = ets_inspection_block(*inspection_out, b)->method_state;
        is_found |= state == ETS_METHOD_FOUND;
        is_mismatch |= state == ETS_METHOD_MISMATCH;
    }
    if (is_found && !is_mismatch) return true;
    ets_inspection_close(*inspection_out);
    *inspection_out = NULL;
    return false;
}

bool cli_trace_agrees(struct ets_bytes dump, struct ets_etrecord *record,
                      const struct ets_program *program)
{
    struct ets_inspection *inspection = NULL;
    const struct ets_inspect_options options = {.record = record, .program = program};
    const bool is = agrees(dump, &options, &inspection);
    ets_inspection_close(inspection);
    return is;
}

static bool is_path(const char *path, const char *other)
{
    return path == NULL || other == NULL ? path == other : strcmp(path, other) == 0;
}

/* Copies a path after the others; NULL stays NULL. */
static const char *put_path(char **end, const char *path)
{
    if (path == NULL) return NULL;
    char *copy = *end;
    memcpy(copy, path, strlen(path) + 1);
    *end += strlen(path) + 1;
    return copy;
}

static struct cli_sibling *open_sibling(struct cli_siblings *siblings, const char *record,
                                        const char *program)
{
    for (struct cli_sibling *known = siblings->first; known != NULL; known = known->next) {
        if (is_path(known->record_path, record) && is_path(known->program_path, program)) {
            return known;
        }
    }
    const size_t room =
        (record == NULL ? 0 : strlen(record) + 1) + (program == NULL ? 0 : strlen(program) + 1);
    struct cli_sibling *sibling = calloc(1, sizeof *sibling + room);
    if (sibling == NULL) return NULL;
    char *end = (char *)(sibling + 1);
    sibling->record_path = put_path(&end, record);
    sibling->program_path = put_path(&end, program);
    sibling->next = siblings->first;
    siblings->first = sibling;
    if (cli_model_read(sibling->record_path, sibling->program_path, &sibling->model) == ETS_OK) {
        return sibling;
    }
    cli_siblings_drop(siblings, sibling);
    return NULL;
}

/* Opens the files of `with`, and keeps them if the trace agrees. */
static struct cli_sibling *try_with(const struct search *search, const struct names *names,
                                    int with)
{
    struct cli_sibling *sibling =
        open_sibling(search->siblings, with & WITH_RECORD ? names->record : NULL,
                     with & WITH_PROGRAM ? names->program : NULL);
    if (sibling == NULL) return NULL;
    struct ets_inspect_options options = *search->options;
    options.record = sibling->model.record.record;
    options.program = cli_model_program(&sibling->model);
    options.allow_mismatch = 0;
    if (agrees(search->dump, &options, search->inspection_out)) return sibling;
    cli_siblings_drop(search->siblings, sibling);
    return NULL;
}

static struct cli_sibling *try_all(const struct search *search, const struct names *names)
{
    const int there = (names->record[0] != '\0' ? WITH_RECORD : 0) |
                      (names->program[0] != '\0' ? WITH_PROGRAM : 0);
    static const int tries[] = {WITH_RECORD | WITH_PROGRAM, WITH_RECORD, WITH_PROGRAM};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        const int with = tries[i];
        if ((there & with) != with || (with == WITH_RECORD && names->record_is_programs)) continue;
        struct cli_sibling *sibling = try_with(search, names, with);
        if (sibling != NULL) return sibling;
    }
    return NULL;
}

/* Whether to print one more note; otherwise says once that notes are left out. */
static bool may_note(struct cli_siblings *siblings)
{
    if (siblings->noted < MOST_NOTES) return ++siblings->noted;
    if (siblings->noted++ == MOST_NOTES) cli_note("the same for other traces");
    return false;
}

static void note_use(struct cli_siblings *siblings, struct cli_sibling *sibling, const char *where)
{
    const char *record = sibling->record_path, *program = sibling->program_path;
    const bool are_both = record != NULL && program != NULL;
    if (sibling->is_noted || !may_note(siblings)) return;
    sibling->is_noted = true;
    cli_note("using %s%s%s beside %s; --no-siblings ignores %s", record != NULL ? record : "",
             are_both ? " and " : "", program != NULL ? program : "", where,
             are_both ? "them" : "it");
}

/* Of what is no trace nothing is joined: the error of its reader comes first. */
static bool is_another_kind(struct ets_bytes bytes)
{
    const enum ets_kind kind = ets_kind_sniff(bytes);
    return kind != ETS_KIND_ETDUMP && kind != ETS_KIND_UNKNOWN;
}

struct cli_sibling *cli_siblings_join(struct cli_siblings *siblings,
                                      const struct cli_arguments *arguments, const char *path,
                                      struct ets_bytes dump,
                                      const struct ets_inspect_options *options,
                                      struct ets_inspection **inspection_out)
{
    static struct names names; /* too large for the stack */
    const struct search search = {siblings, dump, options, inspection_out};
    *inspection_out = NULL;
    if (strcmp(path, "-") == 0 || !cli_siblings_wanted(arguments)) return NULL;
    if (ets_dump_is_foreign(dump)) return NULL; /* no model of ExecuTorch's describes it */
    if (is_another_kind(dump)) return NULL;
    find_all(path, dump, &names);
    const bool has_record = names.record[0] != '\0';
    if (!has_record && names.program[0] == '\0') return NULL;
    struct cli_sibling *sibling = try_all(&search, &names);
    if (sibling != NULL) {
        note_use(siblings, sibling, "the trace");
    } else if (may_note(siblings)) {
        cli_note("ignored %s beside the trace: it belongs to another trace or cannot be read",
                 has_record ? names.record : names.program);
    }
    return sibling;
}

struct cli_sibling *cli_siblings_join_as(struct cli_siblings *siblings, const char *other_path,
                                         struct ets_bytes dump,
                                         const struct ets_inspect_options *options,
                                         struct ets_inspection **inspection_out)
{
    static struct names names;
    const struct search search = {siblings, dump, options, inspection_out};
    *inspection_out = NULL;
    find_named(other_path, &names);
    struct cli_sibling *sibling = try_all(&search, &names);
    if (sibling != NULL) note_use(siblings, sibling, cli_path_name(other_path));
    return sibling;
}

void cli_siblings_drop(struct cli_siblings *siblings, struct cli_sibling *sibling)
{
    struct cli_sibling **at = &siblings->first;
    if (sibling->is_needed) return;
    while (*at != sibling) at = &(*at)->next;
    *at = sibling->next;
    cli_model_close(&sibling->model);
    free(sibling);
}

void cli_siblings_close(struct cli_siblings *siblings)
{
    while (siblings->first != NULL) {
        siblings->first->is_needed = false;
        cli_siblings_drop(siblings, siblings->first);
    }
}
