/* Describes a folder: its files, and which belong together. */
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/info/folder_models.h"
#include "cli/info/info_kinds.h"
#include "etscope/inspect.h"

static const char *const tie_words[] = {NULL, "self", "fingerprint", "operators", "name"};
static const char *const tie_texts[] = {NULL, NULL, "by fingerprint", "by its operators",
                                        "by name"};

static bool is_debug_buffer(const struct folder_file *file)
{
    return file->kind == ETS_KIND_UNKNOWN && file->model != ETS_NO_INDEX;
}

static const char *kind_text(const struct folder_file *file)
{
    switch (file->kind) {
    case ETS_KIND_ETDUMP: return "trace";
    case ETS_KIND_PROGRAM: return "program";
    case ETS_KIND_BUNDLE: return "bundled program";
    case ETS_KIND_ETRECORD: return "ETRecord";
    case ETS_KIND_DATA_FILE: return "data file";
    case ETS_KIND_NPY: return "array";
    case ETS_KIND_DEVICE_LOG: return "stream of a trace";
    case ETS_KIND_SUMMARY: return "summary";
    case ETS_KIND_EMPTY: return "empty";
    case ETS_KIND_ZIP: return "zip";
    case ETS_KIND_JSON: return "JSON";
    case ETS_KIND_TEXT: return "text";
    case ETS_KIND_UNKNOWN: break;
    }
    return is_debug_buffer(file) ? "debug buffer" : "unknown kind";
}

static const char *model_name(const struct folder_models *models, const struct folder_file *file)
{
    return file->model == ETS_NO_INDEX ? NULL : folder_file_name(models->items[file->model].first);
}

/* Why a trace or ETRecord belongs to no model; NULL: it does, or it is another kind of file. */
static const char *reason_of(const struct folder_models *models, const struct folder_file *file,
                             struct ets_text_builder *line)
{
    if (file->problem.status != ETS_OK) return file->problem.message;
    const bool may = file->kind == ETS_KIND_ETDUMP || file->kind == ETS_KIND_ETRECORD;
    if (!may || file->model != ETS_NO_INDEX) return NULL;
    if (models->is_undecided) return "not decided: too many files to try all combinations";
    if (file->fit_count == 0) return "fits no model in this folder";
    ets_add_text(line, "not decided: fits %u models in this folder: ", file->fit_count);
    for (uint32_t i = 0; i < file->fit_count && i < FOLDER_TOLD_FITS; i++) {
        const char *before = i == 0 ? "" : i + 1 == file->fit_count ? " and " : ", ";
        ets_add_plain_text(line, "%s%s", before,
                           folder_file_name(models->items[file->fits[i]].first));
    }
    if (file->fit_count > FOLDER_TOLD_FITS) ets_add_text(line, " and more");
    return line->text;
}

static void tell_findings(struct ets_facts *facts, const struct folder_models *models,
                          const struct folder_file *file)
{
    char room[512];
    struct ets_text_builder line = {room, sizeof room, 0};
    const char *reason = reason_of(models, file, &line);
    const char *before = "  ";
    if (file->methods != NULL) {
        ets_facts_words(facts, "%s", before);
        ets_facts_string(facts, NULL, file->methods);
        before = ", ";
    }
    if (file->run_count > 0) {
        ets_facts_words(facts, "%s", before);
        ets_facts_count(facts, NULL, file->run_count, "run");
        ets_facts_words(facts, ", ");
        ets_facts_count(facts, NULL, file->event_count, "event");
        before = ", ";
    }
    if (tie_texts[file->tie] != NULL) {
        ets_facts_words(facts, "%s%s", before, tie_texts[file->tie]);
        before = ", ";
    }
    if (reason == NULL) return;
    ets_facts_words(facts, "%s", before);
    ets_facts_string(facts, NULL, reason);
}

