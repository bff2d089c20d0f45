/* Events as rows of text, in the order of logging: JSON lines and CSV. */
#include "inspect/time_details.h"
#include "output/export/export_arguments.h"
#include "output/export/export_writers.h"
#include "output/export/row_sums.h"

enum column {
    TRACE,
    RUN,
    METHOD,
    EVENT,
    PARENT,
    KIND,
    NAME,
    START,
    DURATION,
    UNIT,
    BYTES,
    INSTRUCTION,
    OPERATOR,
    BACKEND,
    MODULE,
    SOURCE,
    COLUMN_COUNT
};

static const char *const names[COLUMN_COUNT] = {
    [TRACE] = "trace",       [RUN] = "run",         [METHOD] = "method",
    [EVENT] = "event",       [PARENT] = "parent",   [KIND] = "kind",
    [NAME] = "name",         [START] = "start",     [DURATION] = "duration",
    [UNIT] = "unit",         [BYTES] = "bytes",     [INSTRUCTION] = "instruction",
    [OPERATOR] = "operator", [BACKEND] = "backend", [MODULE] = "module",
    [SOURCE] = "source"};

/* A cell: absent, a number or a text. */
struct cell {
    enum { CELL_ABSENT, CELL_NUMBER, CELL_TEXT } kind;
    uint64_t number;
    struct ets_text text;
};

static struct cell number_cell(bool is_there, uint64_t number)
{
    return (struct cell){.kind = is_there ? CELL_NUMBER : CELL_ABSENT, .number = number};
}

static struct cell text_cell(struct ets_text text)
{
    return (struct cell){.kind = text.data == NULL ? CELL_ABSENT : CELL_TEXT, .text = text};
}

static struct cell literal_cell(const char *text)
{
    return text_cell((struct ets_text){text, text == NULL ? 0 : strlen(text)});
}

/* An event whose cells are asked for. */
struct event {
    const struct ets_export_trace *trace;
    const struct ets_event_table *events;
    const struct ets_row *row; /* NULL: not a profile event */
    uint32_t number;
    char source[ETS_SOURCE_ROOM];
};

static struct cell name_cell(const struct event *event)
{
    const struct ets_inspection *inspection = event->trace->inspection;
    const struct ets_text name =
        ets_inspection_text(inspection, event->events->name[event->number]);
    if (event->row != NULL) return text_cell(event->row->name);
    if (name.data != NULL) return text_cell(name);
    return text_cell(ets_inspection_text(inspection, event->events->delegate_name[event->number]));
}

static struct cell unit_cell(const struct event *event)
{
    if (event->row == NULL) return literal_cell(NULL);
    if (event->row->clock != NULL && event->row->clock->unit != NULL) {
        return literal_cell(event->row->clock->unit);
    }
    if (ets_row_is_estimate(event->row)) return literal_cell("estimated ticks");
    if (ets_row_is_untimed(event->row)) return literal_cell("delegate's ticks");
    return literal_cell(
        ets_time_unit_name(ets_inspection_tick_unit(event->trace->inspection, NULL)));
}

static struct cell cell_of(struct event *event, enum column column)
{
    static const char *const kinds[] = {"profile", "debug", "allocation", "unknown"};
    const struct ets_inspection *inspection = event->trace->inspection;
    const struct ets_event_table *events = event->events;
    const uint32_t i = event->number;
    const bool is_timed = event->row != NULL, is_inside = events->chain[i] >= 0;
    const bool is_allocation = events->kind[i] == ETS_EVENT_ALLOCATION;
    switch (column) {
    case TRACE: return literal_cell(event->trace->name);
    case RUN: return number_cell(true, events->run[i]);
    case METHOD: return text_cell(ets_run_method(inspection, events->run[i]));
    case EVENT: return number_cell(true, i);
    case PARENT: return number_cell(events->parent[i] != ETS_NO_INDEX, events->parent[i]);
    case KIND: return literal_cell(kinds[events->kind[i] & 3]);
    case NAME: return name_cell(event);
    case START: return number_cell(is_timed, events->start[i]);
    case DURATION: return number_cell(is_timed, ets_inspection_ticks(inspection, i));
    case UNIT: return unit_cell(event);
    case BYTES: return number_cell(is_allocation, events->end[i]);
    case INSTRUCTION:
        return number_cell(is_inside && events->instruction[i] >= 0,
                           (uint64_t)(int64_t)events->instruction[i]);
    default: break;
    }
    if (event->row == NULL) return literal_cell(NULL);
    return text_cell(ets_row_argument(inspection, event->row,
                                      (enum ets_argument)(column - OPERATOR), event->source));
}

/* ---- CSV: RFC 4180 ---- */

static void put_csv_head(const struct ets_export *export)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (i > 0) ets_export_put_literal(export->out, ",");
        ets_export_put(export->out, names[i], strlen(names[i]));
    }
    ets_export_put_literal(export->out, "\r\n");
}

static void put_csv_row(const struct ets_export *export, struct event *event)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct cell cell = cell_of(event, (enum column)i);
        if (i > 0) ets_export_put_literal(export->out, ",");
        if (cell.kind == CELL_NUMBER) ets_export_put_count(export->out, cell.number);
        if (cell.kind == CELL_TEXT) ets_export_put_csv(export->out, cell.text);
    }
    ets_export_put_literal(export->out, "\r\n");
}

/* ---- JSON lines: absent cells have no key ---- */

static void put_json_row(const struct ets_export *export, struct event *event)
{
    bool is_first = true;
    ets_export_put_literal(export->out, "{");
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct cell cell = cell_of(event, (enum column)i);
        if (cell.kind == CELL_ABSENT) continue;
        if (!is_first) ets_export_put_literal(export->out, ",");
        is_first = false;
        ets_export_put_json(export->out, literal_cell(names[i]).text);
        ets_export_put_literal(export->out, ":");
        if (cell.kind == CELL_NUMBER) ets_export_put_count(export->out, cell.number);
        else ets_export_put_json(export->out, cell.text);
    }
    ets_export_put_literal(export->out, "}\n");
}

static enum ets_status put_rows(const struct ets_export *export,
                                void (*put_row)(const struct ets_export *, struct event *))
{
    struct event event;
    for (uint32_t t = 0; t < export->trace_count; t++) {
        event.trace = &export->traces[t];
        event.events = ets_inspection_events(event.trace->inspection);
        for (event.number = 0; event.number < event.events->count; event.number++) {
            const uint32_t row = event.events->row[event.number];
            event.row =
                row == ETS_NO_INDEX ? NULL : ets_inspection_row(event.trace->inspection, row);
            put_row(export, &event);
        }
    }
    return ETS_OK;
}

enum ets_status ets_export_csv(const struct ets_export *export, struct ets_error *error)
{
    (void)error; /* no memory is needed */
    put_csv_head(export);
    return put_rows(export, put_csv_row);
}

enum ets_status ets_export_json_lines(const struct ets_export *export, struct ets_error *error)
{
    (void)error;
    return put_rows(export, put_json_row);
}
