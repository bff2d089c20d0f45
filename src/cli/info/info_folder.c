/* info on a folder: what is in it, and what belongs together. */
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/info/info_kinds.h"
#include "cli/open/folder_models.h"
#include "etscope/inspect.h"

static const char *const tie_words[] = {NULL, "self", "fingerprint", "operators", "name"};
static const char *const tie_texts[] = {NULL, NULL, "by fingerprint", "by its operators",
                                        "by name"};

static const char *kind_text(const struct folder_file *file)
{
    switch (file->kind) {
    case ETS_KIND_ETDUMP: return "trace";
    case ETS_KIND_PROGRAM: return "program";
    case ETS_KIND_BUNDLE: return "bundled program";
    case ETS_KIND_ETRECORD: return "ETRecord";
    case ETS_KIND_DATA_FILE: return "data file";
    case ETS_KIND_NPY: return "array";
    case ETS_KIND_CAPTURE: return "stream of a trace";
    case ETS_KIND_EMPTY: return "empty";
    case ETS_KIND_ZIP: return "zip";
    case ETS_KIND_JSON: return "JSON";
    case ETS_KIND_TEXT: return "text";
    case ETS_KIND_UNKNOWN: break;
    }
    return file->model != ETS_NO_INDEX ? "debug buffer" : "unknown kind";
}

static const char *model_name(const struct folder_models *models, const struct folder_file *file)
{
    return file->model == ETS_NO_INDEX ? NULL : folder_file_name(models->items[file->model].first);
}

/* Why a trace or an ETRecord belongs to no model; NULL: it does, or is of another kind. */
static const char *reason_of(const struct folder_models *models, const struct folder_file *file,
                             struct info_line *line)
{
    if (file->problem.status != ETS_OK) return file->problem.message;
    const bool may = file->kind == ETS_KIND_ETDUMP || file->kind == ETS_KIND_ETRECORD;
    if (!may || file->model != ETS_NO_INDEX) return NULL;
    if (models->is_undecided) return "not decided: too many files to try each with each";
    if (file->fit_count == 0) return "fits no model here";
    line->size = 0;
    info_add(line, "fits %u models here: not decided", file->fit_count);
    line->data[line->size] = '\0';
    return line->data;
}

static void add_facts(const struct folder_models *models, const struct folder_file *file,
                      struct info_line *line)
{
    struct info_line reason_line = {.size = 0};
    const char *reason = reason_of(models, file, &reason_line);
    const char *before = "  ";
    if (file->methods != NULL) {
        info_add(line, "%s", before);
        info_add_text(line, cli_text(file->methods));
        before = ", ";
    }
    if (file->run_count > 0) {
        info_add(line, "%s", before);
        info_add_count(line, file->run_count, "run");
        info_add(line, ", ");
        info_add_count(line, file->event_count, "event");
        before = ", ";
    }
    if (tie_texts[file->tie] != NULL) {
        info_add(line, "%s%s", before, tie_texts[file->tie]);
        before = ", ";
    }
    if (reason == NULL) return;
    info_add(line, "%s", before);
    info_add_text(line, cli_text(reason));
}

/* "  run.etdp     trace     1.5 KiB  20 runs, 300 events, by fingerprint" */
static void print_file(struct info_request *request, const struct folder_models *models,
                       const struct folder_file *file, size_t width)
{
    struct info_line line = {.size = 0}, size = {.size = 0};
    const char *name = folder_file_name(file);
    info_add(&line, "  ");
    info_add_text(&line, cli_text(name));
    info_add_bytes(&size, file->bytes);
    info_add(&line, "%*s  %-17s %*s%.*s", line.size < width + 2 ? (int)(width + 2 - line.size) : 0,
             "", kind_text(file), size.size < 10 ? (int)(10 - size.size) : 0, "", (int)size.size,
             size.data);
    add_facts(models, file, &line);
    info_end_line(request->output, &line);
}

static size_t name_width(const struct folder_models *models)
{
    enum { LEAST = 8, MOST = 40 };
    size_t width = LEAST;
    for (uint32_t i = 0; i < models->paths.count; i++) {
        const size_t size = strlen(folder_file_name(&models->files[i]));
        if (size > width && size <= MOST) width = size;
    }
    return width;
}

/* The files of `model`, what gives it its name first; or those of none. */
static void print_files(struct info_request *request, const struct folder_models *models,
                        uint32_t model)
{
    const size_t width = name_width(models);
    uint32_t count = 0, place = 0;
    for (uint32_t i = 0; i < models->paths.count; i++) count += models->files[i].model == model;
    const uint32_t shown = info_shown_wrapped(request, count);
    for (int is_first = 1; is_first >= 0; is_first--) {
        for (uint32_t i = 0; i < models->paths.count; i++) {
            const struct folder_file *file = &models->files[i];
            if (file->model != model || (file->tie == FOLDER_TIE_SELF) != is_first) continue;
            if (place++ < shown) print_file(request, models, file, width);
        }
    }
    if (shown < count)
        info_print(request->output, "  and %u more; --all shows them", count - shown);
}

