/*
 * Finds which files of a folder belong together. Programs are identified by their fingerprints. A
 * trace belongs to the program whose fingerprint it carries. A trace without a fingerprint belongs
 * to the only model that it joins, or, if it joins several, to the one with its name. An ETRecord
 * has no fingerprint: it belongs to the program with its name, or to the only one with which it
 * explains a trace.
 */
#include "cli/info/folder_models.h"

#include <stdlib.h>
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/cli_text.h"
#include "cli/info/info_kinds.h"
#include "etscope/inspect.h"
#include "host/os/os_files.h"

/* A join reads a whole trace; a folder of thousands of both kinds would take hours. */
enum { MOST_TRIES = 20000 };

const char *folder_file_name(const struct folder_file *file)
{
    return ets_os_name(file->path);
}

static bool is_program(const struct folder_file *file)
{
    return file->program.is_open;
}

static bool is_trace(const struct folder_file *file)
{
    return file->kind == ETS_KIND_ETDUMP && file->problem.status == ETS_OK;
}

/* Compares names up to the last point, which must exist. */
static bool has_name_of(const struct folder_file *file, const struct folder_file *other)
{
    const char *left = folder_file_name(file), *right = folder_file_name(other);
    const char *left_end = strrchr(left, '.'), *right_end = strrchr(right, '.');
    if (left_end == NULL || right_end == NULL || left_end == left) return false;
    const size_t size = (size_t)(left_end - left);
    return size == (size_t)(right_end - right) && memcmp(left, right, size) == 0;
}

/* Reports exhausted memory as a problem of the file. */
static void add_method(struct folder_file *file, struct ets_text name)
{
    const size_t used = file->methods == NULL ? 0 : strlen(file->methods);
    char *grown = realloc(file->methods, used + name.size + 3);
    if (grown == NULL) {
        file->problem = (struct ets_error){.status = ETS_NO_MEMORY, .offset = ETS_NO_OFFSET};
        snprintf(file->problem.message, sizeof file->problem.message, "no memory for its methods");
        return;
    }
    file->methods = grown;
    snprintf(grown + used, name.size + 3, "%s%.*s", used > 0 ? ", " : "", (int)name.size,
             name.data == NULL ? "" : name.data);
}

static void read_program(struct folder_file *file)
{
    if (cli_program_read(file->path, &file->program, &file->problem) != ETS_OK) return;
    const struct ets_program *program = &file->program.program;
    file->has_fingerprint = true;
    file->fingerprint = ets_program_fingerprint(program);
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        add_method(file, method.name);
    }
}

static void read_record(struct folder_file *file)
{
    if (cli_record_read(file->path, &file->record, &file->problem) != ETS_OK) return;
    for (size_t i = 0; i < ets_etrecord_method_count(file->record.record); i++) {
        add_method(file, cli_text(ets_etrecord_method_name(file->record.record, i)));
    }
}

static bool has_method(const struct folder_file *file, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = file->methods; at != NULL;) {
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0')) return true;
        at = strstr(at, ", ");
        if (at != NULL) at += 2;
    }
    return false;
}

static void read_trace(struct folder_file *file, struct ets_bytes bytes)
{
    const struct ets_inspect_options options = {.record = NULL};
    struct ets_inspection *inspection;
    if (ets_inspection_open(bytes, &options, &inspection, &file->problem) != ETS_OK) return;
    const struct ets_event_table *events = ets_inspection_events(inspection);
    file->run_count = ets_inspection_run_count(inspection);
    file->event_count = events->count;
    for (uint32_t i = 0; i < events->count && !file->has_values; i++) {
        file->has_values = events->kind[i] == ETS_EVENT_DEBUG;
    }
    file->has_fingerprint = cli_trace_fingerprint(bytes, &file->fingerprint);
    for (uint32_t i = 0; i < ets_inspection_block_count(inspection); i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        if (block->is_method_named && !has_method(file, block->method)) {
            add_method(file, cli_text(block->method));
        }
    }
    ets_inspection_close(inspection);
}

