/* The gap as a picture: a line for each compared value, with bars on a logarithmic scale. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "etscope/experimental/gap.h"
#include "host/output.h"
#include "output/picture/gap_picture.h"
#include "output/picture/svg.h"
#include "output/text/xml_text.h"
#include "views/gap_headline.h"

/* Pixels. */
enum {
    WIDTH = 960,
    LEFT = 300,  /* of the bars */
    RIGHT = 870, /* what is behind is for numbers */
    TOP = 84,
    LINE = 18
};

struct picture {
    struct ets_output *output;
    const struct ets_gap_report *report;
    const struct ets_advice_words *advice;
    int low, high; /* decades of the scale */
};

/* Errors in a range that can be drawn: NaN and infinities at its end. */
static double drawn(const struct picture *p, double error)
{
    if (isnan(error) || error >= pow(10, p->high)) return p->high;
    return error <= pow(10, p->low) ? p->low : log10(error);
}

static int place(const struct picture *p, double error)
{
    const double part = (drawn(p, error) - p->low) / (p->high - p->low);
    return LEFT + (int)lround(part * (RIGHT - LEFT));
}

static void find_scale(struct picture *p)
{
    double least = 1e-6, most = 1e-6;
    for (uint32_t i = 0; i < ets_gap_row_count(p->report); i++) {
        const struct ets_gap_row *row = ets_gap_row(p->report, i);
        const double errors[] = {row->own_error, ets_comparison_relative_rms(&row->total)};
        for (int k = 0; k < 2; k++) {
            if (!row->has_total || !isfinite(errors[k]) || errors[k] <= 0) continue;
            least = fmin(least, errors[k]);
            most = fmax(most, errors[k]);
        }
    }
    p->low = (int)fmax(floor(log10(least)), -16);
    p->high = (int)fmin(fmax(ceil(log10(most)), p->low + 2), 12);
}

static void put_scale(const struct picture *p, int bottom)
{
    for (int decade = p->low; decade <= p->high; decade++) {
        const int x = LEFT + (decade - p->low) * (RIGHT - LEFT) / (p->high - p->low);
        ets_output_print(p->output, "<path class=\"grid\" d=\"M%d %dV%d\"/>\n", x, TOP - 4, bottom);
        ets_output_print(
            p->output,
            "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">1e%d</text>\n", x,
            TOP - 10, decade);
    }
}

static void put_bar(const struct picture *p, const char *kind, int y, int height, double error)
{
    if (isnan(error) || error == 0) return;
    const int end = place(p, error);
    ets_output_print(p->output,
                     "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", kind,
                     LEFT, y, end - LEFT < 1 ? 1 : end - LEFT, height);
}

static void put_label(const struct picture *p, const struct ets_graph_node *node, int y)
{
    const struct ets_graph_frame *frame = ets_graph_user_frame(node);
    struct ets_text name = node->name;
    if (name.size > 28) name.size = 28;
    ets_output_print(p->output, "<text x=\"8\" y=\"%d\">", y + 13);
    ets_xml_put_text(p->output, name);
    ets_output_print(p->output, "</text>\n");
    if (frame == NULL) return;
    struct ets_text file = frame->file;
    if (file.size > 16) file = (struct ets_text){file.data + file.size - 16, 16};
    ets_output_print(p->output, "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"end\">",
                     LEFT - 8, y + 13);
    ets_xml_put_text(p->output, file);
    ets_output_print(p->output, ":%u</text>\n", frame->line);
}

static void put_row(const struct picture *p, const struct ets_gap_row *row, int y)
{
    const double total = row->has_total ? ets_comparison_relative_rms(&row->total) : NAN;
    const bool is_off = row->finding == ETS_GAP_GUILTY || row->finding == ETS_GAP_SUSPECT;
    char number[40];
    put_label(p, row->value->node, y);
    put_bar(p, "total", y + 2, LINE - 4, total);
    put_bar(p, is_off ? "guilty" : "own", y + 6, LINE - 12, row->has_own ? row->own_error : NAN);
    if (row->has_total) snprintf(number, sizeof number, "%.2g", total);
    else snprintf(number, sizeof number, "not compared");
    ets_output_print(p->output,
                     "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                     WIDTH - 8, y + 13, number);
}

/* The library's texts are of the report's making; names from files are escaped where they go in. */
static void put_head(const struct picture *p, int height)
{
    ets_svg_begin(p->output, WIDTH, height, "Numeric gap per operator",
                  ".total{fill:#9db8d9}.own{fill:#2f6db5}.guilty{fill:#d1242f}",
                  ".total{fill:#3b5878}.own{fill:#6cb0ff}.guilty{fill:#ff6b6b}");
    char text[1024];
    const size_t size = ets_gap_headline(p->report, p->advice, text, sizeof text);
    ets_svg_put_headline(p->output, (struct ets_text){text, size});
    ets_output_print(p->output,
                     "<text class=\"small\" x=\"8\" y=\"40\">error relative to the reference, "
                     "logarithmic</text>\n");
    ets_output_print(p->output,
                     "<rect class=\"total\" x=\"%d\" y=\"31\" width=\"24\" height=\"10\"/>", LEFT);
    ets_output_print(p->output, "<text class=\"small\" x=\"%d\" y=\"40\">total</text>\n",
                     LEFT + 30);
    ets_output_print(p->output, "<rect class=\"own\" x=\"%d\" y=\"33\" width=\"24\" height=\"6\"/>",
                     LEFT + 80);
    ets_output_print(p->output, "<text class=\"small\" x=\"%d\" y=\"40\">its own</text>\n",
                     LEFT + 110);
    ets_output_print(p->output,
                     "<rect class=\"guilty\" x=\"%d\" y=\"33\" width=\"24\" height=\"6\"/>",
                     LEFT + 170);
    ets_output_print(p->output,
                     "<text class=\"small\" x=\"%d\" y=\"40\">its own, stands out</text>\n",
                     LEFT + 200);
}

void ets_gap_picture_write(const struct ets_gap_report *report,
                           const struct ets_advice_words *advice, struct ets_output *output)
{
    struct picture p = {.output = output, .report = report, .advice = advice};
    const uint32_t rows = ets_gap_row_count(report);
    const uint32_t shown = rows < 5000 ? rows : 5000;
    const int bottom = TOP + (int)shown * LINE;
    find_scale(&p);
    put_head(&p, bottom + (shown < rows ? LINE : 0) + 12);
    put_scale(&p, bottom);
    for (uint32_t i = 0; i < shown; i++) {
        put_row(&p, ets_gap_row(report, i), TOP + (int)i * LINE);
    }
    if (shown < rows) {
        ets_output_print(output, "<text x=\"8\" y=\"%d\">and %u more</text>\n", bottom + 13,
                         rows - shown);
    }
    ets_svg_end(output);
}
