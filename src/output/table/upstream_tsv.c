/* Writes the TSV file of upstream's Inspector, byte for byte. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "host/number.h"
#include "host/output.h"
#include "inspect/upstream/upstream_view.h"
#include "output/table/field_text.h"
#include "output/table/upstream_tsv.h"

static void put(struct ets_output *output, const char *text)
{
    ets_output_write(output, text, strlen(text));
}

/* csv.QUOTE_MINIMAL with a tab as separator; no name of ExecuTorch's is a formula. */
static void put_field(struct ets_output *output, const char *text)
{
    const struct ets_text whole = ets_text_of(text);
    ets_put_field(output, &whole, 1, "", '\t');
}

static void put_double(struct ets_output *output, double value)
{
    char text[ETS_NUMBER_CHARS];
    const size_t size = ets_print_double(text, value);
    put(output, "\t");
    ets_output_write(output, text, size);
}

/* A Python list; five and more become "['a', 'b' ... 'z'] (N total)". */
static void put_op_types(struct ets_output *output, const struct ets_upstream_event *event)
{
    const uint32_t count = event->op_type_count;
    struct ets_text pieces[2 * 4 + 1];
    char end[24] = "']";
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (count >= 5 && i == 2) i = count - 1;
        const bool is_far = count >= 5 && i == count - 1;
        pieces[used++] = ets_text_of(i == 0 ? "['" : is_far ? "' ... '" : "', '");
        pieces[used++] = ets_text_of(event->op_types[i]);
    }
    if (count >= 5) snprintf(end, sizeof end, "'] (%" PRIu32 " total)", count);
    pieces[used++] = ets_text_of(count == 0 ? "[]" : end);
    put(output, "\t");
    ets_put_field(output, pieces, used, "", '\t');
}

static void put_unsigned(struct ets_output *output, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    put(output, digits);
}

static void put_start_times(struct ets_output *output, const struct ets_upstream_event *event)
{
    put(output, "\t[");
    for (uint32_t i = 0; i < event->sample_count; i++) {
        if (i > 0) put(output, ", ");
        put_unsigned(output, event->start_time[i]);
    }
    put(output, "]");
}

static void put_event(struct ets_output *output, const char *block,
                      const struct ets_upstream_event *event)
{
    const struct ets_statistics *s = &event->statistics;
    put(output, "\t");
    put_field(output, block);
    put(output, "\t");
    put_field(output, event->name);
    if (s->count > 0) {
        const double values[] = {s->p10, s->p50, s->p90, s->mean, s->min, s->max};
        for (int i = 0; i < 6; i++) put_double(output, values[i]);
    } else {
        put(output, "\t\t\t\t\t\t");
    }
    put_op_types(output, event);
    put(output, event->is_delegated ? "\tTrue\t" : "\tFalse\t");
    if (event->backend != NULL) put_field(output, event->backend);
    put_start_times(output, event);
    put(output, "\n");
}

void ets_upstream_write_tsv(const struct ets_upstream_view *view, struct ets_output *output)
{
    static const char *const columns[] = {"p10", "p50", "p90", "avg", "min", "max"};
    put(output, "\tevent_block_name\tevent_name");
    for (int i = 0; i < 6; i++) {
        put(output, "\t");
        put(output, columns[i]);
        put(output, " (");
        put(output, ets_time_unit_name(view->target));
        put(output, ")");
    }
    put(output, "\top_types\tis_delegated_op\tdelegate_backend_name\tstart_time\n");
    uint64_t row = 0;
    for (uint32_t b = 0; b < view->block_count; b++) {
        const struct ets_upstream_block *block = &view->blocks[b];
        for (uint32_t i = 0; i < block->event_count; i++) {
            if (strstr(block->events[i].name, "OPERATOR_CALL") != NULL) continue;
            put_unsigned(output, row++);
            put_event(output, block->name, &block->events[i]);
        }
    }
}
