/* Writes the page: a first screen that needs no script, the head, the script, and the sections. */
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "output/page/page_pack.h"
#include "output/page/page_parts.h"
#include "output/page/page_relations.h"

static void put(struct ets_output *output, const char *text)
{
    ets_output_write(output, text, strlen(text));
}

/* Text of the page: markup becomes entities; what is not safe to print, visible escapes. */
static void put_text(struct ets_output *output, struct ets_text text)
{
    for (size_t i = 0; i < text.size;) {
        const size_t length = ets_utf8_length(text.data + i, text.size - i);
        const uint32_t code = length > 0 ? ets_utf8_code(text.data + i, length) : 0xfffd;
        const bool is_hidden = code < 0x20 || (code >= 0x7f && code < 0xa0) ||
                               (code >= 0x200e && code <= 0x200f) ||
                               (code >= 0x2028 && code <= 0x202e) ||
                               (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
        if (code == '&') put(output, "&amp;");
        else if (code == '<') put(output, "&lt;");
        else if (code == '>') put(output, "&gt;");
        else if (length == 0) put(output, "\xef\xbf\xbd");
        else if (is_hidden) ets_output_print(output, "\\u%04x", (unsigned)code);
        else ets_output_write(output, text.data + i, length);
        i += length > 0 ? length : 1;
    }
}

static void put_string(struct ets_output *output, const char *text)
{
    put_text(output, (struct ets_text){text, strlen(text)});
}

static void put_hash(struct ets_output *output, const struct ets_page_asset *asset)
{
    put(output, "'sha256-");
    ets_page_write_base64(output, asset->sha256, sizeof asset->sha256);
    put(output, "'; ");
}

static void put_opening(struct ets_output *output, const char *title)
{
    put(output,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src ");
    put_hash(output, &ets_page_script);
    put(output, "style-src ");
    put_hash(output, &ets_page_style);
    put(output,
        "img-src data: blob:; worker-src blob:; connect-src 'none'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types etscope\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    put_string(output, title);
    put(output, " - report of etscope</title>\n<style>");
    ets_output_write(output, ets_page_style.data, ets_page_style.size);
    put(output, "</style>\n</head>\n<body>\n");
}

static void put_item(struct ets_output *output, const char *mark, struct ets_text text)
{
    put(output, "<li>");
    put(output, mark);
    put_text(output, text);
    put(output, "</li>\n");
}

static void put_sentences(struct ets_output *output, const struct ets_sentences *sentences)
{
    for (uint32_t i = 0; i < sentences->count; i++) put_item(output, "", sentences->items[i]);
}

static void put_first_screen(struct ets_output *output, const struct ets_page *page)
{
    static const char *const marks[] = {"bad: ", "", "good: "};
    const uint32_t traces = page->data.sources.trace_count;
    put(output, "<main class=\"etscope-static\">\n<h1>");
    put_string(output, page->title);
    put(output, "</h1>\n<ul>\n");
    for (uint32_t i = 0; i < traces; i++) put_sentences(output, &page->words[i].headline);
    put(output, "</ul>\n<h2>Findings</h2>\n<ul>\n");
    for (uint32_t i = 0; i < traces; i++) {
        for (uint32_t k = 0; k < page->words[i].findings.count; k++) {
            const struct ets_finding *finding = &page->words[i].findings.items[k];
            put_item(output, marks[finding->severity], finding->sentence);
        }
    }
    put(output, "</ul>\n<h2>Inputs</h2>\n<ul>\n");
    for (uint32_t i = 0; i < page->source->input_count; i++) {
        const struct ets_page_input *input = &page->source->inputs[i];
        put(output, "<li>");
        put_string(output, ets_page_file_name(input->path));
        ets_output_print(output, ": %s, %llu bytes</li>\n", input->kind,
                         (unsigned long long)input->bytes);
    }
    put(output, "</ul>\n<h2>Trust</h2>\n<ul>\n");
    for (uint32_t i = 0; i < traces; i++) put_sentences(output, &page->words[i].trust);
    put(output,
        "</ul>\n<p>Download this file and open it in a browser to explore the rest.</p>\n"
        "</main>\n");
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
        if (text[i] == '<') put(output, "\\u003c");
        else put(output, (uint8_t)text[i + 2] == 0xa8 ? "\\u2028" : "\\u2029");
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
    put(output, "<script type=\"application/x-etscope\" id=\"etscope-");
    put(output, kind);
    put(output, name);
    put(output, "\">");
    if (ok) ets_page_write_base64(output, packed.data, packed.size);
    put(output, "</script>\n");
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

enum ets_status ets_page_write_html(struct ets_page *page, struct ets_output *output,
                                    struct ets_error *error)
{
    const struct ets_allocator *allocator = page->document.arena.allocator;
    char *head = NULL;
    size_t size = 0;
    ETS_TRY(ets_page_print_head(page, &head, &size, error));
    put_opening(output, page->title);
    put_first_screen(output, page);
    put(output, "<script type=\"application/json\" id=\"etscope-head\">");
    put_script_text(output, head, size);
    ets_output_free(head);
    put(output, "</script>\n<script>");
    ets_output_write(output, ets_page_script.data, ets_page_script.size);
    put(output, "</script>\n");
    bool ok = put_section(output, allocator, "", "strings", &page->texts);
    for (uint32_t i = 0; ok && i < page->document.table_count; i++) {
        if (page->document.tables[i].row_count == 0) continue;
        ok = put_table(output, allocator, &page->document.tables[i]);
    }
    if (ok && page->matrix_count > 0)
        ok = put_section(output, allocator, "", "events", &page->events);
    put(output, "</body>\n</html>\n");
    return ok ? ETS_OK : ets_fail_memory(error, "the sections of the report");
}
