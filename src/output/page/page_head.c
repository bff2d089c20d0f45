/* Writes the head of the document: what was found, in words. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "host/text_builder.h"
#include "output/page/page_parts.h"
#include "output/page/page_relations.h"

static void put_sentences(struct ets_json_writer *json, const struct ets_sentences *sentences)
{
    for (uint32_t i = 0; i < sentences->count; i++) {
        ets_json_put_text(json, NULL, sentences->items[i]);
    }
}

/* More are too many to look at. */
enum { MOST_SELECTED = 40 };

/* "line:models/net.py:15", "module:blocks.0": what is about no operator; false: about neither. */
static bool put_place(struct ets_json_writer *json, const struct ets_page *page,
                      const struct ets_finding *finding)
{
    char text[512];
    const struct ets_text module = ets_finding_module(finding);
    struct ets_text_builder place = {text, sizeof text, 0};
    if (finding->frame_count > 0) {
        const struct ets_graph_frame *frame = finding->frames[0];
        const struct ets_text file = ets_page_cut_folders(&page->folders, frame->file);
        if (file.data == NULL) return false;
        ets_add_text(&place, "line:%.*s:%" PRIu32, ETS_TEXT(file), frame->line);
    } else if (module.size > 0) {
        ets_add_text(&place, "module:%.*s", ETS_TEXT(module));
    }
    if (place.used == 0 || place.used >= sizeof text - 1) return false; /* cut off, it is another */
    ets_json_put_text(json, "select", ets_built_text(&place));
    return true;
}

/* As the address of the page selects things: "operator:12", "operators:3,12". */
static void put_selection(struct ets_json_writer *json, const struct ets_page *page,
                          const struct ets_studied_trace *trace, const struct ets_finding *finding)
{
    char text[16 + 12 * MOST_SELECTED];
    size_t used;
    if (trace != NULL && finding->row != ETS_NO_INDEX) {
        ets_print_text(text, sizeof text, "operator:%u", trace->first_operator + finding->row);
    } else if (trace != NULL && finding->row_count > 0 && finding->row_count <= MOST_SELECTED) {
        used =
            ets_print_text(text, sizeof text, finding->row_count > 1 ? "operators:" : "operator:");
        for (uint32_t i = 0; i < finding->row_count; i++) {
            used += ets_print_text(text + used, sizeof text - used, "%s%u", i > 0 ? "," : "",
                                   trace->first_operator + finding->rows[i]);
        }
    } else {
        if (!put_place(json, page, finding)) ets_json_put_null(json, "select");
        return;
    }
    ets_json_put_string(json, "select", text);
}

static void put_finding(struct ets_json_writer *json, const struct ets_page *page,
                        const struct ets_studied_trace *trace, const struct ets_finding *finding)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_string(json, "kind", finding->kind);
    ets_json_put_string(json, "severity", ets_severity_name(finding->severity));
    ets_json_put_real(json, "share", finding->share.lower);
    ets_json_put_real(json, "share_upper", finding->share.upper);
    ets_json_put_text(json, "sentence", finding->sentence);
    if (ets_finding_is_advice(finding)) ets_json_put_text(json, "action", finding->action);
    ets_json_put_string(json, "view", finding->view);
    if (trace != NULL) ets_json_put_count(json, "trace", (uint64_t)(trace - page->study.traces));
    else ets_json_put_null(json, "trace");
    put_selection(json, page, trace, finding);
    ets_json_end_object(json);
}

