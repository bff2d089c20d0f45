/* The command `doctor`: checks the installation, and says how to add what is missing. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/document.h"
#include "cli/info/info_json.h"
#include "cli/info/info_text.h"
#include "etscope/engine.h"
#include "etscope/etrecord.h"
#include "host/output.h"
#include "output/sql/sql.h"

const struct cli_option cli_doctor_options[] = {
    {"--format", "-f", "table|json|jsonl",
     "json: one row with version, etrecord, sql, engine, libraries, missing, ready", NULL, false},
    {"--load-library", NULL, "FILE",
     "Also load a library with kernels or backends of its own, and count what it adds", NULL, true},
    {NULL, NULL, NULL, NULL, NULL, false},
};

#define NOTHING_MISSING "Nothing is missing: `etscope profile` can run and record programs"
#define RECORD_REMEDY "install the packages zlib1g-dev and rapidjson-dev and build etscope again"
#define TRACING_REMEDY "build the runtime with EXECUTORCH_ENABLE_EVENT_TRACER=ON, or use PyPI's"

enum { REMEDY_CHARS = 512 };

/* What a --load-library file did. */
struct loaded {
    const char *path;
    size_t kernel_count, backend_count;
    struct ets_error error; /* status OK: it was loaded */
};

struct findings {
    bool has_record, has_sql;
    char sqlite_version[32];
    struct ets_error sql_error;
    struct ets_engine_library *library;
    const struct ets_engine *engine; /* NULL: not found, see engine_error */
    struct ets_error engine_error;
    char engine_remedy[REMEDY_CHARS];
    struct loaded loaded[CLI_MAX_VALUES];
    unsigned loaded_count;
};

/* A build without ETRecord support says so whatever it is given. */
static bool find_record_support(void)
{
    struct ets_error error;
    struct ets_etrecord *record = NULL;
    const enum ets_status status =
        ets_etrecord_open((struct ets_bytes){NULL, 0}, NULL, &record, &error);
    ets_etrecord_close(record);
    return status != ETS_UNAVAILABLE;
}

/* The reason, and what to do where it does not say so itself. */
static void explain_engine(struct findings *findings)
{
    const char *reason = findings->engine_error.message;
    const char *named = getenv("ETSCOPE_ENGINE");
    const char *remedy = "";
    if (findings->engine_error.status == ETS_MISMATCH) {
        remedy = "; build etscope and its engine from the same sources";
    } else if (named != NULL && named[0] != '\0') {
        remedy = "; set ETSCOPE_ENGINE to an engine, or unset it to look in the usual places";
    } else if (strstr(reason, "make engine") == NULL) {
        remedy = "; install it with `make engine`, or name one in ETSCOPE_ENGINE";
    }
    snprintf(findings->engine_remedy, sizeof findings->engine_remedy, "%s%s", reason, remedy);
}

static void examine(const struct cli_arguments *arguments, struct findings *findings)
{
    findings->has_record = find_record_support();
    findings->has_sql =
        ets_sql_library_version(findings->sqlite_version, sizeof findings->sqlite_version,
                                &findings->sql_error) == ETS_OK;
    if (ets_engine_open(NULL, &findings->library, &findings->engine, &findings->engine_error) !=
        ETS_OK) {
        findings->engine = NULL;
        explain_engine(findings);
        return;
    }
    for (unsigned i = 0; cli_value_at(arguments, "--load-library", i) != NULL; i++) {
        struct loaded *each = &findings->loaded[findings->loaded_count++];
        *each = (struct loaded){.path = cli_value_at(arguments, "--load-library", i)};
        findings->engine->load_library(each->path, &each->kernel_count, &each->backend_count,
                                       &each->error);
    }
}

/* Part and remedy number `index`, or false past the end. */
static bool find_missing(const struct findings *findings, unsigned index, const char **part_out,
                         const char **remedy_out)
{
    const struct {
        bool is_missing;
        const char *part, *remedy;
    } parts[] = {
        {!findings->has_record, "ETRecord support", RECORD_REMEDY},
        {!findings->has_sql, "SQL", findings->sql_error.message},
        {findings->engine == NULL, "engine", findings->engine_remedy},
        {findings->engine != NULL && !findings->engine->tracing_compiled_in, "tracing",
         TRACING_REMEDY},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].is_missing || index-- > 0) continue;
        *part_out = parts[i].part;
        *remedy_out = parts[i].remedy;
        return true;
    }
    return false;
}

