/* A roofline chart: rate of operators against their operations per byte, below a machine's roofs.
 */
#include "output/picture/roofline_picture.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "cost/row_costs.h"
#include "host/text_builder.h"
#include "inspect/names.h"
#include "inspect/time_details.h"
#include "output/picture/svg.h"
#include "output/text/xml_text.h"
#include "views/headroom.h"
#include "views/headroom_sentence.h"
#include "views/roof_lines.h"

/* Pixels. */
enum {
    WIDTH = 960,
    HEIGHT = 560,
    LEFT = 72,
    RIGHT = 936,
    TOP = 56,
    BOTTOM = 508,
    MOST_DOTS = 20000
};

/* An operator. */
struct dot {
    uint32_t row;
    double intensity;   /* operations per byte */
    double least, most; /* operations per second */
    const struct ets_roof_answer *roof;
};

struct picture {
    struct ets_output *output;
    const struct ets_inspection *inspection;
    const struct ets_roofline_options *options;
    struct ets_arena *arena;
    struct ets_costs costs;
    struct ets_chosen_runs runs;
    struct ets_headroom headroom;
    double tick_ns;
    uint32_t block;
    struct dot *dots;
    uint32_t dot_count;
    uint32_t without_operations; /* that have a share, but compute nothing */
    struct ets_cost_roof lines[ETS_ROOF_LINES];
    uint32_t line_count;
    double left, right, low, high; /* decades of the axes */
};

/* Chooses the block that takes most; ETS_NO_INDEX: none stands for whole runs. */
static bool choose_block(struct picture *p)
{
    double most = 0;
    p->block = ETS_NO_INDEX;
    for (uint32_t b = 0; b < ets_inspection_block_count(p->inspection); b++) {
        struct ets_chosen_runs runs;
        struct ets_headroom headroom;
        const struct ets_headroom_options options = {p->options->machine, p->options->threads,
                                                     p->tick_ns};
        const uint32_t run = p->options->run;
        if (run != ETS_NO_INDEX && ets_inspection_run(p->inspection, run)->block != b) continue;
        if (!ets_chosen_runs_find(p->arena, p->inspection, b, run, p->options->steady, &runs) ||
            !ets_headroom_find(p->arena, p->inspection, &p->costs, &options, &runs, b, &headroom)) {
            return false;
        }
        const double whole = runs.whole * runs.count;
        if (!ets_headroom_has_operators(&headroom) || !(whole > most)) continue;
        most = whole;
        p->block = b;
        p->runs = runs;
        p->headroom = headroom;
    }
    return true;
}

static bool list_dots(struct picture *p)
{
    const struct ets_block *block = ets_inspection_block(p->inspection, p->block);
    p->dots = ets_arena_alloc_array(p->arena, block->row_count, sizeof *p->dots);
    if (p->dots == NULL) return false;
    for (uint32_t i = 0; i < block->row_count && i < MOST_DOTS; i++) {
        const uint32_t row = block->first_row + i;
        const struct ets_roof_answer *roof = &p->headroom.rows[i].roof;
        const struct ets_cost *cost = &p->costs.rows[row];
        if (isnan(roof->least_share) || !(roof->least_share > 0)) continue;
        const double flops = (double)ets_cost_flops(cost), bytes = (double)ets_cost_bytes(cost);
        if (roof->verdict == ETS_ROOF_VERDICT_NONE) continue;
        if (flops <= 0 || bytes <= 0) {
            p->without_operations++;
            continue;
        }
        const double rate = flops / roof->bound_ns * 1e9;
        p->dots[p->dot_count++] = (struct dot){row, flops / bytes, rate * roof->least_share,
                                               rate * roof->most_share, roof};
    }
    return true;
}

static void find_axes(struct picture *p)
{
    double left = 0.1, right = 100, low = 1e9, high = 1e9;
    for (uint32_t i = 0; i < p->dot_count; i++) {
        left = fmin(left, p->dots[i].intensity);
        right = fmax(right, p->dots[i].intensity);
        low = fmin(low, p->dots[i].least);
        high = fmax(high, p->dots[i].most);
    }
    for (uint32_t i = 0; i < p->line_count; i++) {
        if (!p->lines[i].is_bandwidth) high = fmax(high, p->lines[i].rate);
    }
    p->left = floor(log10(left));
    p->right = ceil(log10(right));
    p->low = floor(log10(low));
    p->high = ceil(log10(high * 1.2));
}

static double place_x(const struct picture *p, double intensity)
{
    return LEFT + (log10(intensity) - p->left) / (p->right - p->left) * (RIGHT - LEFT);
}

