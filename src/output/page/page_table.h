/*
 * Tables of a page: typed columns, filled row by row, and their packed form.
 *
 *     static const struct ets_page_head heads[] = {
 *         {"line", ETS_PAGE_INTEGER}, {"code", ETS_PAGE_TEXT}, {NULL, ETS_PAGE_TEXT}};
 *     struct ets_page_table *table = ets_page_add_named_table(document, "lines", heads);
 *     ets_page_put_integer(document, table, 12);
 *     ets_page_put_text(document, table, code);
 *
 * Cells follow each other, row by row. A failed allocation is kept in the document, which then
 * takes nothing more.
 */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_TABLE_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_TABLE_H

#include <stdbool.h>

#include "host/arena.h"

/* Bytes that grow. */
struct ets_page_bytes {
    uint8_t *data;
    size_t size, capacity;
};

enum ets_page_type { ETS_PAGE_INTEGER, ETS_PAGE_REAL, ETS_PAGE_TEXT };

union ets_page_cell {
    int64_t integer;
    double real;
    uint32_t text; /* number of the text */
};

/* A list of columns ends with a NULL name. */
struct ets_page_head {
    const char *name;
    enum ets_page_type type;
};

struct ets_page_column {
    const char *name;
    enum ets_page_type type;
    union ets_page_cell *cells;
    bool *is_there;
    uint32_t cell_room, there_room;
    bool has_nulls; /* known when it is packed */
    struct ets_page_bytes packed;
};

struct ets_page_table {
    const char *name;
    struct ets_page_column *columns;
    uint32_t column_count, at; /* the column of the next cell */
    uint32_t row_count;
};

enum { ETS_PAGE_MOST_TABLES = 64 };

/* The tables, and each of their texts once. */
struct ets_page_document {
    struct ets_arena arena;
    struct ets_page_table tables[ETS_PAGE_MOST_TABLES];
    uint32_t table_count;
    struct ets_text *texts;
    uint32_t text_count, text_room;
    uint32_t *slots; /* number of the text + 1; 0: free */
    uint32_t slot_count;
    bool has_failed;                                  /* memory ran out */
    bool has_no_source, has_no_tensors, has_no_graph; /* these are left out */
};

/* The documents' own limit on tables is a limit of the source: all their names are in it. */
struct ets_page_table *ets_page_add_table(struct ets_page_document *document, const char *name,
                                          uint32_t column_count);
void ets_page_name_column(struct ets_page_table *table, uint32_t column, const char *name,
                          enum ets_page_type type);

struct ets_page_table *ets_page_add_named_table(struct ets_page_document *document,
                                                const char *name,
                                                const struct ets_page_head *columns);

/* NULL: there is none. */
struct ets_page_table *ets_page_find_table(struct ets_page_document *document, const char *name);

/*
 * Adds columns of nulls to a full table, and returns the first of them, which is good until the
 * next ones are added; NULL: no memory. Their cells are set in any order.
 */
struct ets_page_column *ets_page_widen_table(struct ets_page_document *document,
                                             struct ets_page_table *table,
                                             const struct ets_page_head *columns);
void ets_page_set_integer(struct ets_page_column *column, uint32_t row, int64_t value);
/* False: no memory. */
bool ets_page_set_text(struct ets_page_document *document, struct ets_page_column *column,
                       uint32_t row, struct ets_text text);
bool ets_page_set_string(struct ets_page_document *document, struct ets_page_column *column,
                         uint32_t row, const char *text);

void ets_page_put_null(struct ets_page_document *document, struct ets_page_table *table);
void ets_page_put_integer(struct ets_page_document *document, struct ets_page_table *table,
                          int64_t value);
/* Numbers that are not finite become null. */
void ets_page_put_real(struct ets_page_document *document, struct ets_page_table *table,
                       double value);
/* A text without data becomes null; what is not UTF-8 becomes U+FFFD. */
void ets_page_put_text(struct ets_page_document *document, struct ets_page_table *table,
                       struct ets_text text);

void ets_page_put_string(struct ets_page_document *document, struct ets_page_table *table,
                         const char *text);

/* Marks the numbers of the texts in columns of a name. */
void ets_page_mark_texts(const struct ets_page_table *table, const char *column, bool *marks);

/* Packs the columns; false where memory ran out. */
bool ets_page_pack_table(struct ets_page_document *document, struct ets_page_table *table);
bool ets_page_pack_texts(struct ets_page_document *document, struct ets_page_bytes *bytes_out);

/* page_coding.c: appending to bytes of an arena; false where memory ran out. */
bool ets_page_put_bytes(struct ets_arena *arena, struct ets_page_bytes *bytes, const void *data,
                        size_t size);
bool ets_page_put_unsigned(struct ets_arena *arena, struct ets_page_bytes *bytes, uint64_t value);
bool ets_page_put_signed(struct ets_arena *arena, struct ets_page_bytes *bytes, uint64_t value);

#endif
