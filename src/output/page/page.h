/*
 * page.h - the document of a report, as one HTML file or as JSON: docs/report-format.md.
 *
 *     struct ets_page *page;
 *     if (ets_page_open(&source, NULL, &page, &error) == ETS_OK &&
 *         ets_page_write_html(page, output, &error) == ETS_OK) {
 *         status = ets_output_commit(output, &error);
 *     }
 *     ets_page_close(page);
 *
 * The same sources give the same bytes. Use a page from one thread at a time.
 */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_H

#include "etscope/experimental/difference.h"
#include "host/output.h"
#include "study/study_sources.h"
#include "views/trust.h"

struct ets_page;

/* A file that the report was made from. */
struct ets_page_input {
    const char
        *role; /* "trace", "before", "record", "program", "debug buffer", "reference", "machine" */
    const char *path; /* the document tells its last part */
    const char *kind; /* ets_kind_name */
    uint64_t bytes;
};

/* What a page can be without, in the order in which a limit of its size leaves it out. */
enum ets_page_part {
    ETS_PAGE_MOST_RUNS = 0, /* events of all runs of a block but the fastest, median and slowest */
    ETS_PAGE_SOURCE = 1,    /* texts of source lines; files, lines and functions stay */
    ETS_PAGE_TENSORS = 2,   /* what captured tensors hold */
    ETS_PAGE_GRAPH = 3,     /* what flows between nodes and instructions */
    ETS_PAGE_EVENTS = 4,    /* events of all runs */
    ETS_PAGE_PART_COUNT = 5
};

/* What a page is made of; everything is borrowed until it is closed. */
struct ets_page_source {
    const struct ets_study_sources *sources;
    const struct ets_page_input *inputs; /* the first names the page */
    uint32_t input_count;
    const char *writer;                             /* "etscope 1.2.3" */
    const char *missing_options[ETS_MISSING_COUNT]; /* that give what is not there; NULL: none */
    const char *gap_reason; /* why captured values that are there are not compared; or NULL */
    const char *left_out[ETS_PAGE_PART_COUNT]; /* the option that keeps what is left out; or NULL */
    uint32_t before_count; /* the last of the traces, that the others are compared with */
    const struct ets_difference *const *differences; /* [before_count] after them */
    uint32_t live;       /* number of a page that its server replaces (live.ts); 0: a file */
    bool is_last;        /* of such pages */
    uint64_t most_bytes; /* of the document before it is packed; 0: 4 GiB */
};

/*
 * Computes all tables. `allocator` NULL: the C library's. Statuses: those of ets_study_init, of
 * what the study finds, LIMIT (more than `most_bytes`), NO_MEMORY.
 */
ETS_API enum ets_status ets_page_open(const struct ets_page_source *source,
                                      const struct ets_allocator *allocator,
                                      struct ets_page **page_out, struct ets_error *error);
ETS_API void ets_page_close(struct ets_page *page); /* NULL is allowed */

/* The page number `live` of a title that has no document yet. */
void ets_page_write_empty(const char *title, uint32_t live, struct ets_output *output);

/* Status: NO_MEMORY. Failed writes are reported by the output's commit. */
ETS_API enum ets_status ets_page_write_html(struct ets_page *page, struct ets_output *output,
                                            struct ets_error *error);
enum ets_status ets_page_write_json(struct ets_page *page, struct ets_output *output,
                                    struct ets_error *error);

#endif
