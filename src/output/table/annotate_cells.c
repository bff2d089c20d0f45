/* The columns of the annotated source. */
#include "output/table/annotate_cells.h"
#include "output/table/cost_fields.h"
#include "output/table/finding_cell.h"
#include "output/table/roof_fields.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "host/text_builder.h"

/* Which tables have a column. */
enum shown_in { IN_ALL, WITH_CALLERS, WITH_ERRORS, WITHOUT_ERRORS };

struct field {
    struct ets_column column;
    void (*put)(const struct annotate_line *line);
    enum shown_in shown_in;
};

static void put_block(const struct annotate_line *line)
{
    ets_table_put_text(line->f->table, line->f->block->name);
}

static void put_block_index(const struct annotate_line *line)
{
    ets_table_put_integer(line->f->table, line->f->block_index);
}

static void put_method(const struct annotate_line *line)
{
    ets_table_put_string(line->f->table, line->f->block->method);
}

static void put_runs(const struct annotate_line *line)
{
    ets_table_put_integer(line->f->table, line->f->runs.count);
}

static void put_file(const struct annotate_line *line)
{
    ets_table_put_text(line->f->table, line->file);
}

static void put_function(const struct annotate_line *line)
{
    const struct ets_graph_frame *frame = line->place->frame;
    if (frame != NULL) ets_table_put_text(line->f->table, frame->function);
    else ets_table_put_nothing(line->f->table);
}

/* `ticks` of a run, times `scale`; NaN: not known. */
static void put_range(const struct annotate_line *line, double ticks, struct ets_clock_error error,
                      double scale)
{
    const struct ets_span span = ets_span_of(ticks, error, 1);
    if (isnan(ticks) || isnan(scale)) ets_table_put_nothing(line->f->table);
    else ets_table_put_bounds(line->f->table, span.lower * scale, span.upper * scale);
}

/* `ticks` of what is counted at the line. */
static void put_own(const struct annotate_line *line, double ticks, double scale)
{
    const struct ets_place *p = line->place;
    put_range(line, p->is_counted ? ticks : NAN, p->own_error, scale);
}

/* Of that and of what the line calls. */
static void put_all(const struct annotate_line *line, double scale)
{
    const struct ets_place *p = line->place;
    put_range(line, p->is_caller ? p->inclusive.middle : NAN, p->inclusive_error, scale);
}

static double tick_of(const struct annotate_line *line)
{
    return line->f->tick_ns == 0 ? 1 : line->f->tick_ns;
}

static void put_mid(const struct annotate_line *line)
{
    put_own(line, line->place->self.middle, tick_of(line));
}

static void put_p50(const struct annotate_line *line)
{
    put_own(line, line->place->self.statistics.p50, tick_of(line));
}

static void put_mean(const struct annotate_line *line)
{
    put_own(line, line->place->self.statistics.mean, tick_of(line));
}

static void put_share(const struct annotate_line *line)
{
    put_own(line, line->place->self.middle, 1 / line->total);
}

static void put_inclusive(const struct annotate_line *line)
{
    put_all(line, tick_of(line));
}

static void put_inclusive_share(const struct annotate_line *line)
{
    put_all(line, 1 / line->total);
}

static void put_calls(const struct annotate_line *line)
{
    const double calls = line->place->calls_per_run;
    if (calls > 0) ets_table_put_real(line->f->table, calls);
    else ets_table_put_nothing(line->f->table);
}

static void put_written(const struct annotate_line *line)
{
    const double bytes = line->place->is_counted ? line->place->bytes_per_run : NAN;
    if (bytes < 9e15) ets_table_put_integer(line->f->table, (int64_t)bytes);
    else ets_table_put_nothing(line->f->table);
}

static void put_number(const struct annotate_line *line, bool is_known, double number)
{
    ets_table_put_known(line->f->table, is_known ? number : NAN);
}

/* What the gap report says of the value that the line's error is of. */
static const struct ets_gap_row *error_row(const struct annotate_line *line)
{
    static const struct ets_gap_row nothing = {.own_error = NAN};
    return line->place->error == NULL ? &nothing : line->place->error->row;
}

static void put_own_error(const struct annotate_line *line)
{
    const struct ets_gap_row *row = error_row(line);
    put_number(line, row->has_own, row->own_error);
}

static void put_total_error(const struct annotate_line *line)
{
    const struct ets_gap_row *row = error_row(line);
    put_number(line, row->has_total,
               row->has_total ? ets_comparison_relative_rms(&row->total) : NAN);
}

static void put_own_snr(const struct annotate_line *line)
{
    const struct ets_gap_row *row = error_row(line);
    put_number(line, row->has_own, row->has_own ? ets_comparison_snr(&row->own) : NAN);
}