static void print_backends(struct ets_output *output, const struct ets_engine *engine,
                           bool is_available)
{
    struct info_list list;
    info_list_begin(&list, output, is_available ? "backends" : "not usable");
    for (size_t i = 0; i < engine->backend_count(); i++) {
        if ((engine->backend_is_available(i) != 0) != is_available) continue;
        struct info_line item = {.size = 0};
        info_add(&item, "%s", engine->backend_name(i));
        info_list_add(&list, &item);
    }
    if (list.has_item) {
        info_list_end(&list);
        if (!is_available) info_fact(output, "", "(registered, but they cannot run here)");
    } else if (is_available) {
        info_fact(output, "backends", "none");
    }
}

static bool has_backend(const struct ets_engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->backend_count(); i++) {
        if (strcmp(engine->backend_name(i), name) == 0) return true;
    }
    return false;
}

/* Backends that PyPI's wheel carries, which need what their vendors give. */
static const struct other_backend {
    const char *name, *library, *needs;
} others[] = {
    {"QnnBackend", "libexecutorch_backend_qnn.so", "Qualcomm's QNN SDK"},
    {"OpenvinoBackend", "libexecutorch_backend_openvino.so", "OpenVINO's libopenvino_c.so"},
};
enum { OTHER_COUNT = sizeof others / sizeof *others };

static void print_other_backends(struct ets_output *output, const struct ets_engine *engine)
{
    const char *label = "not loaded";
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        if (has_backend(engine, others[i].name)) continue;
        info_fact(output, label, "%s, which needs %s:", others[i].name, others[i].needs);
        info_fact(output, "", "--load-library lib/%s of its wheel", others[i].library);
        label = "";
    }
}

