/* Advice in the Static Analysis Results Interchange Format. */
#include "output/text/advice_sarif.h"

#include <string.h>

#include "etscope/etrecord.h"
#include "host/text_builder.h"
#include "output/text/json_writer.h"

/* What is as it should be is no result. */
static bool is_result(const struct ets_finding *finding)
{
    return finding->severity != ETS_SEVERITY_GOOD;
}

static bool is_first_of_kind(const struct ets_advice_page *page, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(page->findings[i]->kind, page->findings[index]->kind) == 0) return false;
    }
    return true;
}

static void put_rule(struct ets_json_writer *json, const char *kind)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_string(json, "id", kind);
    ets_json_end_object(json);
}

static void put_driver(struct ets_json_writer *json, const struct ets_advice_page *page)
{
    ets_json_begin_object(json, "tool");
    ets_json_begin_object(json, "driver");
    ets_json_put_string(json, "name", "etscope");
    ets_json_begin_array(json, "rules");
    if (page->is_undecided) put_rule(json, ETS_ADVICE_UNREAD);
    for (uint32_t i = 0; i < page->count; i++) {
        if (!is_first_of_kind(page, i) || !is_result(page->findings[i])) continue;
        put_rule(json, page->findings[i]->kind);
    }
    ets_json_end_array(json);
    ets_json_end_object(json);
    ets_json_end_object(json);
}

/* A path as a relative reference: whatever is special in URIs is escaped. */
static void put_uri(struct ets_json_writer *json, struct ets_text path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char text[4096];
    struct ets_text_builder uri = {text, sizeof text, 0};
    for (size_t i = 0; i < path.size; i++) {
        const unsigned char c = (unsigned char)path.data[i];
        const bool is_plain = c != '\0' && strchr(plain, c) != NULL;
        ets_add_text(&uri, is_plain ? "%c" : "%%%02X", c);
    }
    ets_json_put_text(json, "uri", ets_built_text(&uri));
}

static void put_location(struct ets_json_writer *json, const struct ets_graph_frame *frame)
{
    ets_json_begin_object(json, NULL);
    ets_json_begin_object(json, "physicalLocation");
    ets_json_begin_object(json, "artifactLocation");
    put_uri(json, frame->file);
    if (frame->file.size > 0 && frame->file.data[0] != '/') {
        ets_json_put_string(json, "uriBaseId", "SRCROOT");
    }
    ets_json_end_object(json);
    ets_json_begin_object(json, "region");
    ets_json_put_count(json, "startLine", frame->line > 0 ? frame->line : 1);
    ets_json_end_object(json);
    ets_json_end_object(json);
    ets_json_end_object(json);
}

static void put_message(struct ets_json_writer *json, const struct ets_advice_page *page,
                        const struct ets_finding *finding)
{
    char text[4096], saving[512];
    struct ets_text_builder line = {text, sizeof text, 0};
    const size_t saved = ets_saving_print(&finding->saving, page->tick_ns, saving, sizeof saving);
    ets_add_text(&line, "%.*s.", ETS_TEXT(finding->sentence));
    if (finding->action.size > 0) ets_add_text(&line, " To do: %.*s.", ETS_TEXT(finding->action));
    if (saved > 0) ets_add_text(&line, " Saves %s.", saving);
    ets_json_begin_object(json, "message");
    ets_json_put_text(json, "text", ets_built_text(&line));
    ets_json_end_object(json);
}

static void put_result(struct ets_json_writer *json, const struct ets_advice_page *page,
                       const struct ets_finding *finding)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_string(json, "ruleId", finding->kind);
    ets_json_put_string(json, "level", finding->severity == ETS_SEVERITY_BAD ? "warning" : "note");
    put_message(json, page, finding);
    ets_json_begin_array(json, "locations");
    for (uint32_t i = 0; i < finding->frame_count; i++) put_location(json, finding->frames[i]);
    ets_json_end_array(json);
    ets_json_end_object(json);
}

/* What was not read is no pass. */
static void put_undecided(struct ets_json_writer *json, const struct ets_advice_page *page)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_string(json, "ruleId", ETS_ADVICE_UNREAD);
    ets_json_put_string(json, "level", "warning");
    ets_json_begin_object(json, "message");
    ets_json_put_string(json, "text", page->headline);
    ets_json_end_object(json);
    ets_json_end_object(json);
}

void ets_advice_write_sarif(const struct ets_advice_page *page, struct ets_output *output)
{
    struct ets_json_writer json = {.output = output};
    ets_json_begin_object(&json, NULL);
    ets_json_put_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    ets_json_put_string(&json, "version", "2.1.0");
    ets_json_begin_array(&json, "runs");
    ets_json_begin_object(&json, NULL);
    put_driver(&json, page);
    ets_json_begin_array(&json, "results");
    for (uint32_t i = 0; i < page->count; i++) {
        if (is_result(page->findings[i])) put_result(&json, page, page->findings[i]);
    }
    if (page->is_undecided) put_undecided(&json, page);
    ets_json_end_array(&json);
    ets_json_end_object(&json);
    ets_json_end_array(&json);
    ets_json_end_object(&json);
    ets_json_end_document(&json);
}
