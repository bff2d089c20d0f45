/*
 * table.h - a table with typed columns and units, rendered in formats for people and machines.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     ets_table_add_column(table, &(struct ets_column){.name = "operator"});
 *     ets_table_add_column(table, &(struct ets_column){.name = "avg", .kind = ETS_COLUMN_TIME});
 *     ets_table_add_row(table, 0);
 *     ets_table_put_text(table, (struct ets_text){"addmm.out", 9});
 *     ets_table_put_bounds(table, 1234.0, 1234.0);
 *     struct ets_table_style style = {.format = ETS_FORMAT_TABLE, .width = 80};
 *     status = ets_table_write(table, &style, output, &error);
 *     ets_table_close(table);
 *
 * Texts are copied; equal texts are stored once. A failed allocation is remembered and reported by
 * write. Use a table from one thread at a time.
 */
#ifndef ETSCOPE_OUTPUT_TABLE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_TABLE_H

#include "etscope/base.h"
#include "etscope/file.h"
#include "host/output.h"
#include "views/advice_words.h"

struct ets_table;

/* The formats, a row each: its word in ETS_FORMAT_<word>, and its name. */
/* clang-format off */
#define ETS_TABLE_FORMATS(X)                                                                      \
    X(TABLE, "table")       /* for a terminal: fits `width`, units chosen for each column */      \
    X(TSV, "tsv")           /* header, then rows; fields are quoted as in CSV if necessary */     \
    X(CSV, "csv")           /* RFC 4180, lines end in \n */                                       \
    X(JSON, "json")         /* one array of objects */                                            \
    X(JSONL, "jsonl")       /* one object a line */                                               \
    X(MARKDOWN, "markdown") /* units as for a terminal, no width */
/* clang-format on */

#define ETS_FORMAT_ID(id, name) ETS_FORMAT_##id,
enum ets_format { ETS_TABLE_FORMATS(ETS_FORMAT_ID) };

#define ETS_FORMAT_CHOICE(id, name) "|" name
/* All formats as choices of an option, "|table|tsv|..."; from [1] on. */
#define ETS_FORMAT_CHOICES ETS_TABLE_FORMATS(ETS_FORMAT_CHOICE)

enum ets_column_kind {
    ETS_COLUMN_TEXT = 0,
    ETS_COLUMN_LIST = 1, /* texts; an array in JSON, else joined by ", " */
    ETS_COLUMN_INTEGER = 2,
    ETS_COLUMN_REAL = 3,
    ETS_COLUMN_TIME = 4,  /* nanoseconds, from a lower to an upper bound */
    ETS_COLUMN_TICKS = 5, /* like TIME, of a clock without a known unit ("cycles") */
    ETS_COLUMN_SHARE = 6, /* 0 to 1, from a lower to an upper bound */
    ETS_COLUMN_BYTES = 7,
    ETS_COLUMN_NUMBERS = 8 /* a list whose texts are numbers; in JSON without quotes */
};

/* What a cell says of its row. Words say it too: colours alone would not reach everyone. */
enum ets_meaning {
    ETS_MEANS_NOTHING = 0,
    ETS_MEANS_BETTER = 1,
    ETS_MEANS_WORSE = 2,
    ETS_MEANS_WARNING = 3,
    ETS_MEANS_GUILTY = 4
};

struct ets_column {
    const char *name;  /* "avg": machine formats add the unit, "avg_ns" */
    const char *title; /* for people; NULL: `name` */
    enum ets_column_kind kind;
    int machine_only; /* 1: not in TABLE and MARKDOWN */
    int human_only;   /* 1: in TABLE and MARKDOWN only */
    int priority;     /* where space is short: columns of the highest number are dropped first; 0 is
                         never dropped */
    uint32_t least_width; /* a text column may be cut down to this; 0: never cut */
    int cut_at_start;     /* 1: cut at the front (paths), common folders first */
    int cut_in_middle; /* 1: cut in the middle: keep the last characters, which distinguish names */
    int wraps;         /* 1: wrap text that is too long */
    int has_bounds; /* 1: machine formats have a second column, "avg_ns_upper": the true value is at
                       least the first and below the second; equal if it is exact */
    int dull_at_one; /* 1: drop this column first if all its values are 1 */
    int keep_empty;  /* 1: show the column to people even if it is empty */
    int shares_unit; /* 1: people see one common unit in all such columns; 2: use that unit, but do
                        not influence it */
    int is_signed;   /* 1: show people a sign: "+1.2", "-3.4%" */
    int digits;      /* REAL: people see this many significant digits, up to 15; 0: six */
    int is_factor;   /* REAL: 1: people see "22.3x" */
    int is_no_part;  /* SHARE: 1: not a part of a whole: no bar */
    int counts_repeats;  /* TEXT: 1: rows that people see to be equal are one, "add.out x18" */
    int is_ordinal;      /* INTEGER: 1: such rows show their first and last number, "0-17" */
    int blank_as_parent; /* 1: blank where the row that this one is indented under has the same */
    int heat;            /* TIME: 1: coloured by how near a cell is to the column's largest */
    int first_of_list;   /* 1: people see a list's first text and "+N" for the others */
};