static void put_other_backends(struct info_json *json, const struct ets_engine *engine)
{
    info_json_array(json, "not_loaded");
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        if (has_backend(engine, others[i].name)) continue;
        info_json_object(json, NULL);
        info_json_string(json, "name", others[i].name);
        info_json_string(json, "library", others[i].library);
        info_json_string(json, "needs", others[i].needs);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static void print_engine(struct ets_output *output, const struct findings *findings)
{
    const struct ets_engine *engine = findings->engine;
    if (engine == NULL) {
        info_fact(output, "engine", "not found");
        return;
    }
    info_fact(output, "engine", "%s", ets_engine_path(findings->library));
    info_fact(output, "interface", "%u", (unsigned)engine->interface_version);
    info_fact(output, "runtime", "ExecuTorch %s", engine->runtime_version);
    info_fact(output, "tracing", "%s", engine->tracing_compiled_in ? "compiled in" : "left out");
    print_backends(output, engine, true);
    print_backends(output, engine, false);
    print_other_backends(output, engine);
    info_fact(output, "kernels", "%zu", engine->kernel_count());
    info_fact(output, "threads", "%zu", engine->thread_count());
    for (unsigned i = 0; i < findings->loaded_count; i++) {
        const struct loaded *each = &findings->loaded[i];
        if (each->error.status != ETS_OK) continue;
        struct info_line line = {.size = 0};
        info_label(&line, "library");
        info_add(&line, "%s: ", each->path);
        info_add_count(&line, each->kernel_count, "kernel");
        info_add(&line, ", ");
        info_add_count(&line, each->backend_count, "backend");
        info_end_line(output, &line);
    }
}

static void print_table(struct ets_output *output, const struct findings *findings)
{
    const char *part, *remedy;
    info_print(output, "etscope %s", ETS_VERSION);
    info_fact(output, "ETRecord", "%s", findings->has_record ? "built in" : "left out");
    if (findings->has_sql) info_fact(output, "SQL", "SQLite %s", findings->sqlite_version);
    else info_fact(output, "SQL", "not found");
    print_engine(output, findings);
    ets_output_write(output, "\n", 1);
    for (unsigned i = 0; find_missing(findings, i, &part, &remedy); i++) {
        char text[REMEDY_CHARS + 64];
        snprintf(text, sizeof text, "missing: %s: %s", part, remedy);
        info_paragraph(output, text);
    }
    if (!find_missing(findings, 0, &part, &remedy)) {
        info_print(output, NOTHING_MISSING ".");
    }
}

static void put_engine(struct info_json *json, const struct findings *findings)
{
    const struct ets_engine *engine = findings->engine;
    if (engine == NULL) {
        info_json_null(json, "engine");
        return;
    }
    info_json_object(json, "engine");
    info_json_string(json, "path", ets_engine_path(findings->library));
    info_json_count(json, "interface_version", engine->interface_version);
    info_json_string(json, "runtime_version", engine->runtime_version);
    info_json_bool(json, "tracing", engine->tracing_compiled_in);
    info_json_count(json, "kernel_count", engine->kernel_count());
    info_json_count(json, "thread_count", engine->thread_count());
    info_json_array(json, "backends");
    for (size_t i = 0; i < engine->backend_count(); i++) {
        info_json_object(json, NULL);
        info_json_string(json, "name", engine->backend_name(i));
        info_json_bool(json, "available", engine->backend_is_available(i));
        info_json_end_object(json);
    }
    info_json_end_array(json);
    put_other_backends(json, engine);
    info_json_end_object(json);
}

static void put_libraries(struct info_json *json, const struct findings *findings)
{
    info_json_array(json, "libraries");
    for (unsigned i = 0; i < findings->loaded_count; i++) {
        const struct loaded *each = &findings->loaded[i];
        const bool is_loaded = each->error.status == ETS_OK;
        info_json_object(json, NULL);
        info_json_string(json, "path", each->path);
        info_json_count(json, "kernel_count", each->kernel_count);
        info_json_count(json, "backend_count", each->backend_count);
        info_json_string(json, "error", is_loaded ? NULL : each->error.message);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static void put_row(struct info_json *json, const struct findings *findings)
{
    const char *part, *remedy;
    info_json_row(json);
    info_json_string(json, "version", ETS_VERSION);
    info_json_bool(json, "etrecord", findings->has_record);
    info_json_bool(json, "sql", findings->has_sql);
    put_engine(json, findings);
    put_libraries(json, findings);
    info_json_array(json, "missing");
    for (unsigned i = 0; find_missing(findings, i, &part, &remedy); i++) {
        info_json_object(json, NULL);
        info_json_string(json, "part", part);
        info_json_string(json, "remedy", remedy);
        info_json_end_object(json);
    }
    info_json_end_array(json);
    info_json_bool(json, "ready", !find_missing(findings, 0, &part, &remedy));
    info_json_end_row(json);
}

/* A row for programs, lines for people. Returns an exit code. */
static int print(const struct cli_arguments *arguments, const struct findings *findings)
{
    struct ets_output *output;
    struct ets_error error;
    if (cli_choice(arguments, "--format", 0) > 0) {
        struct info_json *json;
        const char *part, *remedy;
        if (!find_missing(findings, 0, &part, &remedy)) cli_headline(NOTHING_MISSING);
        else cli_headline("missing: %s: %s", part, remedy);
        const int code = cli_document_rows("-", &json);
        if (code == CLI_OK) put_row(json, findings);
        return code;
    }
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    print_table(output, findings);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output("-", &error);
}

int cmd_doctor(const struct cli_arguments *arguments)
{
    static struct findings findings;
    if (arguments->word_count > 0) {
        return cli_complain(CLI_USAGE, "doctor takes no file; `etscope info %s` looks at one",
                            arguments->words[0]);
    }
    examine(arguments, &findings);
    int code = print(arguments, &findings);
    const char *part, *remedy;
    if (code == CLI_OK && find_missing(&findings, 0, &part, &remedy)) code = CLI_UNAVAILABLE;
    for (unsigned i = 0; i < findings.loaded_count; i++) {
        const struct loaded *each = &findings.loaded[i];
        if (each->error.status != ETS_OK) code = cli_fail(each->path, &each->error);
    }
    ets_engine_close(findings.library);
    return code;
}