static void put_snr(const struct annotate_line *line)
{
    const struct ets_gap_row *row = error_row(line);
    put_number(line, row->has_total, row->has_total ? ets_comparison_snr(&row->total) : NAN);
}

/* "in blocks.py:18": the line without its folders. */
static void put_in(const struct annotate_line *line, uint32_t place)
{
    char text[256];
    struct ets_text_builder in = {text, sizeof text, 0};
    struct ets_text other = line->f->work.places[place].name;
    size_t start = other.size;
    while (start > 0 && other.data[start - 1] != '/' && other.data[start - 1] != '\\') start--;
    other = (struct ets_text){other.data + start, other.size - start};
    ets_add_text(&in, "in %.*s", ETS_TEXT(other));
    ets_table_put_text(line->f->table, ets_built_text(&in));
}

/* What agrees is not worth a word. */
static void put_finding_shown(const struct annotate_line *line)
{
    const struct ets_place *place = line->place;
    if (place->error == NULL && place->error_in.count > 0) {
        put_in(line, place->error_in.items[0]);
    } else if (place->error == NULL || place->error->row->finding == ETS_GAP_AGREES) {
        ets_table_put_nothing(line->f->table);
    } else {
        ets_put_finding(line->f->table, place->error->row->finding);
    }
}

static void put_finding(const struct annotate_line *line)
{
    ets_table_put_string(line->f->table, ets_gap_finding_name(error_row(line)->finding));
}

static void put_places(const struct annotate_line *line, const struct ets_numbers *list)
{
    const struct annotate_filler *f = line->f;
    struct ets_text *names = ets_arena_alloc_array(f->arena, list->count, sizeof *names);
    if (list->count == 0 || names == NULL) {
        ets_table_put_nothing(f->table);
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) names[i] = f->work.places[list->items[i]].name;
    ets_table_put_list(f->table, names, list->count);
}

static void put_error_of(const struct annotate_line *line)
{
    const struct ets_line_error *error = line->place->error;
    if (error == NULL) ets_table_put_nothing(line->f->table);
    else ets_table_put_list(line->f->table, error->names.items, error->names.count);
}

static void put_error_in(const struct annotate_line *line)
{
    put_places(line, &line->place->error_in);
}

/* "+2": two other lines count here. "in blocks.py:18": this one counts there. */
static void put_fused_shown(const struct annotate_line *line)
{
    char text[32];
    struct ets_text_builder others = {text, sizeof text, 0};
    const struct ets_place *place = line->place;
    if (place->counted_at.count > 0) {
        put_in(line, place->counted_at.items[0]);
    } else if (place->fused_here.count > 0) {
        ets_add_text(&others, "+%u", (unsigned)place->fused_here.count);
        ets_table_put_text(line->f->table, ets_built_text(&others));
    } else {
        ets_table_put_nothing(line->f->table);
    }
}

static void put_fused_here(const struct annotate_line *line)
{
    put_places(line, &line->place->fused_here);
}

static void put_counted_at(const struct annotate_line *line)
{
    put_places(line, &line->place->counted_at);
}

static void put_line(const struct annotate_line *line)
{
    if (line->line > 0) ets_table_put_integer(line->f->table, line->line);
    else ets_table_put_nothing(line->f->table);
}

static void put_code(const struct annotate_line *line)
{
    ets_table_put_text(line->f->table, line->code);
}

