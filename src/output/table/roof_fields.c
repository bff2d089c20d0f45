/* Columns of a roof: what holds an operator back, its share of the roof, its time there. */
#include "output/table/roof_fields.h"

#include <math.h>

#include "views/headroom_sentence.h"

/* What the cells of a line are of. */
struct cells {
    struct ets_table *table;
    const struct ets_roof_answer *roof; /* verdict NONE: of several operators */
    double lower_ns, upper_ns;          /* what the line would take at the roof; NaN: not known */
};

static void put_known(const struct cells *cells, double lower, double upper)
{
    if (isnan(lower)) ets_table_put_nothing(cells->table);
    else ets_table_put_bounds(cells->table, lower, upper);
}

static void put_verdict(const struct cells *cells)
{
    ets_table_put_string(cells->table, ets_roof_verdict_name(cells->roof->verdict));
}

static void put_share(const struct cells *cells)
{
    put_known(cells, cells->roof->least_share, cells->roof->most_share);
}

static void put_at_roof(const struct cells *cells)
{
    put_known(cells, cells->lower_ns, cells->upper_ns);
}

static void put_level(const struct cells *cells)
{
    const bool has_bound = !isnan(cells->roof->bound_ns);
    ets_table_put_string(cells->table,
                         has_bound ? ets_memory_level_name(cells->roof->level) : NULL);
}

static void put_binding(const struct cells *cells)
{
    const bool has_bound = !isnan(cells->roof->bound_ns);
    ets_table_put_string(cells->table, has_bound ? ets_roof_kind_name(cells->roof->binding) : NULL);
}

static void put_bound(const struct cells *cells)
{
    put_known(cells, cells->roof->bound_ns, cells->roof->bound_ns);
}

static void put_reason(const struct cells *cells)
{
    ets_table_put_string(cells->table, ets_roof_reason_name(cells->roof->reason));
}

static const struct field {
    struct ets_column column;
    void (*put)(const struct cells *cells);
} fields[] = {
    {{.name = "verdict"}, put_verdict},
    {{.name = "of_roof", .title = "of roof", .kind = ETS_COLUMN_SHARE, .has_bounds = 1}, put_share},
    {{.name = "at_roof",
      .title = "at roof",
      .kind = ETS_COLUMN_TIME,
      .has_bounds = 1,
      .priority = 1},
     put_at_roof},
    {{.name = "level", .priority = 3}, put_level},
    {{.name = "roof", .machine_only = 1}, put_binding},
    {{.name = "bound", .kind = ETS_COLUMN_TIME, .machine_only = 1}, put_bound},
    {{.name = "verdict_reason", .machine_only = 1}, put_reason},
};
enum { FIELDS = sizeof fields / sizeof *fields };

void ets_roof_fields_add(struct ets_table *table)
{
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
}

void ets_roof_fields_put_row(struct ets_table *table, const struct ets_headroom *headroom,
                             uint32_t row, double lower_ns, double upper_ns, double saved_ns)
{
    static const struct ets_roof_answer nothing = {
        .level = ETS_LEVEL_UNKNOWN, .bound_ns = NAN, .least_share = NAN, .most_share = NAN};
    const struct ets_roof_answer *roof =
        row != ETS_NO_INDEX ? &headroom->rows[row - headroom->first_row].roof : &nothing;
    const bool is_timed = ets_headroom_has_operators(headroom) && !isnan(lower_ns);
    const struct cells cells = {.table = table,
                                .roof = roof->verdict != ETS_ROOF_VERDICT_NONE ? roof : &nothing,
                                .lower_ns = is_timed ? fmax(0, lower_ns - saved_ns) : NAN,
                                .upper_ns = is_timed ? fmax(0, upper_ns - saved_ns) : NAN};
    for (size_t i = 0; i < FIELDS; i++) fields[i].put(&cells);
}

bool ets_roof_sentence_add(struct ets_table *table, struct ets_arena *arena,
                           const struct ets_inspection *inspection,
                           const struct ets_headroom *headroom, const struct ets_chosen_runs *runs,
                           uint32_t block, double tick_ns)
{
    char room[ETS_HEADROOM_SENTENCE] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    if (!ets_headroom_sentence(arena, inspection, headroom, runs, block, tick_ns, &text)) {
        return false;
    }
    if (text.used > 0) ets_table_add_headline(table, ets_built_text(&text));
    return true;
}
