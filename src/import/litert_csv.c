/*
 * Reads the operator profile of LiteRT as CSV, or as the table for people, which has tabs or two
 * and more blanks between its columns. Nothing is quoted, and types have commas and blanks ("Fully
 * Connected (NC, F32) GEMM"): fields are taken from the right.
 */
#include "import/litert_rows.h"
#include "import/text_lines.h"

/* Sections of the file. */
enum section { NOTHING, HEADER, OPERATORS };

/* Whose operators the sections of a block have. Times of the others are in those of the primary. */
enum owner { PRIMARY, SUBGRAPH, INSIDE_DELEGATES };

struct csv {
    struct ets_foreign *f;
    struct ets_litert_clock clock;
    enum section section;
    enum owner owner;
    bool is_initialization; /* the block of initialization, not of runs */
    bool is_for_people;     /* a table, not CSV */
    bool has_start;         /* older builds have a column `start` behind the type */
    size_t line_at;
    unsigned line_number;
};

static enum ets_status fail_line(const struct csv *csv, const char *what, struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, csv->line_at, "line %u of the operator profile: %s",
                    csv->line_number, what);
}

/* Milliseconds; false: no time. */
static bool read_ms(struct ets_text field, int64_t *ns_out)
{
    return ets_decimal_ns(ets_trim(field), 6, ns_out) && *ns_out >= 0;
}

static bool take_field(const struct csv *csv, struct ets_text *line, struct ets_text *field_out)
{
    return csv->is_for_people ? ets_take_last_column(line, field_out)
                              : ets_take_last(line, ", ", field_out);
}

/* Commas of a name are written as tabs. */
static enum ets_status read_name(struct ets_foreign *f, struct ets_text field,
                                 struct ets_text *name_out, struct ets_error *error)
{
    *name_out = field;
    if (field.size == 0 || memchr(field.data, '\t', field.size) == NULL) return ETS_OK;
    char *name = ets_arena_copy_text(&f->arena, field.data, field.size);
    if (name == NULL) return ets_fail_foreign(error);
    for (size_t i = 0; i < field.size; i++) name[i] = name[i] == '\t' ? ',' : name[i];
    name_out->data = name;
    return ETS_OK;
}

/* "type, first, avg_ms, %, cdf%, mem KB, times called, name", or with "start" behind the type. */
static enum ets_status read_operator(struct csv *csv, struct ets_text line, struct ets_error *error)
{
    enum { FIRST, AVERAGE, PART, RUNNING, MEMORY, CALLS, NAME, FIELDS };
    struct ets_text fields[FIELDS], start;
    struct ets_litert_row row;
    bool is_named_so;
    for (int i = FIELDS; i-- > 0;) {
        if (take_field(csv, &line, &fields[i])) continue;
        return fail_line(csv, "it has fewer than the 8 fields that its heading announces", error);
    }
    if (csv->has_start && !take_field(csv, &line, &start)) {
        return fail_line(csv, "it has fewer than the 9 fields that its heading announces", error);
    }
    if (!read_ms(fields[FIRST], &row.first_ns) || !read_ms(fields[AVERAGE], &row.average_ns)) {
        return fail_line(csv, "\"first\" or \"avg_ms\" is no time in milliseconds", error);
    }
    row.type = ets_litert_type(ets_trim(line), &row.is_delegated);
    if (row.type.size == 0) return fail_line(csv, "it has no node type", error);
    ETS_TRY(read_name(csv->f, ets_trim(fields[NAME]), &row.name, error));
    (void)ets_litert_type(row.name, &is_named_so);
    row.is_delegated = row.is_delegated || is_named_so;
    return ets_litert_add(csv->f, &csv->clock, &row, error);
}

static void read_heading(struct csv *csv, struct ets_text line)
{
    if (ets_text_starts_with(line, "=")) {
        csv->section = ets_text_contains(line, "= Run Order =") ? HEADER : NOTHING;
    } else if (ets_text_starts_with(line, "Primary graph (")) {
        csv->owner = PRIMARY;
    } else if (ets_text_starts_with(line, "Subgraph (index: ")) {
        csv->owner = SUBGRAPH;
    } else if (ets_text_starts_with(line, "Delegate internal:")) {
        csv->owner = INSIDE_DELEGATES;
    } else if (ets_text_contains(line, " Initialization:")) {
        csv->is_initialization = true;
        csv->owner = PRIMARY;
    } else if (ets_text_contains(line, " Regular Benchmark Runs:")) {
        csv->is_initialization = false;
        csv->owner = PRIMARY;
    }
}

static enum ets_status read_line(struct csv *csv, struct ets_text line, struct ets_error *error)
{
    if (ets_trim(line).size == 0) {
        csv->section = NOTHING;
        return ETS_OK;
    }
    if (csv->section == HEADER) {
        csv->is_for_people = ets_text_contains(line, "[node type]");
        csv->has_start =
            ets_text_contains(line, "[start]") || ets_text_starts_with(line, "node type, start,");
        csv->section = OPERATORS;
        if (csv->is_for_people || ets_text_starts_with(line, "node type, ")) return ETS_OK;
        return fail_line(csv, "expected the heading \"node type, first, avg_ms, ...\"", error);
    }
    if (csv->section == NOTHING || ets_text_starts_with(line, "=")) {
        read_heading(csv, line);
        return ETS_OK;
    }
    if (csv->is_initialization) {
        ets_foreign_leave_out(csv->f, "operators of the initialization");
        return ETS_OK;
    }
    if (csv->owner != PRIMARY) {
        ets_foreign_leave_out(
            csv->f, csv->owner == SUBGRAPH ? ets_litert_in_subgraphs : ets_litert_in_delegates);
        return ETS_OK;
    }
    return read_operator(csv, line, error);
}

enum ets_status ets_litert_csv_read(struct ets_foreign *f, struct ets_error *error)
{
    struct csv csv = {.f = f};
    struct ets_text line;
    for (size_t at = 0; csv.line_at = at, ets_next_line(f->bytes, &at, &line);) {
        csv.line_number++;
        ETS_TRY(read_line(&csv, line, error));
    }
    return ets_litert_end(f, &csv.clock, error);
}