/* clang-format off */
#define TIME(...) {.kind = ETS_COLUMN_TIME, .has_bounds = 1, __VA_ARGS__}
#define SHARE(...) {.kind = ETS_COLUMN_SHARE, .has_bounds = 1, __VA_ARGS__}
#define REAL(...) {.kind = ETS_COLUMN_REAL, __VA_ARGS__}
#define LIST(...) {.kind = ETS_COLUMN_LIST, __VA_ARGS__}
static const struct field fields[] = {
    {{.name = "block", .machine_only = 1}, put_block, IN_ALL},
    {{.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_block_index, IN_ALL},
    {{.name = "method", .machine_only = 1}, put_method, IN_ALL},
    {{.name = "runs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_runs, IN_ALL},
    {{.name = "file", .machine_only = 1}, put_file, IN_ALL},
    {{.name = "function", .machine_only = 1}, put_function, IN_ALL},
    {TIME(.name = "mid", .heat = 1), put_mid, IN_ALL},
    {TIME(.name = "p50", .machine_only = 1), put_p50, IN_ALL},
    {TIME(.name = "avg", .machine_only = 1), put_mean, IN_ALL},
    {SHARE(.name = "share"), put_share, WITHOUT_ERRORS},
    {SHARE(.name = "share", .priority = 1), put_share, WITH_ERRORS}, /* errors go before it */
    {TIME(.name = "inclusive", .heat = 1), put_inclusive, WITH_CALLERS},
    {SHARE(.name = "inclusive_share", .machine_only = 1), put_inclusive_share, WITH_CALLERS},
    {REAL(.name = "calls", .priority = 2, .dull_at_one = 1), put_calls, IN_ALL},
    {{.name = "written", .kind = ETS_COLUMN_BYTES, .priority = 1}, put_written, IN_ALL},
    {REAL(.name = "own_error", .title = "own", .digits = 3), put_own_error, WITH_ERRORS},
    {REAL(.name = "total_error", .title = "total", .digits = 3, .priority = 3), put_total_error, WITH_ERRORS},
    {REAL(.name = "own_snr", .machine_only = 1), put_own_snr, WITH_ERRORS},
    {REAL(.name = "snr", .machine_only = 1), put_snr, WITH_ERRORS},
    {{.name = "finding", .human_only = 1, .least_width = 14}, put_finding_shown, WITH_ERRORS},
    {{.name = "finding", .machine_only = 1}, put_finding, WITH_ERRORS},
    {LIST(.name = "error_of", .title = "error of", .first_of_list = 1, .priority = 4, .least_width = 14,
          .cut_in_middle = 1), put_error_of, WITH_ERRORS},
    {LIST(.name = "error_in", .machine_only = 1), put_error_in, WITH_ERRORS},
    {{.name = "fused", .human_only = 1, .least_width = 8}, put_fused_shown, WITHOUT_ERRORS},
    {{.name = "fused", .human_only = 1, .least_width = 8, .priority = 2}, put_fused_shown, WITH_ERRORS},
    {LIST(.name = "fused_here", .machine_only = 1), put_fused_here, IN_ALL},
    {LIST(.name = "counted_at", .machine_only = 1), put_counted_at, IN_ALL},
    {{.name = "line", .kind = ETS_COLUMN_INTEGER}, put_line, IN_ALL},
    {{.name = "code", .least_width = 40}, put_code, IN_ALL},
};
/* clang-format on */

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static bool is_shown(const struct field *field, const struct ets_annotate_options *options)
{
    switch (field->shown_in) {
    case WITH_CALLERS: return options->all_frames != 0;
    case WITH_ERRORS: return options->gap != NULL;
    case WITHOUT_ERRORS: return options->gap == NULL;
    default: return !options->has_costs || field->put != put_written; /* costs have it */
    }
}

/* The columns of costs stand behind calls. */
static void add_cost_columns(struct annotate_filler *f)
{
    uint64_t largest = 0;
    for (uint32_t b = 0; b < ets_inspection_block_count(f->inspection); b++) {
        const uint64_t flops = ets_cost_flops(&f->costs->blocks[b].cost);
        if (flops > largest) largest = flops;
    }
    f->flops_unit = ets_cost_fields_add(f->table, largest, f->tick_ns > 0);
    if (f->has_roofs) ets_roof_fields_add(f->table);
}

static void put_cost(const struct annotate_line *line)
{
    const struct annotate_filler *f = line->f;
    const struct ets_place *place = line->place;
    const struct ets_span time = ets_span_of(place->self.middle, place->own_error, 1);
    const bool is_timed = f->tick_ns > 0 && place->is_counted;
    const struct ets_cost_cells cells = {.table = f->table,
                                         .cost = &place->cost,
                                         .lower_ns = is_timed ? time.lower * f->tick_ns : NAN,
                                         .upper_ns = is_timed ? time.upper * f->tick_ns : NAN,
                                         .unit = f->flops_unit};
    ets_cost_fields_put(&cells, f->tick_ns > 0);
    if (!f->has_roofs) return;
    ets_roof_fields_put_row(f->table, &f->headroom, place->row, cells.lower_ns, cells.upper_ns,
                            place->saved * f->tick_ns);
}

void ets_annotate_add_columns(struct annotate_filler *f)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (fields[i].put == put_fused_shown && f->costs != NULL) add_cost_columns(f);
        if (!is_shown(&fields[i], f->options)) continue;
        ets_table_add_columns(f->table, &fields[i].column, sizeof *fields, 1, f->tick_ns > 0);
    }
}

bool ets_annotate_has_line(const struct annotate_filler *f, const struct ets_place *place)
{
    return place->is_counted || place->counted_at.count > 0 || place->error != NULL ||
           place->error_in.count > 0 || (f->options->all_frames && place->is_caller);
}

void ets_annotate_put_line(const struct annotate_filler *f, struct annotate_line line)
{
    static const struct ets_place nothing = {.row = ETS_NO_INDEX, .bytes_per_run = NAN};
    line.f = f;
    if (line.place == NULL) line.place = &nothing;
    ets_table_add_row(f->table, 0);
    if (!ets_annotate_has_line(f, line.place)) ets_table_quiet_row(f->table);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (fields[i].put == put_fused_shown && f->costs != NULL) put_cost(&line);
        if (is_shown(&fields[i], f->options)) fields[i].put(&line);
    }
}