static double place_y(const struct picture *p, double rate)
{
    return BOTTOM - (log10(rate) - p->low) / (p->high - p->low) * (BOTTOM - TOP);
}

/* "10 G": a power of ten with the letter of its thousands. */
static void put_power(const struct picture *p, int power)
{
    static const char *const letters[] = {"", " k", " M", " G", " T", " P"};
    const int group = power < 0 ? 0 : power / 3 < 6 ? power / 3 : 5;
    if (power < 0) ets_output_print(p->output, "%.*f", -power, pow(10, power));
    else ets_output_print(p->output, "%.0f%s", pow(10, power - 3 * group), letters[group]);
}

static void put_axes(const struct picture *p)
{
    for (int power = (int)p->left; power <= (int)p->right; power++) {
        const double x = place_x(p, pow(10, power));
        ets_output_print(p->output, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", x, TOP, BOTTOM);
        ets_output_print(p->output,
                         "<text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x,
                         BOTTOM + 14);
        put_power(p, power);
        ets_output_print(p->output, "</text>\n");
    }
    for (int power = (int)p->low; power <= (int)p->high; power++) {
        const double y = place_y(p, pow(10, power));
        ets_output_print(p->output, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, RIGHT);
        ets_output_print(p->output,
                         "<text class=\"small\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6,
                         y + 4);
        put_power(p, power);
        ets_output_print(p->output, "</text>\n");
    }
    ets_output_print(
        p->output,
        "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"end\">operations per byte"
        "</text>\n<text class=\"small\" x=\"%d\" y=\"%d\">operations per second</text>\n",
        RIGHT, BOTTOM + 30, 8, TOP - 10);
}

/* The slope of a level: from the left or lower edge up to the highest rate. */
static void put_slope(const struct picture *p, const char *name, double bandwidth, double highest)
{
    const double from = fmax(pow(10, p->left), pow(10, p->low) / bandwidth);
    const double to = fmin(pow(10, p->right), highest / bandwidth);
    if (isnan(bandwidth) || !(from < to)) return;
    const double x = place_x(p, from), y = place_y(p, from * bandwidth);
    ets_output_print(p->output, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x, y,
                     place_x(p, to), place_y(p, to * bandwidth));
    const double middle = sqrt(from * to);
    ets_output_print(
        p->output,
        "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s %.0f GB/s</text>\n",
        place_x(p, middle) - 4, place_y(p, middle * bandwidth) - 4, name, bandwidth / 1e9);
}

static void put_roofs(const struct picture *p)
{
    double highest = 0;
    uint32_t levels = 0;
    for (uint32_t i = 0; i < p->line_count; i++) {
        const struct ets_cost_roof *line = &p->lines[i];
        if (line->is_bandwidth) {
            put_slope(p, line->name, line->rate, highest);
            continue;
        }
        highest = fmax(highest, line->rate);
        ets_output_print(p->output, "<path class=\"roof\" d=\"M%.1f %.1fH%d\"/>\n",
                         (LEFT + RIGHT) / 2.0, place_y(p, line->rate), RIGHT);
        ets_output_print(p->output,
                         "<text class=\"small\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s %.0f G/s"
                         "</text>\n",
                         RIGHT - 4 - (int)(levels++ & 1) * 150, place_y(p, line->rate) - 3,
                         line->name, line->rate / 1e9);
    }
}

static const char *class_of(enum ets_roof_verdict verdict)
{
    switch (verdict) {
    case ETS_ROOF_VERDICT_COMPUTE_BOUND: return "compute";
    case ETS_ROOF_VERDICT_MEMORY_BOUND: return "memory";
    default: return "below";
    }
}

static void put_dot(const struct picture *p, const struct dot *dot)
{
    const struct ets_row *row = ets_inspection_row(p->inspection, dot->row);
    const double x = place_x(p, dot->intensity);
    const double low = place_y(p, dot->least), high = place_y(p, dot->most);
    const double middle = place_y(p, sqrt(dot->least * dot->most));
    const char *class = class_of(dot->roof->verdict);
    ets_output_print(p->output, "<g class=\"%s\"><title>", class);
    const struct ets_text kernel = ets_row_kernel(row);
    ets_xml_put_text(p->output, kernel.data != NULL ? kernel : row->name);
    if (row->instruction >= 0) {
        ets_output_print(p->output, ", instruction %" PRId32, row->instruction);
    }
    ets_output_print(p->output, ": %s, %.0f", ets_roof_verdict_name(dot->roof->verdict),
                     100 * dot->roof->least_share);
    if (dot->roof->most_share - dot->roof->least_share >= 0.01) {
        ets_output_print(p->output, " to %.0f", 100 * dot->roof->most_share);
    }
    ets_output_print(p->output, " %% of the roof (%s), %.2f operations per byte</title>",
                     ets_memory_level_name(dot->roof->level) != NULL
                         ? ets_memory_level_name(dot->roof->level)
                         : "no cache known",
                     dot->intensity);
    if (low - high > 1) {
        ets_output_print(p->output, "<path d=\"M%.1f %.1fV%.1f\"/>", x, low, high);
    }
    ets_output_print(p->output, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/></g>\n", x, middle);
}

static void put_legend(const struct picture *p)
{
    static const enum ets_roof_verdict verdicts[] = {
        ETS_ROOF_VERDICT_COMPUTE_BOUND, ETS_ROOF_VERDICT_MEMORY_BOUND, ETS_ROOF_VERDICT_BELOW_ROOF};
    uint32_t others = p->headroom.verdicts[ETS_ROOF_VERDICT_OVERHEAD_BOUND].rows +
                      p->headroom.verdicts[ETS_ROOF_VERDICT_UNKNOWN].rows;
    for (int i = 0; i < 3; i++) {
        const int x = LEFT + i * 150;
        ets_output_print(p->output,
                         "<g class=\"%s\"><circle cx=\"%d\" cy=\"%d\" r=\"4\"/></g>"
                         "<text class=\"small\" x=\"%d\" y=\"%d\">%s</text>\n",
                         class_of(verdicts[i]), x, HEIGHT - 12, x + 9, HEIGHT - 8,
                         ets_roof_verdict_name(verdicts[i]));
    }
    others += p->without_operations;
    if (others == 0) return;
    ets_output_print(
        p->output,
        "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"end\">not drawn: %" PRIu32
        " operators that are overhead-bound, unknown or compute nothing</text>\n",
        RIGHT, HEIGHT - 8, others);
}

static bool draw(struct picture *p)
{
    char room[ETS_HEADROOM_SENTENCE] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    if (!ets_headroom_sentence(p->arena, p->inspection, &p->headroom, &p->runs, p->block,
                               p->tick_ns, &text)) {
        return false;
    }
    p->line_count = ets_roof_lines_list(p->options->machine, p->options->threads, p->lines);
    find_axes(p);
    ets_svg_begin(p->output, WIDTH, HEIGHT, "Operators below the roofs of a machine",
                  ".roof{stroke:#6b7280;stroke-width:1.5;fill:none}path{stroke-width:1.5}"
                  ".compute{fill:#2e9e5b;stroke:#2e9e5b}.memory{fill:#2f6db5;stroke:#2f6db5}"
                  ".below{fill:#d1722a;stroke:#d1722a}circle{fill-opacity:.75}",
                  ".roof{stroke:#9aa3ad}.compute{fill:#5fd08c;stroke:#5fd08c}"
                  ".memory{fill:#6cb0ff;stroke:#6cb0ff}.below{fill:#ffa35c;stroke:#ffa35c}");
    ets_svg_put_headline(p->output, ets_built_text(&text));
    put_axes(p);
    put_roofs(p);
    for (uint32_t i = 0; i < p->dot_count; i++) put_dot(p, &p->dots[i]);
    put_legend(p);
    ets_svg_end(p->output);
    return true;
}

static enum ets_status find_and_draw(struct picture *p, struct ets_error *error)
{
    static const char what[] = "the picture of a roofline";
    const enum ets_time_unit unit = ets_inspection_tick_unit(p->inspection, NULL);
    if (unit == ETS_UNIT_CYCLES) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "the trace counts cycles: without times there is no rate to draw");
    }
    p->tick_ns = 1e9 / ets_time_unit_per_second(unit);
    ETS_TRY(ets_row_costs_find(p->arena, p->inspection, &p->costs, error));
    if (!choose_block(p)) return ets_fail_memory(error, what);
    if (p->block == ETS_NO_INDEX) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "no operator ran: there is nothing to draw");
    }
    if (!list_dots(p) || !draw(p)) return ets_fail_memory(error, what);
    return ETS_OK;
}

enum ets_status ets_roofline_picture_write(const struct ets_inspection *inspection,
                                           const struct ets_roofline_options *options,
                                           const struct ets_allocator *allocator,
                                           struct ets_output *output, struct ets_error *error)
{
    struct ets_arena arena;
    struct picture p = {
        .output = output, .inspection = inspection, .options = options, .arena = &arena};
    ets_arena_init(&arena, allocator, 0);
    const enum ets_status status = find_and_draw(&p, error);
    ets_arena_reset(&arena);
    return status;
}
