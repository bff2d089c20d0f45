/* Computes what a page holds: tables, matrices of events, and the words of its head. */
#include <string.h>

#include "base/error.h"
#include "output/page/page_fill.h"
#include "output/page/page_gap.h"
#include "output/page/page_graph.h"
#include "output/page/page_parts.h"
#include "output/page/page_relations.h"
#include "output/page/page_roofs.h"

static bool make_matrices(struct ets_page *page)
{
    struct ets_arena *arena = &page->document.arena;
    const bool has_few = page->source->left_out[ETS_PAGE_MOST_RUNS] != NULL;
    if (page->source->left_out[ETS_PAGE_EVENTS] != NULL) return true;
    page->matrices = ets_arena_alloc_array(arena, page->study.block_count, sizeof *page->matrices);
    if (page->matrices == NULL) return false;
    for (uint32_t i = 0; i < page->study.sources.trace_count; i++) {
        const struct ets_studied_trace *trace = &page->study.traces[i];
        for (uint32_t b = 0; b < ets_inspection_block_count(trace->inspection); b++) {
            if (!ets_page_make_matrix(arena, trace, b, has_few,
                                      &page->matrices[page->matrix_count++], &page->events)) {
                return false;
            }
        }
    }
    return true;
}

/* The first input's name without its ending. */
static bool find_title(struct ets_page *page)
{
    const struct ets_page_source *source = page->source;
    const char *name = source->input_count > 0 ? ets_page_file_name(source->inputs[0].path) : "";
    const char *dot = strrchr(name, '.');
    const size_t size = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    page->title = ets_arena_copy_text(&page->document.arena, name, size);
    return page->title != NULL;
}

/* FNV-1a over what the document holds. */
static void add_fingerprint(struct ets_page *page, const struct ets_page_bytes *bytes)
{
    for (size_t i = 0; i < bytes->size; i++) {
        page->fingerprint = (page->fingerprint ^ bytes->data[i]) * 0x100000001b3u;
    }
}

/* A browser reads no section of 4 GiB, and has no room for more in all. */
static enum ets_status check_size(const struct ets_page *page, struct ets_error *error)
{
    const struct ets_page_source *source = page->source;
    const uint64_t most = source->most_bytes > 0 ? source->most_bytes : (uint64_t)4 << 30;
    uint64_t size = page->texts.size + page->events.size;
    for (uint32_t i = 0; i < page->document.table_count; i++) {
        const struct ets_page_table *table = &page->document.tables[i];
        for (uint32_t k = 0; k < table->column_count; k++) size += table->columns[k].packed.size;
    }
    if (size <= most) return ETS_OK;
    return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                    "the report would hold %llu bytes, more than the %llu that a browser can read",
                    (unsigned long long)size, (unsigned long long)most);
}

/* Before they are made: each event has two numbers of a byte or more. */
static enum ets_status check_events(const struct ets_page *page, struct ets_error *error)
{
    const struct ets_page_source *source = page->source;
    const uint64_t most = source->most_bytes > 0 ? source->most_bytes : (uint64_t)4 << 30;
    const bool has_all =
        source->left_out[ETS_PAGE_MOST_RUNS] == NULL && source->left_out[ETS_PAGE_EVENTS] == NULL;
    if (!has_all || page->study.event_count <= most / 2) return ETS_OK;
    return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                    "the report would hold %u events, more than a browser can read",
                    page->study.event_count);
}

static bool cut(const struct ets_page *page, struct ets_text *text)
{
    const bool is_there = text->data != NULL;
    *text = ets_page_cut_folders(&page->folders, *text);
    return is_there == (text->data != NULL);
}

static bool cut_words(const struct ets_page *page, struct ets_page_words *words)
{
    bool ok = true;
    for (uint32_t i = 0; i < words->headline.count; i++) ok &= cut(page, &words->headline.items[i]);
    for (uint32_t i = 0; i < words->trust.count; i++) ok &= cut(page, &words->trust.items[i]);
    for (uint32_t i = 0; i < words->findings.count; i++) {
        ok &= cut(page, &words->findings.items[i].sentence);
        ok &= cut(page, &words->findings.items[i].action);
    }
    return ok;
}

/* A report tells no folders of the machine where a model was exported; code stays as it is. */
static bool cut_folders(struct ets_page *page)
{
    struct ets_page_document *document = &page->document;
    bool *is_code = ets_arena_alloc_array(&document->arena, document->text_count, sizeof *is_code);
    bool ok = is_code != NULL;
    for (uint32_t i = 0; ok && i < document->table_count; i++) {
        ets_page_mark_texts(&document->tables[i], "code", is_code);
    }
    for (uint32_t i = 0; ok && i < document->text_count; i++) {
        ok = is_code[i] || cut(page, &document->texts[i]);
    }
    for (uint32_t i = 0; ok && i < page->word_count; i++) ok = cut_words(page, &page->words[i]);
    return ok;
}

static bool pack(struct ets_page *page)
{
    struct ets_page_document *document = &page->document;
    page->fingerprint = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < document->table_count; i++) {
        struct ets_page_table *table = &document->tables[i];
        if (!ets_page_pack_table(document, table)) return false;
        for (uint32_t k = 0; k < table->column_count; k++) {
            add_fingerprint(page, &table->columns[k].packed);
        }
    }
    if (!ets_page_pack_texts(document, &page->texts)) return false;
    add_fingerprint(page, &page->texts);
    add_fingerprint(page, &page->events);
    return true;
}

static enum ets_status fill(struct ets_page *page, const struct ets_allocator *allocator,
                            struct ets_error *error)
{
    page->has_data = true; /* freed in any case */
    ETS_TRY(ets_study_init(&page->study, page->source->sources, allocator, error));
    ETS_TRY(ets_page_find_folders(&page->folders, &page->study, error));
    ETS_TRY(ets_page_add_relations(&page->document, &page->study, error));
    ETS_TRY(ets_page_add_graphs(&page->document, &page->study, error));
    ETS_TRY(ets_page_add_roofs(&page->document, &page->study, error));
    ETS_TRY(ets_page_add_gaps(&page->document, &page->study, error));
    ETS_TRY(check_events(page, error));
    if (!make_matrices(page)) return ets_fail_memory(error, "the report");
    ETS_TRY(ets_page_add_views(page, error));
    ETS_TRY(ets_page_find_words(page, error));
    if (!cut_folders(page) || !find_title(page) || !pack(page)) {
        return ets_fail_memory(error, "the report");
    }
    return check_size(page, error);
}

enum ets_status ets_page_open(const struct ets_page_source *source,
                              const struct ets_allocator *allocator, struct ets_page **page_out,
                              struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_page *page = ets_arena_alloc(&arena, sizeof *page);
    if (page == NULL) return ets_fail_memory(error, "the report");
    page->source = source;
    page->document.arena = arena; /* holds its owner */
    page->folders.arena = &page->document.arena;
    page->document.has_no_source = source->left_out[ETS_PAGE_SOURCE] != NULL;
    page->document.has_no_tensors = source->left_out[ETS_PAGE_TENSORS] != NULL;
    page->document.has_no_graph = source->left_out[ETS_PAGE_GRAPH] != NULL;
    const enum ets_status status = fill(page, allocator, error);
    if (status != ETS_OK) ets_page_close(page);
    else *page_out = page;
    return status;
}

void ets_page_close(struct ets_page *page)
{
    if (page == NULL) return;
    struct ets_arena arena = page->document.arena;
    if (page->has_data) ets_study_reset(&page->study);
    ets_arena_reset(&arena);
}