static void read_file(struct folder_file *file)
{
    struct ets_file *open;
    if (cli_file_open(file->path, &open, &file->problem) != ETS_OK) return;
    const struct ets_bytes bytes = ets_file_bytes(open);
    file->bytes = bytes.size;
    file->kind = ets_kind_sniff(bytes);
    if (file->kind == ETS_KIND_ETDUMP) read_trace(file, bytes);
    ets_file_close(open);
    if (file->kind == ETS_KIND_PROGRAM || file->kind == ETS_KIND_BUNDLE) read_program(file);
    if (file->kind == ETS_KIND_ETRECORD) read_record(file);
}

static void join(struct folder_file *file, uint32_t model, enum folder_tie tie)
{
    file->model = model;
    file->tie = tie;
}

static void begin_model(struct folder_models *models, struct folder_file *file)
{
    models->items[models->count].first = file;
    join(file, models->count++, FOLDER_TIE_SELF);
}

/* The model whose program has this fingerprint, or ETS_NO_INDEX. */
static uint32_t find_fingerprint(const struct folder_models *models, uint64_t fingerprint)
{
    for (uint32_t i = 0; i < models->count; i++) {
        const struct folder_file *first = models->items[i].first;
        if (is_program(first) && first->fingerprint == fingerprint) return i;
    }
    return ETS_NO_INDEX;
}

static void join_fingerprints(struct folder_models *models)
{
    for (int with_bundles = 0; with_bundles < 2; with_bundles++) { /* a .pte names its model */
        for (uint32_t i = 0; i < models->paths.count; i++) {
            struct folder_file *file = &models->files[i];
            if (!is_program(file) || file->program.is_bundle != with_bundles) continue;
            const uint32_t model = find_fingerprint(models, file->fingerprint);
            if (model == ETS_NO_INDEX) begin_model(models, file);
            else join(file, model, FOLDER_TIE_FINGERPRINT);
        }
    }
    for (uint32_t i = 0; i < models->paths.count; i++) {
        struct folder_file *file = &models->files[i];
        if (!is_trace(file) || !file->has_fingerprint) continue;
        const uint32_t model = find_fingerprint(models, file->fingerprint);
        if (model != ETS_NO_INDEX) join(file, model, FOLDER_TIE_FINGERPRINT);
    }
}

/* The program of a model, or NULL. */
static const struct folder_file *program_of(const struct folder_model *model)
{
    return is_program(model->first) ? model->first : NULL;
}

/* Whether the trace joins these; one of `record` and `program` may be NULL. */
static bool trace_fits(struct folder_models *models, const struct folder_file *trace,
                       const struct folder_file *record, const struct folder_file *program)
{
    struct ets_file *file;
    if (models->tries == MOST_TRIES) {
        models->is_undecided = true;
        return false;
    }
    models->tries++;
    if (ets_file_open(trace->path, &file, NULL) != ETS_OK) return false;
    const bool fits =
        cli_trace_agrees(ets_file_bytes(file), record == NULL ? NULL : record->record.record,
                         program == NULL ? NULL : &program->program.program);
    ets_file_close(file);
    return fits;
}

static bool has_methods_of(const struct folder_file *record, const struct folder_file *program)
{
    const struct ets_etrecord *open = record->record.record;
    for (size_t i = 0; i < ets_etrecord_method_count(open); i++) {
        struct ets_method method;
        if (ets_program_find_method(&program->program.program, ets_etrecord_method_name(open, i),
                                    &method, NULL) != ETS_OK) {
            return false;
        }
    }
    return true;
}

/* Whether ETRecord and program together explain a trace that belongs to no other model. */
static bool explains_trace(struct folder_models *models, const struct folder_file *record,
                           uint32_t model)
{
    const struct folder_file *program = models->items[model].first;
    for (uint32_t i = 0; i < models->paths.count; i++) {
        const struct folder_file *file = &models->files[i];
        const bool may = file->model == model || file->model == ETS_NO_INDEX;
        if (may && is_trace(file) && trace_fits(models, file, record, program)) return true;
    }
    return false;
}

static void add_fit(struct folder_file *file, uint32_t model)
{
    if (file->fit_count < FOLDER_TOLD_FITS) file->fits[file->fit_count] = model;
    file->fit_count++;
}

