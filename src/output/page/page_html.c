/* Writes the page: a first screen that needs no script, the head, the script, and the sections. */
#include <string.h>

#include "base/error.h"
#include "output/page/page_markup.h"
#include "output/page/page_operators.h"
#include "output/page/page_pack.h"
#include "output/page/page_parts.h"
#include "output/page/page_relations.h"

static void put_string(struct ets_output *output, const char *text)
{
    ets_page_put_shown(output, (struct ets_text){text, strlen(text)});
}

static void put_hash(struct ets_output *output, const struct ets_page_asset *asset,
                     const char *behind)
{
    ets_page_put(output, "'sha256-");
    ets_page_write_base64(output, asset->sha256, sizeof asset->sha256);
    ets_page_put(output, "'");
    ets_page_put(output, behind);
}

/* `live` as in ets_page_source: such a page may ask its server for the next one. */
static void put_opening(struct ets_output *output, const char *title, uint32_t live)
{
    ets_page_put(output,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                 "script-src ");
    put_hash(output, &ets_page_script, live > 0 ? " " : "; ");
    if (live > 0) put_hash(output, &ets_page_live, "; ");
    ets_page_put(output, "style-src ");
    put_hash(output, &ets_page_style, "; ");
    ets_page_put(output, "img-src data: blob:; worker-src blob:; connect-src ");
    ets_page_put(output, live > 0 ? "'self'" : "'none'");
    ets_page_put(
        output,
        "; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types etscope\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    put_string(output, title);
    ets_page_put(output, " - report of etscope</title>\n<style>");
    ets_output_write(output, ets_page_style.data, ets_page_style.size);
    ets_page_put(output, "</style>\n</head>\n<body>\n");
}

static void put_item(struct ets_output *output, const char *mark, struct ets_text text)
{
    ets_page_put(output, "<li>");
    ets_page_put(output, mark);
    ets_page_put_shown(output, text);
    ets_page_put(output, "</li>\n");
}

static void put_sentences(struct ets_output *output, const struct ets_sentences *sentences)
{
    for (uint32_t i = 0; i < sentences->count; i++) put_item(output, "", sentences->items[i]);
}

static void put_findings(struct ets_output *output, const struct ets_page *page)
{
    static const char *const marks[] = {"bad: ", "", "good: "};
    ets_page_put(output, "<h2>Findings</h2>\n<ul>\n");
    for (uint32_t i = 0; i < page->word_count; i++) {
        for (uint32_t k = 0; k < page->words[i].findings.count; k++) {
            const struct ets_finding *finding = &page->words[i].findings.items[k];
            put_item(output, marks[finding->severity], finding->sentence);
        }
    }
    ets_page_put(output, "</ul>\n");
}

static void put_missing(struct ets_output *output, const struct ets_page *page)
{
    struct ets_page_missing missing;
    bool is_first = true;
    for (int i = 0; i < ETS_PAGE_MOST_MISSING; i++) {
        if (!ets_page_missing(page, i, &missing)) continue;
        ets_page_put(output, is_first ? "<h2>Missing</h2>\n<ul>\n<li>" : "<li>");
        put_string(output, missing.of.sentence);
        ets_page_put(output, ": ");
        put_string(output, missing.option);
        ets_page_put(output, "</li>\n");
        is_first = false;
    }
    if (!is_first) ets_page_put(output, "</ul>\n");
}

static void put_inputs(struct ets_output *output, const struct ets_page_source *source)
{
    ets_page_put(output, "<h2>Inputs</h2>\n<ul>\n");
    for (uint32_t i = 0; i < source->input_count; i++) {
        const struct ets_page_input *input = &source->inputs[i];
        ets_page_put(output, "<li>");
        put_string(output, ets_page_file_name(input->path));
        ets_output_print(output, ": %s, %s, %llu bytes</li>\n", input->role, input->kind,
                         (unsigned long long)input->bytes);
    }
    ets_page_put(output, "</ul>\n");
}

static void put_trust(struct ets_output *output, const struct ets_page *page)
{
    if (page->study.sources.trace_count == 0) return;
    ets_page_put(output, "<h2>Trust</h2>\n<ul>\n");
    for (uint32_t i = 0; i < page->word_count; i++) put_sentences(output, &page->words[i].trust);
    ets_page_put(output, "</ul>\n");
}

/* False where memory ran out. */
static bool put_first_screen(struct ets_output *output, const struct ets_page *page)
{
    ets_page_put(output, "<main class=\"etscope-static\">\n<h1>");
    put_string(output, page->title);
    ets_page_put(output, "</h1>\n<ul>\n");
    for (uint32_t i = 0; i < page->word_count; i++) put_sentences(output, &page->words[i].headline);
    ets_page_put(output, "</ul>\n");
    put_findings(output, page);
    const bool ok = ets_page_put_operators(output, page);
    put_missing(output, page);
    put_inputs(output, page->source);
    put_trust(output, page);
    ets_page_put(output,
                 "<p>Scripts are blocked here: download this file and open it in a browser "
                 "to explore.</p>\n</main>\n");
    return ok;
}

/* JSON inside a script: no name can end it. `<` and U+2028, U+2029 stand only inside strings. */
static void put_script_text(struct ets_output *output, const char *text, size_t size)
{
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        const bool is_separator = size - i > 2 && memcmp(text + i, "\xe2\x80", 2) == 0 &&
                                  ((uint8_t)text[i + 2] | 1) == 0xa9;
        if (text[i] != '<' && !is_separator) continue;
        ets_output_write(output, text + from, i - from);
        if (text[i] == '<') ets_page_put(output, "\\u003c");
        else ets_page_put(output, (uint8_t)text[i + 2] == 0xa8 ? "\\u2028" : "\\u2029");
        if (is_separator) i += 2;
        from = i + 1;
    }
    ets_output_write(output, text + from, size - from);
}

