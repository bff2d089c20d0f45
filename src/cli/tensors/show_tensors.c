/* Prints tensors with their statistics, and draws them as heat maps. */
#include "cli/tensors/show_tensors.h"
#include "host/output.h"
#include "host/text_builder.h"

#include <math.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "etscope/base.h"
#include "output/picture/heat_map.h"
#include "output/table/table.h"
#include "output/text/tensor_text.h"

enum { THRESHOLD = 1000, NAME_BYTES = 200, HEADING_BYTES = 2048 };

int cli_check_tensor_text(const struct cli_arguments *arguments)
{
    static const char *const details[] = {"--full", "--edge-items", "--precision", NULL};
    const bool is_shown = cli_has(arguments, "--show") || arguments->word_count > 1;
    const char *format = cli_value(arguments, "--format");
    const char *detail = cli_first_given(arguments, details);
    const bool is_table = format == NULL || strcmp(format, "table") == 0;
    if (detail != NULL && (!is_shown || !is_table)) {
        return cli_complain(CLI_USAGE, "%s needs --show or a TENSOR", detail);
    }
    if (is_shown && !is_table && strcmp(format, "markdown") == 0) {
        return cli_complain(
            CLI_USAGE, "values cannot be printed as markdown: use table, tsv, csv, json or jsonl");
    }
    return CLI_OK;
}

/* "8, 3" of sizes or strides. */
static size_t put_numbers(char *text, size_t room, const int64_t *numbers, uint32_t count)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < room; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s%lld", i > 0 ? ", " : "",
                                 (long long)numbers[i]);
    }
    return used < room ? used : room - 1;
}

/* Prints a text from the file, safe for a terminal. */
static size_t put_text(char *text, size_t room, struct ets_text from)
{
    struct ets_text_builder shown = {text, room, 0};
    ets_add_shown_text(&shown, from);
    return shown.used;
}

/* Prints the source line of the value, ", zoo.py:16", if it is known. */
static size_t put_source(char *text, size_t room, const struct cli_captured *captured,
                         const struct ets_captured_value *value)
{
    const struct ets_row *row =
        value->row == ETS_NO_INDEX ? NULL : ets_inspection_row(captured->inspection, value->row);
    const struct ets_graph_frame *frame =
        row == NULL || row->node_count == 0 ? NULL : ets_graph_user_frame(row->nodes[0].node);
    if (frame == NULL) return 0;
    size_t name = frame->file.size;
    while (name > 0 && frame->file.data[name - 1] != '/') name--;
    const struct ets_text file = {frame->file.data + name, frame->file.size - name};
    size_t used = (size_t)snprintf(text, room, ", ");
    used += put_text(text + used, room - used < NAME_BYTES ? room - used : NAME_BYTES, file);
    return used + (size_t)snprintf(text + used, room - used, ":%u", frame->line);
}

/* "event 14, addmm.out, zoo.py:16: float32 [2, 4]", and the strides if they are not row-major. */
static void write_heading(const struct cli_captured *captured,
                          const struct ets_captured_value *value, struct ets_output *output)
{
    char text[HEADING_BYTES];
    const struct ets_tensor *tensor = &value->tensor;
    const struct ets_text name = ets_captured_value_operator(captured->inspection, value);
    size_t used = (size_t)snprintf(text, sizeof text, "\nevent %u, ", value->event);
    used += put_text(text + used, NAME_BYTES, name);
    used += put_source(text + used, sizeof text - used, captured, value);
    if (value->item_count > 0) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", item %u", value->item);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, ": %s [",
                             ets_scalar_type_name((int)tensor->scalar_type));
    used += put_numbers(text + used, sizeof text - used, tensor->sizes, tensor->rank);
    used += (size_t)snprintf(text + used, sizeof text - used, "]");
    if (!ets_tensor_is_contiguous(tensor)) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", strides [");
        used += put_numbers(text + used, sizeof text - used, tensor->strides, tensor->rank);
        used += (size_t)snprintf(text + used, sizeof text - used, "]");
    }
    text[used++] = '\n';
    ets_output_write(output, text, used);
}

int cli_show_tensors(const struct cli_arguments *arguments, const struct cli_captured *captured,
                     const struct ets_table_style *style, struct ets_output *output)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    const struct ets_tensor_text_options options = {
        .threshold = cli_has(arguments, "--full") ? UINT64_MAX : THRESHOLD,
        .edge_items = (uint32_t)cli_number(arguments, "--edge-items", 3),
        .precision = (int)cli_number(arguments, "--precision", 8),
        .width = style->width};
    cli_captured_begin(captured, &values);
    while (cli_captured_next(captured, &values, &value)) {
        struct ets_error error;
        write_heading(captured, &value, output);
        enum ets_status status =
            ets_tensor_spread_write(&value.tensor, style->ascii, NULL, output, &error);
        if (status == ETS_OK || status == ETS_UNSUPPORTED || status == ETS_LIMIT) {
            status = ets_tensor_text_write(&value.tensor, &options, output, &error);
        }
        if (status != ETS_OK) return cli_fail(captured->subject->debug_buffer_path, &error);
    }
    return CLI_OK;
}

/* Notes what the picture does not show. */
static void note_drawn(const char *path, const struct ets_heat_map *drawn, bool is_difference)
{
    char range[96];
    if (isnan(drawn->low)) snprintf(range, sizeof range, "no element is finite");
    else if (drawn->low < drawn->high)
        snprintf(range, sizeof range, "%s%g to %g", is_difference ? "differences from " : "",
                 drawn->low, drawn->high);
    else
        snprintf(range, sizeof range, "every %s is %g", is_difference ? "difference" : "element",
                 drawn->low);
    cli_note("%s: %u x %u pixels, %s", path, drawn->width, drawn->height, range);
    if (drawn->cell_rows > 1 || drawn->cell_columns > 1) {
        cli_note("a cell stands for %llu x %llu elements and shows the one farthest from 0",
                 (unsigned long long)drawn->cell_rows, (unsigned long long)drawn->cell_columns);
    }
    if (drawn->tiles_shown < drawn->tile_count) {
        cli_note("drew the first %llu of %llu matrices", (unsigned long long)drawn->tiles_shown,
                 (unsigned long long)drawn->tile_count);
    }
}

int cli_draw_tensor(const char *path, const struct cli_captured *captured,
                    const struct ets_tensor *reference)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    struct ets_heat_map drawn;
    struct ets_output *output;
    struct ets_error error;
    cli_captured_begin(captured, &values);
    if (!cli_captured_next(captured, &values, &value)) return CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    if (ets_heat_map_write(&value.tensor, reference, NULL, output, &drawn, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(NULL, &error);
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    note_drawn(path, &drawn, reference != NULL);
    return CLI_OK;
}