/* "  run.etdp     trace     1.5 KiB  20 runs, 300 events, by fingerprint" */
static void tell_file(struct ets_facts *facts, const struct folder_models *models,
                      const struct folder_file *file, size_t width)
{
    char name_room[ETS_FACTS_CHARS], size_room[16];
    struct ets_text_builder name = {name_room, sizeof name_room, 0};
    struct ets_text_builder size = {size_room, sizeof size_room, 0};
    ets_add_shown_text(&name, cli_text(folder_file_name(file)));
    ets_add_bytes(&size, file->bytes);
    ets_facts_plain_line(facts, "  %-*s  %-17s %10s", (int)width, name.text, kind_text(file),
                         size.text);
    tell_findings(facts, models, file);
    ets_facts_end(facts);
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

/* Lists the files of `model`, the one that names it first; or the files without a model. */
static void tell_files(struct info_request *request, const struct folder_models *models,
                       uint32_t model)
{
    struct ets_facts *facts = &request->facts;
    const size_t width = name_width(models);
    uint32_t count = 0, place = 0;
    for (uint32_t i = 0; i < models->paths.count; i++) count += models->files[i].model == model;
    const uint32_t shown = info_shown_wrapped(request, count);
    for (int is_first = 1; is_first >= 0; is_first--) {
        for (uint32_t i = 0; i < models->paths.count; i++) {
            const struct folder_file *file = &models->files[i];
            if (file->model != model || (file->tie == FOLDER_TIE_SELF) != is_first) continue;
            if (place++ < shown) tell_file(facts, models, file, width);
        }
    }
    if (shown < count)
        ets_facts_plain_line(facts, "  and %u more; --all shows them", count - shown);
    ets_facts_end(facts);
}

static void add_count(struct ets_text_builder *line, uint32_t count, const char *noun)
{
    ets_add_text(line, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

/* "models: 2 models (a.pte, b.pte), 3 traces, 1 of no model here". */
static void add_headline(const struct info_request *request, const struct folder_models *models,
                         struct ets_text_builder *line)
{
    uint32_t traces = 0, strays = 0;
    for (uint32_t i = 0; i < models->paths.count; i++) {
        const bool is_trace = models->files[i].kind == ETS_KIND_ETDUMP;
        traces += is_trace;
        strays += is_trace && models->files[i].model == ETS_NO_INDEX;
    }
    ets_add_shown_text(line, cli_text(request->path));
    ets_add_text(line, ": ");
    add_count(line, models->count, "model");
    const uint32_t shown = models->count <= 6 ? models->count : 4;
    for (uint32_t i = 0; i < shown; i++) {
        ets_add_text(line, i == 0 ? " (" : ", ");
        ets_add_shown_text(line, cli_text(folder_file_name(models->items[i].first)));
    }
    if (models->count > 0) ets_add_text(line, "%s)", shown < models->count ? ", ..." : "");
    ets_add_text(line, ", ");
    add_count(line, traces, "trace");
    if (strays > 0) ets_add_text(line, ", %u without a model", strays);
    ets_add_text(line, "; ");
    add_count(line, models->paths.count, "file");
    if (models->paths.folder_count == 0) return;
    ets_add_text(line, "; not read: ");
    add_count(line, models->paths.folder_count, "folder");
    ets_add_text(line, " in it");
}

static void tell_models(struct info_request *request, const struct folder_models *models)
{
    struct ets_facts *facts = &request->facts;
    char room[ETS_FACTS_CHARS];
    struct ets_text_builder headline = {room, sizeof room, 0};
    bool has_strays = false;
    add_headline(request, models, &headline);
    ets_facts_plain_line(facts, "%s%s", request->has_printed ? "\n" : "", room);
    ets_facts_end(facts);
    request->has_printed = true;
    for (uint32_t i = 0; i < models->count; i++) {
        ets_facts_plain_line(facts, "\nmodel ");
        ets_facts_string(facts, NULL, folder_file_name(models->items[i].first));
        ets_facts_end(facts);
        tell_files(request, models, i);
    }
    for (uint32_t i = 0; i < models->paths.count; i++) {
        has_strays |= models->files[i].model == ETS_NO_INDEX;
    }
    if (!has_strays) return;
    ets_facts_plain_line(facts, "\nother files");
    ets_facts_end(facts);
    tell_files(request, models, ETS_NO_INDEX);
}

static void put_methods(struct ets_json_writer *json, const struct folder_file *file)
{
    ets_json_begin_array(json, "methods");
    for (const char *at = file->methods, *end; at != NULL && *at != '\0';
         at = *end == ',' ? end + 2 : end) {
        end = strstr(at, ", ");
        if (end == NULL) end = at + strlen(at);
        ets_json_put_text(json, NULL, (struct ets_text){at, (size_t)(end - at)});
    }
    ets_json_end_array(json);
}

static void put_file(struct ets_json_writer *json, const struct folder_models *models,
                     const struct folder_file *file)
{
    char room[512];
    struct ets_text_builder reason = {room, sizeof room, 0};
    char fingerprint[20];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)file->fingerprint);
    ets_json_begin_row(json);
    ets_json_put_string(json, "path", file->path);
    ets_json_put_string(json, "kind",
                        is_debug_buffer(file) ? "debug_buffer" : cli_kind_word(file->kind));
    ets_json_put_count(json, "file_bytes", file->bytes);
    if (file->model == ETS_NO_INDEX) ets_json_put_null(json, "model");
    else ets_json_put_count(json, "model", file->model);
    ets_json_put_string(json, "model_name", model_name(models, file));
    ets_json_put_string(json, "joined_by", tie_words[file->tie]);
    ets_json_put_count(json, "fit_count", file->fit_count);
    put_methods(json, file);
    ets_json_put_string(json, "fingerprint", file->has_fingerprint ? fingerprint : NULL);
    ets_json_put_count(json, "run_count", file->run_count);
    ets_json_put_count(json, "event_count", file->event_count);
    ets_json_put_string(json, "reason", reason_of(models, file, &reason));
    ets_json_end_row(json);
}

/* The document, with its headline. */
static int open_document(struct info_request *request, const struct folder_models *models)
{
    char room[ETS_FACTS_CHARS];
    struct ets_text_builder line = {room, sizeof room, 0};
    struct ets_json_writer *json;
    add_headline(request, models, &line);
    cli_headline("%s", room);
    const int code = cli_document_rows("-", &json);
    if (code == CLI_OK) ets_facts_init(&request->facts, json, NULL);
    return code;
}

int info_folder(struct info_request *request, bool begins_document)
{
    struct folder_models models;
    int code = folder_models_open(request->path, &models);
    if (code == CLI_OK && begins_document) code = open_document(request, &models);
    const bool is_json = ets_facts_are_json(&request->facts);
    if (code == CLI_OK && !is_json) tell_models(request, &models);
    const uint32_t count = code == CLI_OK ? models.paths.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct folder_file *file = &models.files[i];
        if (is_json) put_file(request->facts.json, &models, file);
        if (file->problem.status == ETS_OK) continue;
        const int failed = cli_fail(file->path, &file->problem);
        if (code == CLI_OK) code = failed;
    }
    folder_models_close(&models);
    return code;
}
