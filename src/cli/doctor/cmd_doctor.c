/* The command `doctor`: checks the installation, and shows how to add missing parts. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/document.h"
#include "cli/core/write_table.h"
#include "etscope/engine.h"
#include "etscope/etrecord.h"
#include "host/output.h"
#include "output/sql/sql.h"
#include "output/text/facts.h"
#include "payload/providers.h"

static const struct cli_command_option option_list[] = {
    {"--format", .value = "table|json|jsonl",
     .help = "Output format; json: one row with version, etrecord, sql, engine, libraries, "
             "missing, ready"},
    {"--load-library",
     .help = "Also load this library with kernels or backends, and report what it adds"},
    {NULL},
};

#define NOTHING_MISSING "Nothing is missing: `etscope profile` can run programs and record traces"
#define RECORD_REMEDY "install the packages zlib1g-dev and rapidjson-dev and build etscope again"
#define TRACING_REMEDY "build the runtime with EXECUTORCH_ENABLE_EVENT_TRACER=ON, or use PyPI's"

enum { REMEDY_CHARS = 512 };

/* The result of loading a --load-library file. */
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

/* A build without ETRecord support reports this for any input. */
static bool find_record_support(void)
{
    struct ets_error error;
    struct ets_etrecord *record = NULL;
    const enum ets_status status =
        ets_etrecord_open((struct ets_bytes){NULL, 0}, NULL, &record, &error);
    ets_etrecord_close(record);
    return status != ETS_UNAVAILABLE;
}

/* The reason, and what to do unless the reason already says it. */
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

/* Missing part number `index` and its remedy; false past the end. */
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

static bool has_backend(const struct ets_engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->backend_count(); i++) {
        if (strcmp(engine->backend_name(i), name) == 0) return true;
    }
    return false;
}

/* For people: the backends that are available, or those that are not. */
static void tell_usable(struct ets_facts *facts, const struct ets_engine *engine, bool is_available)
{
    bool has_item = false;
    for (size_t i = 0; i < engine->backend_count(); i++) {
        if ((engine->backend_is_available(i) != 0) != is_available) continue;
        if (!has_item) ets_facts_line(facts, is_available ? "backends" : "not usable");
        has_item = true;
        ets_facts_item(facts);
        ets_facts_words(facts, "%s", engine->backend_name(i));
    }
    ets_facts_end(facts);
    if (!has_item && !is_available) return;
    if (has_item && is_available) return;
    ets_facts_line(facts, is_available ? "backends" : "");
    ets_facts_words(facts, is_available ? "none" : "(registered, but unusable here)");
    ets_facts_end(facts);
}

