/*
 * Reads what the profiler of TensorFlow Lite for Microcontrollers prints, among other lines of a
 * log: MicroProfiler's Log ("CONV_2D took 1200 ticks (7 ms)."), LogCsv ("Event","Tag","Ticks") and
 * LogTicksPerTagCsv ("Unique Tag", ...). An event has no start, so events follow each other. Ticks
 * are those of the device's timer; the lists do not tell their rate, so they stay ticks.
 */
#include "import/foreign.h"
#include "import/text_lines.h"

/* The lists of a log. Later ones tell less; of those that a log has the first is read. */
enum list { CSV, LINES, TOTALS, LISTS };

static const char csv_heading[] = "\"Event\",\"Tag\",\"Ticks\"";
static const char totals_heading[] = "\"Unique Tag\",\"Total ticks";
static const char totals_end[] = "\"total number of ticks\", ";

struct log {
    struct ets_foreign *f;
    enum list wanted;
    bool is_counting; /* a first pass, which finds out what the log has */
    bool is_there[LISTS];
    enum list within;     /* LISTS: in none */
    bool has_ms;          /* the CSV has a fourth field */
    int64_t next_event;   /* of the CSV: the number of its next line */
    uint32_t first_slice; /* of this list */
    int64_t begin, clock; /* of this list; where the next event begins */
};

static const int64_t most_ticks = INT64_C(1) << 60;

/* Digits, and a sign for ticks of an event that did not end. False: something else. */
static bool read_ticks(struct ets_text field, int64_t *ticks_out)
{
    field = ets_trim(field);
    for (size_t i = 0; i < field.size; i++) {
        const bool is_sign = i == 0 && field.size > 1 && field.data[0] == '-';
        if (!is_sign && (field.data[i] < '0' || field.data[i] > '9')) return false;
    }
    return field.size > 0 && ets_decimal_ns(field, 0, ticks_out);
}

/* What a console put before a line, as "I (1234) main: ". */
static struct ets_text without_prefix(struct ets_text tag)
{
    static const char *const ends[] = {": ", "] ", "> "};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct ets_text left = tag, last;
        if (ets_take_last(&left, ends[i], &last)) tag = last;
    }
    return ets_trim(tag);
}

/* "<tag> took <N> ticks (<M> ms)."; a sum that benchmarks print has no full stop. */
static bool split_line(struct ets_text line, struct ets_text *tag_out, int64_t *ticks_out)
{
    static const char end[] = " ms).";
    struct ets_text ms, ticks;
    int64_t unused;
    line = ets_trim(line);
    if (line.size < sizeof end ||
        memcmp(line.data + line.size - (sizeof end - 1), end, sizeof end - 1) != 0) {
        return false;
    }
    line.size -= sizeof end - 1;
    if (!ets_take_last(&line, " ticks (", &ms) || !read_ticks(ms, &unused)) return false;
    if (!ets_take_last(&line, " took ", &ticks) || !read_ticks(ticks, ticks_out)) return false;
    *tag_out = without_prefix(line);
    return tag_out->size > 0;
}

/* "0,CONV_2D,1200", older builds "0,CONV_2D,1200,7"; tags may have commas. Events are numbered: a
 * line with an earlier number is another's. */
static bool split_csv(struct log *log, struct ets_text line, struct ets_text *tag_out,
                      int64_t *ticks_out)
{
    struct ets_text last;
    int64_t number, unused;
    line = without_prefix(line);
    if (!read_ticks(ets_take_first(&line, ','), &number) || number < log->next_event) return false;
    if (log->has_ms && (!ets_take_last(&line, ",", &last) || !read_ticks(last, &unused))) {
        return false;
    }
    if (!ets_take_last(&line, ",", &last) || !read_ticks(last, ticks_out)) return false;
    *tag_out = ets_trim(line);
    if (tag_out->size == 0) return false;
    if (number > log->next_event && !log->is_counting) {
        ets_foreign_leave_out(log->f, "events whose lines the log lost");
    }
    log->next_event = number < INT64_MAX ? number + 1 : number;
    return true;
}

/* "CONV_2D, 1200" */
static bool split_total(struct ets_text line, struct ets_text *tag_out, int64_t *ticks_out)
{
    struct ets_text last;
    line = without_prefix(line);
    if (!ets_take_last(&line, ", ", &last) || !read_ticks(last, ticks_out)) return false;
    *tag_out = ets_trim(line);
    return tag_out->size > 0;
}

static enum ets_status add_event(struct log *log, struct ets_text tag, int64_t ticks,
                                 struct ets_error *error)
{
    struct ets_slice slice = {.kind = ETS_SLICE_OPERATOR, .start = log->clock};
    if (ticks < 0 || ticks == UINT32_MAX) {
        ets_foreign_leave_out(log->f, "events that did not end before they were printed");
        return ETS_OK;
    }
    if (ticks > most_ticks - log->clock) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the events together take more than 2^60 ticks");
    }
    log->clock += ticks;
    slice.end = log->clock;
    ETS_TRY(ets_foreign_text(log->f, tag, &slice.op, error));
    return ets_foreign_add(log->f, &slice, error);
}

