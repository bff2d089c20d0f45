/* The columns of the annotated source. */
#include "output/table/annotate_cells.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"

enum cell {
    CELL_BLOCK,
    CELL_BLOCK_INDEX,
    CELL_METHOD,
    CELL_RUNS,
    CELL_FILE,
    CELL_FUNCTION,
    CELL_MID,
    CELL_P50,
    CELL_AVG,
    CELL_SHARE,
    CELL_INCLUSIVE,
    CELL_INCLUSIVE_SHARE,
    CELL_CALLS,
    CELL_BYTES,
    CELL_OWN_ERROR,
    CELL_TOTAL_ERROR,
    CELL_OWN_SNR,
    CELL_SNR,
    CELL_FINDING_SHOWN,
    CELL_FINDING,
    CELL_ERROR_OF,
    CELL_ERROR_IN,
    CELL_FUSED_SHOWN,
    CELL_FUSED_HERE,
    CELL_COUNTED_AT,
    CELL_LINE,
    CELL_CODE,
    CELL_COUNT
};

static const struct ets_column columns[CELL_COUNT] = {
    [CELL_BLOCK] = {.name = "block", .machine_only = 1},
    [CELL_BLOCK_INDEX] = {.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_METHOD] = {.name = "method", .machine_only = 1},
    [CELL_RUNS] = {.name = "runs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_FILE] = {.name = "file", .machine_only = 1},
    [CELL_FUNCTION] = {.name = "function", .machine_only = 1},
    [CELL_MID] = {.name = "mid", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
    [CELL_P50] = {.name = "p50", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1},
    [CELL_AVG] = {.name = "avg", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1},
    [CELL_SHARE] = {.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1},
    [CELL_INCLUSIVE] = {.name = "inclusive", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
    [CELL_INCLUSIVE_SHARE] = {.name = "inclusive_share",
                              .kind = ETS_COLUMN_SHARE,
                              .has_bounds = 1,
                              .machine_only = 1},
    [CELL_CALLS] = {.name = "calls", .kind = ETS_COLUMN_REAL, .priority = 2, .dull_at_one = 1},
    [CELL_BYTES] = {.name = "written", .kind = ETS_COLUMN_BYTES, .priority = 1},
    [CELL_OWN_ERROR] = {.name = "own_error", .title = "own", .kind = ETS_COLUMN_REAL, .digits = 3},
    [CELL_TOTAL_ERROR] = {.name = "total_error",
                          .title = "total",
                          .kind = ETS_COLUMN_REAL,
                          .digits = 3,
                          .priority = 3},
    [CELL_OWN_SNR] = {.name = "own_snr", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    [CELL_SNR] = {.name = "snr", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    [CELL_FINDING_SHOWN] = {.name = "finding", .human_only = 1, .least_width = 14},
    [CELL_FINDING] = {.name = "finding", .machine_only = 1},
    [CELL_ERROR_OF] = {.name = "error_of",
                       .title = "error of",
                       .kind = ETS_COLUMN_LIST,
                       .first_of_list = 1,
                       .priority = 4,
                       .least_width = 14,
                       .cut_in_middle = 1},
    [CELL_ERROR_IN] = {.name = "error_in", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_FUSED_SHOWN] = {.name = "fused", .human_only = 1, .least_width = 8},
    [CELL_FUSED_HERE] = {.name = "fused_here", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_COUNTED_AT] = {.name = "counted_at", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_LINE] = {.name = "line", .kind = ETS_COLUMN_INTEGER},
    [CELL_CODE] = {.name = "code", .least_width = 30},
};

static bool is_hidden(const struct annotate_filler *f, int cell)
{
    if (f->options->gap == NULL && cell >= CELL_OWN_ERROR && cell <= CELL_ERROR_IN) return true;
    return !f->options->all_frames && (cell == CELL_INCLUSIVE || cell == CELL_INCLUSIVE_SHARE);
}

void ets_annotate_add_columns(const struct annotate_filler *f)
{
    for (int i = 0; i < CELL_COUNT; i++) {
        struct ets_column column = columns[i];
        if (is_hidden(f, i)) continue;
        if (column.kind == ETS_COLUMN_TIME && f->tick_ns == 0) column.kind = ETS_COLUMN_TICKS;
        ets_table_add_column(f->table, &column);
    }
}

/* `ticks` that steps of `quantum` measured in `calls` calls, in units of `unit` ticks. */
static void put_range(const struct annotate_filler *f, double ticks, double quantum, double calls,
                      double scale)
{
    const struct ets_span span = ets_span_of(ticks, quantum, calls);
    ets_table_put_bounds(f->table, span.lower * scale, span.upper * scale);
}

static void put_time(const struct annotate_filler *f, bool is_there, double ticks, double quantum,
                     double calls)
{
    if (is_there) put_range(f, ticks, quantum, calls, f->tick_ns == 0 ? 1 : f->tick_ns);
    else ets_table_put_nothing(f->table);
}

static void put_share(const struct annotate_filler *f, bool is_there, double ticks, double quantum,
                      double calls, double total)
{
    if (is_there && !isnan(total)) put_range(f, ticks, quantum, calls, 1 / total);
    else ets_table_put_nothing(f->table);
}

static void put_list(const struct annotate_filler *f, const struct ets_text_list *list)
{
    if (list->count == 0) ets_table_put_nothing(f->table);
    else ets_table_put_list(f->table, list->items, list->count);
}

/* "in blocks.py:18": the line without its folders. */
static void put_in(const struct annotate_filler *f, struct ets_text line)
{
    char text[256];
    size_t start = line.size;
    while (start > 0 && line.data[start - 1] != '/' && line.data[start - 1] != '\\') start--;
    const size_t size =
        ets_print_text(text, sizeof text, "in %.*s", (int)(line.size - start), line.data + start);
    ets_table_put_text(f->table, (struct ets_text){text, size});
}

/* "+2": two other lines count here. "in blocks.py:18": this one counts there. */
static void put_fused(const struct annotate_filler *f, const struct ets_place *place)
{
    char text[32];
    if (place->counted_at.count > 0) {
        put_in(f, place->counted_at.items[0]);
    } else if (place->fused_here.count > 0) {
        const unsigned count = (unsigned)place->fused_here.count;
        const size_t size = ets_print_text(text, sizeof text, "+%u", count);
        ets_table_put_text(f->table, (struct ets_text){text, size});
    } else {
        ets_table_put_nothing(f->table);
    }
}

/* What agrees is not worth a word. */
static void put_finding(const struct annotate_filler *f, const struct ets_place *place)
{
    if (place->error == NULL && place->error_in.count > 0) {
        put_in(f, place->error_in.items[0]);
    } else if (place->error == NULL || place->error->row->finding == ETS_GAP_AGREES) {
        ets_table_put_nothing(f->table);
    } else {
        ets_table_put_string(f->table, ets_gap_finding_name(place->error->row->finding));
    }
}

static void put_number(const struct annotate_filler *f, double number)
{
    if (isnan(number)) ets_table_put_nothing(f->table);
    else ets_table_put_real(f->table, number);
}

static void put_error(const struct annotate_filler *f, enum cell cell,
                      const struct ets_place *place)
{
    static const struct ets_gap_row nothing = {.own_error = NAN};
    const struct ets_gap_row *row = place->error == NULL ? &nothing : place->error->row;
    switch (cell) {
    case CELL_OWN_ERROR: put_number(f, row->has_own ? row->own_error : NAN); break;
    case CELL_TOTAL_ERROR:
        put_number(f, row->has_total ? ets_comparison_relative_rms(&row->total) : NAN);
        break;
    case CELL_OWN_SNR: put_number(f, row->has_own ? ets_comparison_snr(&row->own) : NAN); break;
    case CELL_SNR: put_number(f, row->has_total ? ets_comparison_snr(&row->total) : NAN); break;
    case CELL_FINDING_SHOWN: put_finding(f, place); break;
    case CELL_FINDING: ets_table_put_string(f->table, ets_gap_finding_name(row->finding)); break;
    case CELL_ERROR_OF:
        if (place->error == NULL) ets_table_put_nothing(f->table);
        else put_list(f, &place->error->names);
        break;
    default: put_list(f, &place->error_in);
    }
}

static void put_cell(const struct annotate_filler *f, enum cell cell,
                     const struct annotate_line *margin)
{
    static const struct ets_place nothing = {.bytes_per_run = NAN};
    const struct ets_place *p = margin->place == NULL ? &nothing : margin->place;
    const double q = p->quantum, n = p->coarse_calls;
    switch (cell) {
    case CELL_BLOCK: ets_table_put_text(f->table, f->block->name); break;
    case CELL_BLOCK_INDEX: ets_table_put_integer(f->table, f->block_index); break;
    case CELL_METHOD: ets_table_put_string(f->table, f->block->method); break;
    case CELL_RUNS: ets_table_put_integer(f->table, f->runs.count); break;
    case CELL_FILE: ets_table_put_text(f->table, margin->file); break;
    case CELL_FUNCTION:
        if (p->frame != NULL) ets_table_put_text(f->table, p->frame->function);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_MID:
        put_time(f, p->is_counted && !isnan(p->self.middle), p->self.middle, q, n);
        break;
    case CELL_P50: put_time(f, p->is_counted, p->self.statistics.p50, q, n); break;
    case CELL_AVG: put_time(f, p->is_counted, p->self.statistics.mean, q, n); break;
    case CELL_SHARE: put_share(f, p->is_counted, p->self.middle, q, n, margin->total); break;
    case CELL_INCLUSIVE:
        put_time(f, p->is_caller, p->inclusive.middle, p->inclusive_quantum,
                 p->inclusive_coarse_calls);
        break;
    case CELL_INCLUSIVE_SHARE:
        put_share(f, p->is_caller, p->inclusive.middle, p->inclusive_quantum,
                  p->inclusive_coarse_calls, margin->total);
        break;
    case CELL_CALLS:
        if (p->calls_per_run > 0) ets_table_put_real(f->table, p->calls_per_run);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_BYTES:
        if (p->is_counted && p->bytes_per_run < 9e15) {
            ets_table_put_integer(f->table, (int64_t)p->bytes_per_run);
        } else {
            ets_table_put_nothing(f->table);
        }
        break;
    case CELL_OWN_ERROR:
    case CELL_TOTAL_ERROR:
    case CELL_OWN_SNR:
    case CELL_SNR:
    case CELL_FINDING_SHOWN:
    case CELL_FINDING:
    case CELL_ERROR_OF:
    case CELL_ERROR_IN: put_error(f, cell, p); break;
    case CELL_FUSED_SHOWN: put_fused(f, p); break;
    case CELL_FUSED_HERE: put_list(f, &p->fused_here); break;
    case CELL_COUNTED_AT: put_list(f, &p->counted_at); break;
    case CELL_LINE:
        if (margin->line > 0) ets_table_put_integer(f->table, margin->line);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_CODE: ets_table_put_text(f->table, margin->code); break;
    case CELL_COUNT: break;
    }
}

bool ets_annotate_has_line(const struct annotate_filler *f, const struct ets_place *place)
{
    return place->is_counted || place->counted_at.count > 0 || place->error != NULL ||
           place->error_in.count > 0 || (f->options->all_frames && place->is_caller);
}

void ets_annotate_put_line(const struct annotate_filler *f, const struct annotate_line *margin)
{
    ets_table_add_row(f->table, 0);
    if (margin->place == NULL || !ets_annotate_has_line(f, margin->place))
        ets_table_quiet_row(f->table);
    for (int c = 0; c < CELL_COUNT; c++) {
        if (!is_hidden(f, c)) put_cell(f, (enum cell)c, margin);
    }
}