struct ets_table_style {
    enum ets_format format;
    uint32_t width;  /* columns of the terminal; 0: as wide as it gets */
    int is_colored;  /* 1: escape sequences for headers and the meaning of cells, bars for shares;
                        TABLE only. They stand inside of columns and change no width. */
    int is_unfolded; /* 1: every row, and every cell */
    int has_bounds;  /* 1: people see "518.2..522.2" instead of "~520" */
    int ascii;       /* 1: no character beyond ASCII */
    const char *time_unit; /* "ns", "us", "ms", "s": for all TIME columns; NULL: automatic */
    int is_part;           /* 1: no newline after the JSON array, which is part of a document */
};

/* Status: NO_MEMORY. `*table_out` is the caller's to close. */
ETS_API enum ets_status ets_table_open(const struct ets_allocator *allocator,
                                       struct ets_table **table_out, struct ets_error *error);
ETS_API void ets_table_close(struct ets_table *table); /* NULL is allowed */

/*
 * The table's allocator, never NULL. Take scratch memory for filling the table from it.
 *
 *     struct ets_arena arena;
 *     ets_arena_init(&arena, ets_table_allocator(table), 0);
 */
const struct ets_allocator *ets_table_allocator(const struct ets_table *table);

/*
 * Limits the bytes of all cells; a text counts once for each cell. Beyond the limit, write returns
 * LIMIT. It protects against small hostile files that ask for large tables. 0 (default): no limit.
 */
ETS_API void ets_table_limit(struct ets_table *table, uint64_t bytes);

/*
 * How notes and headings word their advice, borrowed until close; NULL (default): no advice. The
 * second function is for code that fills tables.
 */
ETS_API void ets_table_set_words(struct ets_table *table, const struct ets_advice_words *words);
ETS_API const struct ets_advice_words *ets_table_words(const struct ets_table *table);

/* All columns come before the first row; names are borrowed until close. */
ETS_API void ets_table_add_column(struct ets_table *table, const struct ets_column *column);

/*
 * The same for an array of structs of `stride` bytes that start with a column. Such a struct can
 * also contain the function that puts the cell, so that each column is one line of source.
 *
 *     static const struct field {
 *         struct ets_column column;
 *         void (*put)(struct ets_table *table, const struct ets_thing *thing);
 *     } fields[] = {
 *         {{.name = "name"}, put_name},
 *         {{.name = "time", .kind = ETS_COLUMN_TIME}, put_time},
 *     };
 *     ets_table_add_columns(table, &fields[0].column, sizeof *fields, 2, has_unit);
 *     for (size_t i = 0; i < 2; i++) fields[i].put(table, thing);
 *
 * Without a unit (`has_unit` 0), TIME columns are TICKS.
 */
ETS_API void ets_table_add_columns(struct ets_table *table, const struct ets_column *first,
                                   size_t stride, size_t count, int has_unit);

/* A line of text above everything else, for people; nothing for machines. Before or after filling.
 */
void ets_table_add_lead(struct ets_table *table, struct ets_text text);

/* Starts a section: a heading of its own for people, nothing for machines. */
ETS_API void ets_table_add_section(struct ets_table *table, struct ets_text heading);

/* A line of text after the last row, for people; nothing for machines. */
ETS_API void ets_table_add_note(struct ets_table *table, struct ets_text text);

/* The same for a sentence that answers the question: of a document, the first one is the headline
 * instead of a note. */