/* A list is a run, which lasts as long as its events together: the profiler's own total. */
static enum ets_status end_list(struct log *log, struct ets_error *error)
{
    static const struct ets_text execute = {"Execute", 7};
    struct ets_foreign *f = log->f;
    struct ets_slice slice = {
        .kind = ETS_SLICE_RUN, .is_frame = true, .start = log->begin, .end = log->clock};
    const bool is_empty = f->slice_count == log->first_slice;
    log->within = LISTS;
    if (log->is_counting || is_empty) return ETS_OK;
    ETS_TRY(ets_foreign_text(f, execute, &slice.name, error));
    ETS_TRY(ets_foreign_add(f, &slice, error));
    log->clock++; /* runs do not touch */
    log->begin = log->clock;
    log->first_slice = f->slice_count;
    return ETS_OK;
}

static enum ets_status begin_list(struct log *log, enum list list, struct ets_error *error)
{
    ETS_TRY(end_list(log, error));
    log->within = list;
    return ETS_OK;
}

/* Sums that include those of an earlier list do not add up to the total of this list. */
static void check_total(struct log *log, struct ets_text line)
{
    struct ets_text unused;
    int64_t total;
    if (log->is_counting || log->wanted != TOTALS) return;
    if (split_total(line, &unused, &total) && total == log->clock - log->begin) return;
    ets_foreign_leave_out(log->f, "lists of totals that do not add up to their own sum");
    log->f->slice_count = log->first_slice;
    log->clock = log->begin;
}

static enum ets_status read_event(struct log *log, struct ets_text line, struct ets_error *error)
{
    struct ets_text tag;
    int64_t ticks;
    if (split_line(line, &tag, &ticks)) {
        if (log->within != LINES) ETS_TRY(begin_list(log, LINES, error));
    } else if (log->within == LINES || log->within == LISTS) {
        return end_list(log, error); /* what else a device prints */
    } else if (log->within == CSV ? !split_csv(log, line, &tag, &ticks)
                                  : !split_total(line, &tag, &ticks)) {
        return ETS_OK; /* the same, between lines of a list that tells where it ends */
    }
    log->is_there[log->within] = true;
    if (log->is_counting) return ETS_OK;
    if (log->within == log->wanted) return add_event(log, tag, ticks, error);
    ets_foreign_leave_out(log->f, "lines of further lists, which tell less of the same events");
    return ETS_OK;
}

static enum ets_status read_line(struct log *log, struct ets_text line, struct ets_error *error)
{
    if (ets_text_contains(line, csv_heading)) {
        log->has_ms = ets_text_contains(line, ",\"ms\"");
        log->next_event = 0;
        return begin_list(log, CSV, error);
    }
    if (ets_text_contains(line, totals_heading)) return begin_list(log, TOTALS, error);
    if (log->within == TOTALS && ets_text_contains(line, totals_end)) {
        check_total(log, line);
        return end_list(log, error);
    }
    return read_event(log, line, error);
}

static enum ets_status read_lines(struct log *log, struct ets_error *error)
{
    struct ets_text line;
    log->within = LISTS;
    for (size_t at = 0; ets_next_line(log->f->bytes, &at, &line);) {
        ETS_TRY(read_line(log, line, error));
    }
    if (log->within == TOTALS && !log->is_counting && log->wanted == TOTALS) {
        return ets_fail(error, ETS_MALFORMED, log->f->bytes.size,
                        "the list of ticks has no line with their total: the log is cut");
    }
    return end_list(log, error);
}

bool ets_is_tflm_log(struct ets_text start)
{
    struct ets_text line, tag;
    int64_t ticks;
    if (ets_text_contains(start, csv_heading) || ets_text_contains(start, totals_heading)) {
        return true;
    }
    const struct ets_bytes bytes = {(const uint8_t *)start.data, start.size};
    for (size_t at = 0; ets_next_line(bytes, &at, &line);) {
        if (split_line(line, &tag, &ticks)) return true;
    }
    return false;
}

enum ets_status ets_tflm_log_read(struct ets_foreign *f, struct ets_error *error)
{
    struct log log = {.f = f, .is_counting = true};
    ETS_TRY(read_lines(&log, error));
    while (log.wanted < TOTALS && !log.is_there[log.wanted]) log.wanted++;
    log.is_counting = false;
    f->only_frames = true;
    f->by_order = true;
    f->is_in_cycles = true;
    f->is_in_ticks = true;
    return read_lines(&log, error);
}