static void put_backends(struct ets_json_writer *json, const struct ets_engine *engine)
{
    ets_json_begin_array(json, "backends");
    for (size_t i = 0; i < engine->backend_count(); i++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "name", engine->backend_name(i));
        ets_json_put_bool(json, "available", engine->backend_is_available(i) != 0);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void tell_other_backends(struct ets_facts *facts, const struct ets_engine *engine)
{
    const char *label = "not loaded";
    ets_json_begin_array(facts->json, "not_loaded");
    const struct ets_provider *other;
    for (size_t i = 0; (other = ets_provider_at(i)) != NULL; i++) {
        if (!other->is_backend || other->library == NULL) continue;
        if (has_backend(engine, other->part)) continue;
        ets_json_begin_object(facts->json, NULL);
        ets_json_put_string(facts->json, "name", other->part);
        ets_json_put_string(facts->json, "library", other->library);
        ets_json_put_string(facts->json, "needs", other->needs);
        ets_json_end_object(facts->json);
        ets_facts_line(facts, "%s", label);
        ets_facts_words(facts, "%s, which needs %s:", other->part, other->needs);
        ets_facts_end(facts);
        ets_facts_line(facts, "%s", "");
        ets_facts_words(facts, "--load-library lib/%s of its wheel", other->library);
        ets_facts_end(facts);
        label = "";
    }
    ets_json_end_array(facts->json);
}

/* The kernels that programs can name though they are not registered, and their library. */
static void tell_on_demand(struct ets_facts *facts, const struct ets_engine *engine)
{
    struct ets_engine_kernels_on_demand found;
    engine->kernels_on_demand(&found);
    const bool are_there = found.reason[0] == '\0';
    ets_json_begin_object(facts->json, "kernels_on_demand");
    ets_json_put_string(facts->json, "reason", are_there ? NULL : found.reason);
    ets_json_begin_array(facts->json, "names");
    ets_facts_line(facts, "on demand");
    for (size_t i = 0; i < found.count; i++) {
        ets_facts_item(facts);
        ets_facts_string(facts, ETS_FACTS_ITEM, found.names[i]);
    }
    if (!are_there) ets_facts_words(facts, "none, see below");
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
    if (are_there) ets_facts_line(facts, "%s", "");
    ets_facts_words(facts, "without PyTorch, from ");
    ets_facts_string(facts, "library", found.path);
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

static void tell_capacity(struct ets_facts *facts, const struct ets_engine *engine)
{
    ets_facts_number_line(facts, "kernels", "kernel_count", engine->kernel_count());
    tell_on_demand(facts, engine);
    ets_facts_number_line(facts, "threads", "thread_count", engine->thread_count());
}

static void tell_engine(struct ets_facts *facts, const struct findings *findings)
{
    const struct ets_engine *engine = findings->engine;
    const bool is_json = ets_facts_are_json(facts);
    if (engine == NULL) {
        ets_json_put_null(facts->json, "engine");
        ets_facts_line(facts, "engine");
        ets_facts_words(facts, "not found");
        ets_facts_end(facts);
        return;
    }
    ets_json_begin_object(facts->json, "engine");
    ets_facts_line(facts, "engine");
    ets_facts_string(facts, "path", ets_engine_path(findings->library));
    ets_facts_end(facts);
    ets_facts_number_line(facts, "interface", "interface_version", engine->interface_version);
    ets_facts_line(facts, "runtime");
    ets_facts_words(facts, "ExecuTorch ");
    ets_facts_string(facts, "runtime_version", engine->runtime_version);
    ets_facts_end(facts);
    ets_facts_line(facts, "tracing");
    ets_facts_bool(facts, "tracing", engine->tracing_compiled_in != 0, "compiled in", "left out");
    ets_facts_end(facts);
    if (is_json) tell_capacity(facts, engine); /* for people it follows the backends */
    if (is_json) put_backends(facts->json, engine);
    tell_usable(facts, engine, true);
    tell_usable(facts, engine, false);
    tell_other_backends(facts, engine);
    if (!is_json) tell_capacity(facts, engine);
    ets_json_end_object(facts->json);
}

/* People see the loaded libraries; a failure is reported as a message. */
static void tell_libraries(struct ets_facts *facts, const struct findings *findings)
{
    ets_json_begin_array(facts->json, "libraries");
    for (unsigned i = 0; i < findings->loaded_count; i++) {
        const struct loaded *each = &findings->loaded[i];
        const bool is_loaded = each->error.status == ETS_OK;
        ets_json_begin_object(facts->json, NULL);
        if (is_loaded && findings->engine != NULL) ets_facts_line(facts, "library");
        ets_facts_string(facts, "path", each->path);
        ets_facts_words(facts, ": ");
        ets_facts_count(facts, "kernel_count", each->kernel_count, "kernel");
        ets_facts_words(facts, ", ");
        ets_facts_count(facts, "backend_count", each->backend_count, "backend");
        ets_facts_end(facts);
        ets_json_put_string(facts->json, "error", is_loaded ? NULL : each->error.message);
        ets_json_end_object(facts->json);
    }
    ets_json_end_array(facts->json);
}

/* Nothing is missing without them: most programs name none. */
static void tell_why_no_llama(struct ets_facts *facts, const struct ets_engine *engine)
{
    char text[REMEDY_CHARS + 128];
    struct ets_engine_kernels_on_demand found;
    engine->kernels_on_demand(&found);
    if (found.reason[0] == '\0') return;
    snprintf(text, sizeof text,
             "no llama:: kernels: %.*s; --python PYTHON takes them from a Python with torch and "
             "executorch",
             (int)REMEDY_CHARS, found.reason);
    ets_facts_paragraph(facts, text);
}

static void tell_missing(struct ets_facts *facts, const struct findings *findings)
{
    const char *part, *remedy;
    ets_json_begin_array(facts->json, "missing");
    for (unsigned i = 0; find_missing(findings, i, &part, &remedy); i++) {
        char text[REMEDY_CHARS + 64];
        snprintf(text, sizeof text, "missing: %s: %s", part, remedy);
        ets_facts_paragraph(facts, text);
        ets_json_begin_object(facts->json, NULL);
        ets_json_put_string(facts->json, "part", part);
        ets_json_put_string(facts->json, "remedy", remedy);
        ets_json_end_object(facts->json);
    }
    ets_json_end_array(facts->json);
    const bool is_ready = !find_missing(findings, 0, &part, &remedy);
    ets_json_put_bool(facts->json, "ready", is_ready);
    if (is_ready) ets_facts_plain_line(facts, NOTHING_MISSING ".");
    ets_facts_end(facts);
}

static void tell_findings(struct ets_facts *facts, const struct findings *findings)
{
    ets_json_begin_row(facts->json);
    ets_facts_plain_line(facts, "etscope ");
    ets_facts_string(facts, "version", ETS_VERSION);
    ets_facts_end(facts);
    ets_facts_line(facts, "ETRecord");
    ets_facts_bool(facts, "etrecord", findings->has_record, "built in", "left out");
    ets_facts_end(facts);
    ets_json_put_bool(facts->json, "sql", findings->has_sql);
    ets_facts_line(facts, "SQL");
    if (findings->has_sql) ets_facts_words(facts, "SQLite %s", findings->sqlite_version);
    else ets_facts_words(facts, "not found");
    ets_facts_end(facts);
    tell_engine(facts, findings);
    tell_libraries(facts, findings);
    ets_facts_plain_line(facts, "%s", "");
    ets_facts_end(facts);
    if (findings->engine != NULL) tell_why_no_llama(facts, findings->engine);
    tell_missing(facts, findings);
    ets_json_end_row(facts->json);
}

/* A row for programs, lines for people. Returns an exit code. */
static int print(const struct cli_arguments *arguments, const struct findings *findings)
{
    struct ets_facts facts;
    struct ets_output *output;
    struct ets_error error;
    if (cli_choice(arguments, "--format", 0) > 0) {
        struct ets_json_writer *json;
        const char *part, *remedy;
        if (!find_missing(findings, 0, &part, &remedy)) cli_headline(NOTHING_MISSING);
        else cli_headline("missing: %s: %s", part, remedy);
        const int code = cli_document_rows("-", &json);
        if (code != CLI_OK) return code;
        ets_facts_init(&facts, json, NULL);
        tell_findings(&facts, findings);
        return CLI_OK;
    }
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    ets_facts_init(&facts, NULL, output);
    facts.width = cli_output_width();
    tell_findings(&facts, findings);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output("-", &error);
}

static int cmd_doctor(const struct cli_arguments *arguments)
{
    static struct findings findings;
    if (arguments->word_count > 0) {
        return cli_complain(CLI_USAGE, "doctor takes no file; `etscope info %s` describes it",
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

const struct cli_command cli_doctor_command = {
    .name = "doctor",
    .task = CLI_TASK_ETSCOPE,
    .summary = "check the installation, and show how to add missing parts",
    .arguments = "",
    .description =
        "Reports the parts of this installation: ETRecord support, the engine and its runtime, "
        "whether the runtime records traces, and its delegate backends and kernels.",
    .options = option_list,
    .examples = "etscope doctor",
    .guide = "install.md#check-the-installation",
    .run = cmd_doctor,
};