static void put_inputs(struct ets_json_writer *json, const struct ets_page_source *source)
{
    ets_json_begin_array(json, "inputs");
    for (uint32_t i = 0; i < source->input_count; i++) {
        const struct ets_page_input *input = &source->inputs[i];
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "role", input->role);
        ets_json_put_string(json, "name", ets_page_file_name(input->path));
        ets_json_put_string(json, "kind", input->kind);
        ets_json_put_count(json, "bytes", input->bytes);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_missing(struct ets_json_writer *json, const struct ets_page *page)
{
    struct ets_page_missing missing;
    ets_json_begin_array(json, "missing");
    for (int i = 0; i < ETS_PAGE_MOST_MISSING; i++) {
        if (!ets_page_missing(page, i, &missing)) continue;
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "view", missing.of.view);
        ets_json_put_string(json, "sentence", missing.of.sentence);
        ets_json_put_string(json, "option", missing.option);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

void ets_page_put_head(struct ets_json_writer *json, const struct ets_page *page)
{
    const uint32_t count = page->word_count;
    char fingerprint[17];
    for (int i = 0; i < 16; i++) {
        fingerprint[i] = "0123456789abcdef"[page->fingerprint >> (60 - 4 * i) & 15];
    }
    fingerprint[16] = '\0';
    ets_json_put_string(json, "format", "etscope-report");
    ets_json_put_integer(json, "version", 1);
    ets_json_put_string(json, "writer", page->source->writer);
    ets_json_put_string(json, "fingerprint", fingerprint);
    ets_json_put_string(json, "title", page->title);
    ets_json_begin_array(json, "headline");
    for (uint32_t i = 0; i < count; i++) put_sentences(json, &page->words[i].headline);
    ets_json_end_array(json);
    ets_json_begin_array(json, "findings");
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < page->words[i].findings.count; k++) {
            put_finding(json, page, page->words[i].trace, &page->words[i].findings.items[k]);
        }
    }
    ets_json_end_array(json);
    ets_json_begin_array(json, "trust");
    for (uint32_t i = 0; i < count; i++) put_sentences(json, &page->words[i].trust);
    ets_json_end_array(json);
    put_inputs(json, page->source);
    put_missing(json, page);
}

void ets_page_put_kept(struct ets_json_writer *json, const struct ets_page_matrix *matrix)
{
    if (matrix->kept == NULL) return;
    ets_json_begin_array(json, "kept");
    for (uint32_t i = 0; i < matrix->run_count; i++) {
        ets_json_put_count(json, NULL, matrix->kept[i]);
    }
    ets_json_end_array(json);
}

static void put_columns(struct ets_json_writer *json, const struct ets_page_table *table)
{
    static const char *const types[] = {"integer", "real", "text"};
    ets_json_begin_object(json, table->name);
    ets_json_put_count(json, "rows", table->row_count);
    ets_json_begin_array(json, "columns");
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct ets_page_column *column = &table->columns[i];
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "name", column->name);
        ets_json_put_string(json, "type", types[column->type]);
        ets_json_put_count(json, "bytes", column->packed.size);
        if (column->has_nulls) ets_json_put_bool(json, "nulls", true);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
    ets_json_end_object(json);
}

enum ets_status ets_page_print_head(const struct ets_page *page, char **text_out, size_t *size_out,
                                    struct ets_error *error)
{
    struct ets_json_writer json = {.output = NULL};
    ETS_TRY(ets_output_open_memory(&json.output, text_out, size_out, error));
    ets_json_begin_object(&json, NULL);
    ets_page_put_head(&json, page);
    ets_json_begin_object(&json, "tables");
    for (uint32_t i = 0; i < page->document.table_count; i++) {
        if (page->document.tables[i].row_count > 0) put_columns(&json, &page->document.tables[i]);
    }
    ets_json_end_object(&json);
    ets_json_begin_array(&json, "events");
    for (uint32_t i = 0; i < page->matrix_count; i++) {
        const struct ets_page_matrix *matrix = &page->matrices[i];
        ets_json_begin_object(&json, NULL);
        ets_json_put_count(&json, "block", matrix->block);
        ets_json_put_count(&json, "positions", matrix->position_count);
        ets_json_put_count(&json, "runs", matrix->run_count);
        ets_page_put_kept(&json, matrix);
        ets_json_put_count(&json, "bytes", matrix->bytes);
        ets_json_end_object(&json);
    }
    ets_json_end_array(&json);
    ets_json_end_object(&json);
    return ets_output_commit(json.output, error);
}