static void join_record(struct folder_models *models, struct folder_file *record,
                        uint32_t program_count)
{
    uint32_t found = ETS_NO_INDEX;
    for (uint32_t i = 0; i < models->paths.count; i++) {
        const struct folder_file *file = &models->files[i];
        if (is_program(file) && has_name_of(record, file) && has_methods_of(record, file)) {
            join(record, file->model, FOLDER_TIE_NAME);
            return;
        }
    }
    for (uint32_t i = 0; i < program_count; i++) {
        if (!has_methods_of(record, models->items[i].first)) continue;
        if (!explains_trace(models, record, i)) continue;
        found = i;
        add_fit(record, i);
    }
    if (record->fit_count == 1) join(record, found, FOLDER_TIE_OPERATORS);
    if (record->fit_count == 0) begin_model(models, record);
}

static void join_records(struct folder_models *models)
{
    const uint32_t program_count = models->count;
    for (uint32_t i = 0; i < models->paths.count; i++) {
        struct folder_file *file = &models->files[i];
        if (file->record.record == NULL) continue;
        join_record(models, file, program_count);
        if (file->model == ETS_NO_INDEX) continue;
        struct folder_model *model = &models->items[file->model];
        if (model->record == NULL) model->record = file;
    }
}

static void join_trace(struct folder_models *models, struct folder_file *trace)
{
    uint32_t found = ETS_NO_INDEX, named = ETS_NO_INDEX;
    for (uint32_t i = 0; i < models->count; i++) {
        const struct folder_file *record = models->items[i].record;
        const struct folder_file *program = program_of(&models->items[i]);
        if (!trace_fits(models, trace, record, program)) continue;
        found = i;
        add_fit(trace, i);
        if ((record != NULL && has_name_of(trace, record)) ||
            (program != NULL && has_name_of(trace, program))) {
            named = i;
        }
    }
    if (trace->fit_count == 1) join(trace, found, FOLDER_TIE_OPERATORS);
    else if (named != ETS_NO_INDEX) join(trace, named, FOLDER_TIE_NAME);
}

/* A raw file with a trace's name contains the tensors of that trace. */
static void join_debug_buffers(struct folder_models *models)
{
    for (uint32_t i = 0; i < models->paths.count; i++) {
        struct folder_file *file = &models->files[i];
        if (file->kind != ETS_KIND_UNKNOWN || file->problem.status != ETS_OK) continue;
        if (!info_may_be_debug_buffer(file->path)) continue;
        for (uint32_t k = 0; k < models->paths.count; k++) {
            const struct folder_file *trace = &models->files[k];
            if (!trace->has_values || trace->model == ETS_NO_INDEX) continue;
            if (has_name_of(file, trace)) join(file, trace->model, FOLDER_TIE_NAME);
        }
    }
}

int folder_models_open(const char *folder, struct folder_models *models_out)
{
    struct folder_models *models = models_out;
    *models = (struct folder_models){.files = NULL};
    const int code = cli_folder_open(folder, &models->paths);
    if (code != CLI_OK) return code;
    models->files = calloc(models->paths.count + (size_t)1, sizeof *models->files);
    models->items = calloc(models->paths.count + (size_t)1, sizeof *models->items);
    if (models->files == NULL || models->items == NULL) {
        return cli_complain(CLI_INTERNAL, "%s: no memory for %u files", folder,
                            models->paths.count);
    }
    for (uint32_t i = 0; i < models->paths.count; i++) {
        struct folder_file *file = &models->files[i];
        file->path = models->paths.items[i];
        file->model = ETS_NO_INDEX;
        read_file(file);
    }
    join_fingerprints(models);
    join_records(models);
    for (uint32_t i = 0; i < models->paths.count; i++) {
        struct folder_file *file = &models->files[i];
        if (is_trace(file) && file->model == ETS_NO_INDEX) join_trace(models, file);
    }
    join_debug_buffers(models);
    return CLI_OK;
}

void folder_models_close(struct folder_models *models)
{
    for (uint32_t i = 0; models->files != NULL && i < models->paths.count; i++) {
        free(models->files[i].methods);
        cli_record_close(&models->files[i].record);
        cli_program_close(&models->files[i].program);
    }
    free(models->files);
    free(models->items);
    cli_paths_close(&models->paths);
}
