/*
 * Reads the events of LiteRT's profiler, one line each with tabs between: index, tag, event_type,
 * start_timestamp_us, elapsed_time_us, event_metadata1, event_metadata2, event_source.
 */
#include "import/foreign.h"
#include "import/text_lines.h"

/* Of the profiler; telemetry is 32 and above. */
enum event_type { DEFAULT = 1, OPERATOR = 2, DELEGATE = 4, DELEGATE_OPERATOR = 8, TELEMETRY = 32 };

/* The latest end; sums of two stay in 64 bits. */
#define MOST_NS (INT64_MAX >> 1)

struct events {
    struct ets_foreign *f;
    int64_t next_ns; /* where an event without a start begins: behind the one before */
    /* Where one of a delegate begins inside of its node, and where that ends; 0: there is none. */
    int64_t inside_ns, inside_end_ns;
    size_t line_at;
    unsigned line_number;
};

struct line {
    struct ets_text tag, node, subgraph;
    int64_t type, start_ns, lasted_ns;
};

static enum ets_status fail_line(const struct events *e, const char *what, struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, e->line_at, "line %u of the events: %s", e->line_number,
                    what);
}

static enum ets_status split(const struct events *e, struct ets_text text, struct line *line,
                             struct ets_error *error)
{
    enum { TABS = 7 }; /* of eight fields */
    unsigned tabs = 0;
    for (size_t i = 0; i < text.size; i++) tabs += text.data[i] == '\t';
    if (tabs < TABS) return fail_line(e, "it has fewer than eight fields: the file is cut", error);
    (void)ets_take_first(&text, '\t');
    line->tag = ets_trim(ets_take_first(&text, '\t'));
    if (!ets_decimal_ns(ets_take_first(&text, '\t'), 0, &line->type) || line->type < 0) {
        return fail_line(e, "its third field, event_type, is no number", error);
    }
    if (!ets_decimal_ns(ets_take_first(&text, '\t'), 3, &line->start_ns) || line->start_ns < 0) {
        return fail_line(e, "its fourth field, start_timestamp_us, is no time", error);
    }
    if (!ets_decimal_ns(ets_take_first(&text, '\t'), 3, &line->lasted_ns) || line->lasted_ns < 0) {
        return fail_line(e, "its fifth field, elapsed_time_us, is no time", error);
    }
    line->node = ets_trim(ets_take_first(&text, '\t'));
    line->subgraph = ets_trim(ets_take_first(&text, '\t'));
    if (line->lasted_ns > MOST_NS - line->start_ns) {
        return fail_line(e, "its fifth field, elapsed_time_us, is too long", error);
    }
    if (line->tag.size == 0) return fail_line(e, "its second field, tag, is empty", error);
    return ETS_OK;
}

/* "[Builtin]:3", as LiteRT's own summary names it; "[Builtin]:1:3" in subgraph 1. */
static enum ets_status read_name(struct ets_foreign *f, const struct line *line, const char *kind,
                                 uint32_t *number, struct ets_error *error)
{
    enum { ROOM = 64 };
    char *text = ets_arena_alloc(&f->arena, ROOM);
    if (text == NULL) return ets_fail_foreign(error);
    const bool is_main = line->subgraph.size == 0 || ets_text_is(line->subgraph, "0");
    size_t size = ets_print_text(text, ROOM, "[%s]:", kind);
    if (!is_main) size += ets_print_text(text + size, 16, "%.*s:", ETS_TEXT(line->subgraph));
    size += ets_print_text(text + size, 16, "%.*s", ETS_TEXT(line->node));
    return ets_foreign_text(f, (struct ets_text){text, size}, number, error);
}

/* "TfLiteXNNPackDelegate", "DELEGATE": a node that a delegate computes. */
static bool is_delegate_node(const struct line *line)
{
    return line->type == OPERATOR &&
           (ets_text_contains(line->tag, "Delegate") || ets_text_is(line->tag, "DELEGATE"));
}

/* Where the event begins. Those of a delegate stand inside of its node while they fit. */
static int64_t start_of(struct events *e, const struct line *line)
{
    const bool has_start = line->start_ns != 0;
    if (line->type == DELEGATE_OPERATOR && !has_start && e->inside_end_ns != 0) {
        const int64_t start = e->inside_ns;
        if (line->lasted_ns <= e->inside_end_ns - start) {
            e->inside_ns += line->lasted_ns;
            return start;
        }
    }
    if (line->type == OPERATOR || !has_start) e->inside_ns = e->inside_end_ns = 0;
    return has_start ? line->start_ns : e->next_ns;
}

static enum ets_status read_operator(struct events *e, const struct line *line,
                                     struct ets_error *error)
{
    const bool is_delegated = line->type == DELEGATE_OPERATOR;
    const char *const backend = is_delegated ? "LiteRT delegate" : "LiteRT builtin";
    struct ets_slice slice = {.kind = ETS_SLICE_OPERATOR, .is_frame = is_delegate_node(line)};
    slice.start = start_of(e, line);
    if (line->lasted_ns > MOST_NS - slice.start) {
        return fail_line(e, "with the events before it, it ends later than in 146 years", error);
    }
    slice.end = slice.start + line->lasted_ns;
    if (e->inside_end_ns == 0) e->next_ns = slice.end;
    if (slice.is_frame) {
        e->inside_ns = slice.start;
        e->inside_end_ns = slice.end;
    }
    ETS_TRY(ets_foreign_text(e->f, line->tag, &slice.op, error));
    ETS_TRY(
        ets_foreign_text(e->f, (struct ets_text){backend, strlen(backend)}, &slice.backend, error));
    ETS_TRY(read_name(e->f, line, is_delegated ? "Delegate" : "Builtin", &slice.name, error));
    return ets_foreign_add(e->f, &slice, error);
}

static enum ets_status read_event(struct events *e, struct ets_text text, struct ets_error *error)
{
    struct line line;
    if (ets_trim(text).size == 0 || ets_text_starts_with(text, "index\t")) return ETS_OK;
    ETS_TRY(split(e, text, &line, error));
    if (line.type == OPERATOR || line.type == DELEGATE_OPERATOR) {
        return read_operator(e, &line, error);
    }
    if (line.type != DEFAULT || !ets_text_is(line.tag, "Invoke")) {
        ets_foreign_leave_out(e->f, line.type >= TELEMETRY  ? "events of telemetry"
                                    : line.type == DELEGATE ? "events inside delegates"
                                                            : "events around runs");
        return ETS_OK;
    }
    const struct ets_slice run = {
        .kind = ETS_SLICE_RUN, .start = line.start_ns, .end = line.start_ns + line.lasted_ns};
    e->next_ns = run.start;
    e->inside_ns = e->inside_end_ns = 0;
    return ets_foreign_add(e->f, &run, error);
}

enum ets_status ets_litert_events_read(struct ets_foreign *f, struct ets_error *error)
{
    struct events e = {.f = f};
    struct ets_text line;
    f->step_ns = 1000;
    f->only_frames = true;
    for (size_t at = 0; e.line_at = at, ets_next_line(f->bytes, &at, &line);) {
        e.line_number++;
        ETS_TRY(read_event(&e, line, error));
    }
    return ETS_OK;
}
