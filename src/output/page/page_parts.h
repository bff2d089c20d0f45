/* What the writers of a page share: its parts, computed by page.c. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_PARTS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_PARTS_H

#include "advice/findings.h"
#include "output/page/page.h"
#include "output/page/page_events.h"
#include "output/page/page_folders.h"
#include "output/text/json_writer.h"
#include "views/headline.h"

/* Of a trace, or of a model without one. */
struct ets_page_words {
    const struct ets_studied_trace *trace; /* NULL: none */
    struct ets_sentences headline, trust;
    struct ets_findings findings;
};

struct ets_page {
    const struct ets_page_source *source;
    struct ets_page_document document; /* its arena holds all, the page as well */
    struct ets_study study;
    struct ets_page_folders folders; /* that no text tells */
    struct ets_page_matrix *matrices;
    uint32_t matrix_count;
    struct ets_page_bytes events, texts;
    struct ets_page_words *words; /* [word_count] of differences, then of traces, first */
    uint32_t word_count;
    const char *title;
    uint64_t fingerprint;
    bool has_data;
};

/* page_words.c: fills `words`. Statuses: those of the byte maps and of ets_delegation_open. */
enum ets_status ets_page_find_words(struct ets_page *page, struct ets_error *error);
/* page_programs.c: of a program without a trace. Statuses: likewise. */
enum ets_status ets_page_say_program(struct ets_page *page, const struct ets_studied_findings *of,
                                     struct ets_page_words *words, struct ets_error *error);

/* page_missing.c: what is not told; false: item `i`, a file or a part, is there. */
enum { ETS_PAGE_MOST_MISSING = ETS_MISSING_COUNT + ETS_PAGE_PART_COUNT };
struct ets_page_missing {
    struct ets_missing of;
    const char *option; /* that gives it */
};
bool ets_page_missing(const struct ets_page *page, int i, struct ets_page_missing *missing_out);

/* page_head.c: the members of the head before its tables. */
void ets_page_put_head(struct ets_json_writer *json, const struct ets_page *page);
/* Which runs of its block a matrix has, if they are not all. */
void ets_page_put_kept(struct ets_json_writer *json, const struct ets_page_matrix *matrix);
/* The head of the packed form, as JSON text in memory. Status: NO_MEMORY. */
enum ets_status ets_page_print_head(const struct ets_page *page, char **text_out, size_t *size_out,
                                    struct ets_error *error);

/* The page's script and style sheet, and their SHA-256; made by cmake/page_assets.cmake. */
struct ets_page_asset {
    const uint8_t *data;
    size_t size;
    uint8_t sha256[32];
};
extern const struct ets_page_asset ets_page_script, ets_page_style, ets_page_live;

#endif