void ets_table_add_headline(struct ets_table *table, struct ets_text text);

/* Starts a row, indented by `depth` levels. Put its cells next, one for each column in order. */
ETS_API void ets_table_add_row(struct ets_table *table, uint32_t depth);
/* Marks the last row as background: dimmed where there are colours. */
ETS_API void ets_table_quiet_row(struct ets_table *table);
ETS_API void ets_table_put_nothing(struct ets_table *table);
/* Remembers that memory for a cell ran out, which write reports. */
void ets_table_fail(struct ets_table *table);
ETS_API void ets_table_put_text(struct ets_table *table, struct ets_text text);
ETS_API void ets_table_put_string(struct ets_table *table, const char *text); /* NULL: nothing */
ETS_API void ets_table_put_list(struct ets_table *table, const struct ets_text *items,
                                size_t count);
/* A list of whole numbers; of real numbers, with as many digits as needed. */
ETS_API void ets_table_put_integers(struct ets_table *table, const int64_t *integers, size_t count);
ETS_API void ets_table_put_reals(struct ets_table *table, const double *reals, size_t count);
ETS_API void ets_table_put_integer(struct ets_table *table, int64_t value);
/* A count or size; INT64_MAX stands for what is larger. */
ETS_API void ets_table_put_count(struct ets_table *table, uint64_t value);
ETS_API void ets_table_put_real(struct ets_table *table, double value);
/* The same; NaN means unknown: nothing. */
ETS_API void ets_table_put_known(struct ets_table *table, double value);
/* TIME, TICKS and SHARE: the value is in [lower, upper); equal bounds: the value is exact. */
ETS_API void ets_table_put_bounds(struct ets_table *table, double lower, double upper);

/* States the meaning of the cell that was put last, which a table in colours shows. */
void ets_table_mark_cell(struct ets_table *table, enum ets_meaning meaning);

/*
 * After the table is filled: keeps only the columns in `names` ("operator,avg"), in that order, in
 * every format. They are not dropped if the table is narrow or they are empty. If a column for
 * people and one for machines share a name, each format gets its own. Statuses: NOT_FOUND (a name
 * is unknown or listed twice), NO_MEMORY.
 */
ETS_API enum ets_status ets_table_choose_columns(struct ets_table *table, const char *names,
                                                 struct ets_error *error);

/*
 * The name of column `index`, including columns for people or machines only; NULL after the last.
 */
const char *ets_table_column_name(const struct ets_table *table, uint32_t index);

/*
 * What machine formats write of each row, with the unit in its name: "avg_ns", "avg_ns_upper".
 * Prints the name of field `index`, as snprintf does, and returns its length; 0 after the last.
 */
ETS_API size_t ets_table_field(const struct ets_table *table, uint32_t index, char *name,
                               size_t room, enum ets_column_kind *kind_out);

ETS_API uint32_t ets_table_row_count(const struct ets_table *table);

/*
 * For documents: the headline, and what stands first for people, a line above everything or the
 * first section's heading (data NULL: none); and the next note at or after row *row, which starts
 * at 0 and is advanced; returns 0 after the last.
 */
struct ets_text ets_table_headline(const struct ets_table *table);
ETS_API struct ets_text ets_table_heading(const struct ets_table *table);
/* Line `index` above everything; data NULL after the last. */
ETS_API struct ets_text ets_table_lead(const struct ets_table *table, uint32_t index);
ETS_API int ets_table_next_note(const struct ets_table *table, uint32_t *row,
                                struct ets_text *note_out);

/* Renders into `output`. Statuses: NO_MEMORY; LIMIT (ets_table_limit); writing errors appear
 * at the output's commit. */
ETS_API enum ets_status ets_table_write(const struct ets_table *table,
                                        const struct ets_table_style *style,
                                        struct ets_output *output, struct ets_error *error);

/*
 * The rows as a JSON array in memory, which goes to ets_output_free; else NULL. Statuses: as above.
 */
ETS_API enum ets_status ets_table_to_json(const struct ets_table *table, char **text_out,
                                          size_t *size_out, struct ets_error *error);

/* A format by its name ("table", "tsv", ...): 1 and *format_out, or 0. */
ETS_API int ets_format_find(const char *name, enum ets_format *format_out);

#endif