/* "models: 2 models (a.pte, b.pte), 3 traces, 1 of no model here". */
static void add_headline(const struct info_request *request, const struct folder_models *models,
                         struct info_line *line)
{
    uint32_t traces = 0, strays = 0;
    for (uint32_t i = 0; i < models->paths.count; i++) {
        const bool is_trace = models->files[i].kind == ETS_KIND_ETDUMP;
        traces += is_trace;
        strays += is_trace && models->files[i].model == ETS_NO_INDEX;
    }
    info_add_text(line, cli_text(request->path));
    info_add(line, ": ");
    info_add_count(line, models->count, "model");
    const uint32_t shown = models->count <= 6 ? models->count : 4;
    for (uint32_t i = 0; i < shown; i++) {
        info_add(line, i == 0 ? " (" : ", ");
        info_add_text(line, cli_text(folder_file_name(models->items[i].first)));
    }
    if (models->count > 0) info_add(line, "%s)", shown < models->count ? ", ..." : "");
    info_add(line, ", ");
    info_add_count(line, traces, "trace");
    if (strays > 0) info_add(line, ", %u of no model here", strays);
    info_add(line, "; ");
    info_add_count(line, models->paths.count, "file");
}

static void print_folder(struct info_request *request, const struct folder_models *models)
{
    struct info_line line = {.size = 0};
    bool has_strays = false;
    if (request->has_printed) info_print(request->output, "%s", "");
    request->has_printed = true;
    add_headline(request, models, &line);
    info_end_line(request->output, &line);
    for (uint32_t i = 0; i < models->count; i++) {
        info_add(&line, "\nmodel ");
        info_add_text(&line, cli_text(folder_file_name(models->items[i].first)));
        info_end_line(request->output, &line);
        print_files(request, models, i);
    }
    for (uint32_t i = 0; i < models->paths.count; i++) {
        has_strays |= models->files[i].model == ETS_NO_INDEX;
    }
    if (!has_strays) return;
    info_print(request->output, "%s", "\nother files");
    print_files(request, models, ETS_NO_INDEX);
}

static void put_methods(struct info_json *json, const struct folder_file *file)
{
    info_json_array(json, "methods");
    for (const char *at = file->methods, *end; at != NULL && *at != '\0';
         at = *end == ',' ? end + 2 : end) {
        end = strstr(at, ", ");
        if (end == NULL) end = at + strlen(at);
        info_json_text(json, NULL, (struct ets_text){at, (size_t)(end - at)});
    }
    info_json_end_array(json);
}

static void put_file(struct info_json *json, const struct folder_models *models,
                     const struct folder_file *file)
{
    struct info_line reason = {.size = 0};
    char fingerprint[20];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)file->fingerprint);
    info_json_row(json);
    info_json_string(json, "path", file->path);
    info_json_string(json, "kind", cli_kind_word(file->kind));
    info_json_count(json, "file_bytes", file->bytes);
    if (file->model == ETS_NO_INDEX) info_json_null(json, "model");
    else info_json_count(json, "model", file->model);
    info_json_string(json, "model_name", model_name(models, file));
    info_json_string(json, "joined_by", tie_words[file->tie]);
    info_json_count(json, "fit_count", file->fit_count);
    put_methods(json, file);
    info_json_string(json, "fingerprint", file->has_fingerprint ? fingerprint : NULL);
    info_json_count(json, "run_count", file->run_count);
    info_json_count(json, "event_count", file->event_count);
    info_json_string(json, "reason", reason_of(models, file, &reason));
    info_json_end_row(json);
}

/* The document, with its headline, where `info` was asked for this folder alone. */
static int open_document(struct info_request *request, const struct folder_models *models)
{
    struct info_line line = {.size = 0};
    if (request->json != NULL || request->output != NULL) return CLI_OK;
    add_headline(request, models, &line);
    cli_headline("%.*s", (int)line.size, line.data);
    return cli_document_rows("-", &request->json);
}

int info_folder(struct info_request *request)
{
    struct folder_models models;
    int code = folder_models_open(request->path, &models);
    if (code == CLI_OK) code = open_document(request, &models);
    if (code == CLI_OK && request->json == NULL) print_folder(request, &models);
    const uint32_t count = code == CLI_OK ? models.paths.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct folder_file *file = &models.files[i];
        if (request->json != NULL) put_file(request->json, &models, file);
        if (file->problem.status == ETS_OK) continue;
        const int failed = cli_fail(file->path, &file->problem);
        if (code == CLI_OK) code = failed;
    }
    folder_models_close(&models);
    return code;
}