/* `allocator` is of scratch memory. */
static bool put_section(struct ets_output *output, const struct ets_allocator *allocator,
                        const char *kind, const char *name, const struct ets_page_bytes *bytes)
{
    struct ets_arena arena;
    struct ets_page_bytes packed = {NULL, 0, 0};
    ets_arena_init(&arena, allocator, 0);
    const bool ok = ets_page_gzip(&arena, bytes, &packed);
    ets_page_put(output, "<script type=\"application/x-etscope\" id=\"etscope-");
    ets_page_put(output, kind);
    ets_page_put(output, name);
    ets_page_put(output, "\">");
    if (ok) ets_page_write_base64(output, packed.data, packed.size);
    ets_page_put(output, "</script>\n");
    ets_arena_reset(&arena);
    return ok;
}

static bool put_table(struct ets_output *output, const struct ets_allocator *allocator,
                      const struct ets_page_table *table)
{
    struct ets_arena arena;
    struct ets_page_bytes all = {NULL, 0, 0};
    bool ok = true;
    ets_arena_init(&arena, allocator, 0);
    for (uint32_t i = 0; ok && i < table->column_count; i++) {
        const struct ets_page_bytes *part = &table->columns[i].packed;
        ok = ets_page_put_bytes(&arena, &all, part->data, part->size);
    }
    ok = ok && put_section(output, allocator, "table-", table->name, &all);
    ets_arena_reset(&arena);
    return ok;
}

static void put_live(struct ets_output *output, uint32_t live, bool is_last)
{
    if (live == 0) return;
    ets_output_print(output, "<script data-page=\"%u\"%s>", live, is_last ? " data-last" : "");
    ets_output_write(output, ets_page_live.data, ets_page_live.size);
    ets_page_put(output, "</script>\n");
}

void ets_page_write_empty(const char *title, uint32_t live, struct ets_output *output)
{
    put_opening(output, title, live);
    ets_page_put(output, "<main>\n<h1>");
    put_string(output, title);
    ets_page_put(output, "</h1>\n<p>Waiting for the first frames of the stream</p>\n</main>\n");
    put_live(output, live, false);
    ets_page_put(output, "</body>\n</html>\n");
}

enum ets_status ets_page_write_html(struct ets_page *page, struct ets_output *output,
                                    struct ets_error *error)
{
    const struct ets_allocator *allocator = page->document.arena.allocator;
    char *head = NULL;
    size_t size = 0;
    ETS_TRY(ets_page_print_head(page, &head, &size, error));
    put_opening(output, page->title, page->source->live);
    bool ok = put_first_screen(output, page);
    ets_page_put(output, "<script type=\"application/json\" id=\"etscope-head\">");
    put_script_text(output, head, size);
    ets_output_free(head);
    ets_page_put(output, "</script>\n<script>");
    ets_output_write(output, ets_page_script.data, ets_page_script.size);
    ets_page_put(output, "</script>\n");
    ok = ok && put_section(output, allocator, "", "strings", &page->texts);
    for (uint32_t i = 0; ok && i < page->document.table_count; i++) {
        if (page->document.tables[i].row_count == 0) continue;
        ok = put_table(output, allocator, &page->document.tables[i]);
    }
    if (ok && page->matrix_count > 0)
        ok = put_section(output, allocator, "", "events", &page->events);
    put_live(output, page->source->live, page->source->is_last);
    ets_page_put(output, "</body>\n</html>\n");
    return ok ? ETS_OK : ets_fail_memory(error, "the sections of the report");
}
