#include "etscope/annotate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "export/gap_lines.h"
#include "export/source_text.h"

enum cell {
    CELL_BLOCK,
    CELL_BLOCK_INDEX,
    CELL_METHOD,
    CELL_RUNS,
    CELL_FILE,
    CELL_FUNCTION,
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
    [CELL_P50] = {.name = "p50", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
    [CELL_AVG] = {.name = "avg", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1},
    [CELL_SHARE] = {.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1},
    [CELL_INCLUSIVE] = {.name = "inclusive", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
    [CELL_INCLUSIVE_SHARE] = {.name = "inclusive_share",
                              .kind = ETS_COLUMN_SHARE,
                              .has_bounds = 1,
                              .machine_only = 1},
    [CELL_CALLS] = {.name = "calls", .kind = ETS_COLUMN_REAL, .priority = 2},
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

struct filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_annotate_options *options;
    struct ets_annotate_gaps *gaps;
    const struct ets_block *block; /* at hand */
    uint32_t block_index;
    struct ets_arena *arena; /* of one block */
    double tick_ns;          /* 0: the clock has no unit */
    struct ets_chosen_runs runs;
};

/* A row of the table: a line with what is known about it, or without. */
struct margin {
    const struct ets_place *place; /* NULL: nothing is known */
    struct ets_text file, code;
    uint32_t line; /* 0: none */
    double total;
};

static bool is_hidden(const struct filler *f, int cell)
{
    if (f->options->gap == NULL && cell >= CELL_OWN_ERROR && cell <= CELL_ERROR_IN) return true;
    return !f->options->all_frames && (cell == CELL_INCLUSIVE || cell == CELL_INCLUSIVE_SHARE);
}

static void add_columns(const struct filler *f)
{
    for (int i = 0; i < CELL_COUNT; i++) {
        struct ets_column column = columns[i];
        if (is_hidden(f, i)) continue;
        if (column.kind == ETS_COLUMN_TIME && f->tick_ns == 0) column.kind = ETS_COLUMN_TICKS;
        ets_table_add_column(f->table, &column);
    }
}

/* `ticks` that steps of `quantum` measured in `calls` calls, in units of `unit` ticks. */
static void put_range(const struct filler *f, double ticks, double quantum, double calls,
                      double scale)
{
    const double other = ticks + quantum * calls;
    const double lower = quantum >= 0 ? ticks : fmax(other, 0);
    const double upper = quantum >= 0 ? other : fmax(ticks, 0);
    ets_table_put_bounds(f->table, lower * scale, upper * scale);
}

static void put_time(const struct filler *f, bool is_there, double ticks, double quantum,
                     double calls)
{
    if (is_there) put_range(f, ticks, quantum, calls, f->tick_ns == 0 ? 1 : f->tick_ns);
    else ets_table_put_nothing(f->table);
}

static void put_share(const struct filler *f, bool is_there, double ticks, double quantum,
                      double calls, double total)
{
    if (is_there && !isnan(total)) put_range(f, ticks, quantum, calls, 1 / total);
    else ets_table_put_nothing(f->table);
}

static void put_list(const struct filler *f, const struct ets_text_list *list)
{
    if (list->count == 0) ets_table_put_nothing(f->table);
    else ets_table_put_list(f->table, list->items, list->count);
}

/* "in blocks.py:18": the line without its folders. */
static void put_in(const struct filler *f, struct ets_text line)
{
    char text[256];
    size_t start = line.size;
    while (start > 0 && line.data[start - 1] != '/' && line.data[start - 1] != '\\') start--;
    const size_t size =
        ets_print_text(text, sizeof text, "in %.*s", (int)(line.size - start), line.data + start);
    ets_table_put_text(f->table, (struct ets_text){text, size});
}

/* "+2": two other lines count here. "in blocks.py:18": this one counts there. */
static void put_fused(const struct filler *f, const struct ets_place *place)
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
static void put_finding(const struct filler *f, const struct ets_place *place)
{
    if (place->error == NULL && place->error_in.count > 0) {
        put_in(f, place->error_in.items[0]);
    } else if (place->error == NULL || place->error->row->finding == ETS_GAP_AGREES) {
        ets_table_put_nothing(f->table);
    } else {
        ets_table_put_string(f->table, ets_gap_finding_name(place->error->row->finding));
    }
}

static void put_number(const struct filler *f, double number)
{
    if (isnan(number)) ets_table_put_nothing(f->table);
    else ets_table_put_real(f->table, number);
}

static void put_error(const struct filler *f, enum cell cell, const struct ets_place *place)
{
    static const struct ets_gap_row nothing = {.own_error = NAN};
    const struct ets_gap_row *row = place->error == NULL ? &nothing : place->error->row;
    switch (cell) {
    case CELL_OWN_ERROR: put_number(f, row->has_own ? row->own_error : NAN); break;
    case CELL_TOTAL_ERROR:
        put_number(f, row->has_total ? ets_gap_relative_error(&row->total) : NAN);
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

static void put_cell(const struct filler *f, enum cell cell, const struct margin *margin)
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
    case CELL_P50: put_time(f, p->is_counted, p->self.statistics.p50, q, n); break;
    case CELL_AVG: put_time(f, p->is_counted, p->self.statistics.mean, q, n); break;
    case CELL_SHARE: put_share(f, p->is_counted, p->self.middle, q, n, margin->total); break;
    case CELL_INCLUSIVE:
        put_time(f, p->is_caller, p->inclusive.statistics.p50, p->inclusive_quantum,
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

static bool is_of_interest(const struct filler *f, const struct ets_place *place)
{
    return place->is_counted || place->counted_at.count > 0 || place->error != NULL ||
           place->error_in.count > 0 || (f->options->all_frames && place->is_caller);
}

static void put_line(const struct filler *f, const struct margin *margin)
{
    ets_table_add_row(f->table, 0);
    if (margin->place == NULL || !is_of_interest(f, margin->place)) ets_table_quiet_row(f->table);
    for (int c = 0; c < CELL_COUNT; c++) {
        if (!is_hidden(f, c)) put_cell(f, (enum cell)c, margin);
    }
}

static void put_gap(const struct filler *f, struct ets_text file)
{
    if (f->options->lines == ETS_LINES_COUNTED) return;
    put_line(f, &(struct margin){.file = file, .code = {"...", 3}, .total = NAN});
}

static void add_heading(const struct filler *f, const struct ets_line_work *work,
                        const struct ets_source_file *file)
{
    char text[512];
    const struct ets_block *block = f->block;
    size_t used = ets_print_text(text, sizeof text, "%.*s - %.*s", (int)file->name.size,
                                 file->name.data, (int)block->name.size, block->name.data);
    if (block->method != NULL && block->method_state == ETS_METHOD_FOUND) {
        used += ets_print_text(text + used, sizeof text - used, ", method %s", block->method);
    }
    used += ets_print_text(text + used, sizeof text - used, ", %u run%s", block->run_count,
                           block->run_count == 1 ? "" : "s");
    used += ets_chosen_runs_print(&f->runs, block->run_count, f->options->run, text + used,
                                  sizeof text - used);
    if (!isnan(work->total)) {
        const unsigned tenths = (unsigned)(1000 * file->time / work->total + 0.5);
        used += ets_print_text(text + used, sizeof text - used, ", %s%u.%u%% of the time",
                               file->is_least ? "at least " : "", tenths / 10, tenths % 10);
    }
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

/* The file's text where it is there and has the record's lines; false: no memory. */
static bool find_source(const struct filler *f, const struct ets_source_file *file,
                        const struct ets_place *places, struct ets_source_text *source_out)
{
    struct ets_bytes text;
    *source_out = (struct ets_source_text){.count = 0};
    if (f->options->source == NULL) return true;
    if (!f->options->source(f->options->source_context, file->name, &text)) {
        if (f->gaps->missing++ == 0) f->gaps->first_missing = file->name;
        return true;
    }
    if (!ets_source_text_split(f->arena, text, source_out)) return false;
    const uint32_t line = ets_source_text_difference(source_out, places, file->count);
    if (line == 0) return true;
    if (f->gaps->changed++ == 0) {
        f->gaps->first_changed = file->name;
        f->gaps->changed_line = line;
    }
    *source_out = (struct ets_source_text){.count = 0};
    return true;
}

static void put_file_lines(const struct filler *f, const struct ets_source_file *file,
                           const struct ets_place *places, struct ets_source_text *source,
                           double total)
{
    for (uint32_t i = 0; i < file->count; i++) {
        if (is_of_interest(f, &places[i])) {
            ets_source_text_show(source, f->options, places[i].frame->line);
        }
    }
    bool is_gap = false;
    for (uint32_t i = 0, at = 0; i < source->count; i++) {
        while (at < file->count && places[at].frame->line < i + 1) at++;
        const bool is_known = at < file->count && places[at].frame->line == i + 1;
        if (!source->is_shown[i]) {
            is_gap = true;
            continue;
        }
        if (is_gap) put_gap(f, file->name);
        is_gap = false;
        put_line(f, &(struct margin){.place = is_known ? &places[at] : NULL,
                                     .file = file->name,
                                     .code = source->lines[i],
                                     .line = i + 1,
                                     .total = total});
    }
    if (is_gap) put_gap(f, file->name);
}

/* What the record holds of the file. */
static void put_recorded_lines(const struct filler *f, const struct ets_source_file *file,
                               const struct ets_place *places, double total)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < file->count; i++) {
        const struct ets_graph_frame *frame = places[i].frame;
        if (f->options->lines == ETS_LINES_COUNTED && !is_of_interest(f, &places[i])) continue;
        if (frame->line > last + 1) put_gap(f, file->name);
        put_line(f, &(struct margin){.place = &places[i],
                                     .file = file->name,
                                     .code = frame->code,
                                     .line = frame->line,
                                     .total = total});
        last = frame->line;
    }
    put_gap(f, file->name);
}

static bool put_file(const struct filler *f, const struct ets_line_work *work,
                     const struct ets_source_file *file)
{
    const struct ets_place *places = work->places + file->first;
    struct ets_source_text source;
    bool has_any = false;
    if (f->options->file != NULL && !ets_path_ends_with(file->name, f->options->file)) return true;
    for (uint32_t i = 0; i < file->count; i++) has_any |= is_of_interest(f, &places[i]);
    if (!has_any) return true;
    if (!find_source(f, file, places, &source)) return false;
    add_heading(f, work, file);
    if (source.lines != NULL) put_file_lines(f, file, places, &source, work->total);
    else put_recorded_lines(f, file, places, work->total);
    return true;
}

static bool fill_block(struct filler *f, const uint32_t *run_number)
{
    struct ets_work work;
    struct ets_line_work lines;
    struct ets_line_errors errors;
    if (!ets_work_collect(f->arena, f->inspection, f->block_index, ETS_WORK_KNOWN,
                          &f->options->filter, run_number, &work)) {
        return false;
    }
    if (!ets_line_errors_collect(f->arena, f->inspection, f->options->gap, f->block_index,
                                 &f->options->filter, &errors)) {
        return false;
    }
    if (work.count == 0 && errors.count == 0) return true; /* loads, or nothing that matches */
    if (!ets_chosen_runs_find(f->arena, f->inspection, f->block_index, f->options->run,
                              f->options->steady, &f->runs) ||
        !ets_line_work_collect(f->arena, &work, &f->runs, f->options->delegations, &errors,
                               &lines)) {
        return false;
    }
    for (uint32_t i = 0; i < lines.file_count; i++) {
        if (!put_file(f, &lines, &lines.files[i])) return false;
    }
    if (f->options->file != NULL || lines.on_lines == lines.count) return true;
    ets_table_add_section(f->table, (struct ets_text){"on no line", 10});
    for (uint32_t i = lines.on_lines; i < lines.count; i++) {
        put_line(
            f, &(struct margin){
                   .place = &lines.places[i], .code = lines.places[i].name, .total = lines.total});
    }
    return true;
}

enum ets_status ets_annotate_table_fill(struct ets_table *table,
                                        const struct ets_inspection *inspection,
                                        const struct ets_annotate_options *options,
                                        struct ets_annotate_gaps *gaps_out, struct ets_error *error)
{
    struct ets_arena arena, run_arena;
    struct ets_annotate_gaps gaps;
    ets_arena_init(&arena, NULL, 0);
    ets_arena_init(&run_arena, NULL, 0);
    struct filler f = {.table = table,
                       .inspection = inspection,
                       .options = options,
                       .gaps = gaps_out == NULL ? &gaps : gaps_out,
                       .arena = &arena};
    *f.gaps = (struct ets_annotate_gaps){.missing = 0};
    const enum ets_time_unit tick_unit = ets_inspection_tick_unit(inspection, NULL);
    if (tick_unit != ETS_UNIT_CYCLES) f.tick_ns = 1e9 / ets_time_unit_per_second(tick_unit);
    add_columns(&f);
    const uint32_t *run_number = ets_work_number_runs(&run_arena, inspection);
    bool ok = run_number != NULL;
    for (uint32_t b = 0; ok && b < ets_inspection_block_count(inspection); b++) {
        const bool has_run = options->run == ETS_NO_INDEX ||
                             ets_inspection_run(inspection, options->run)->block == b;
        f.block = ets_inspection_block(inspection, b);
        f.block_index = b;
        if (!has_run || (options->block != ETS_NO_INDEX && options->block != b)) continue;
        if (!ets_row_filter_has_block(&options->filter, f.block)) continue;
        ok = fill_block(&f, run_number);
        ets_arena_reset(&arena);
    }
    ets_arena_reset(&run_arena);
    return ok ? ETS_OK : ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
}
