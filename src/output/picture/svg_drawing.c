/* Shapes as SVG: a class for each ink, which has a colour for light and one for dark. */
#include "output/picture/drawing.h"

#include "output/picture/svg.h"
#include "output/text/xml_text.h"

static const char light[] =
    "svg{max-width:100%;height:auto}text{font-size:11px;pointer-events:none}.b{font-size:13px}"
    ".soft{fill:#555}.d{stroke-dasharray:3 2;stroke:#222}rect{stroke:#fff;stroke-width:.5}"
    "rect.h{fill:url(#hatch);stroke:none;pointer-events:none}.hatch{stroke:#fff;stroke-width:2.5}"
    ".frame{fill:#d8dce2}.kernel{fill:#a3d9b1}.delegate{fill:#a9cbf0}.inside{fill:#d3e5f9}"
    ".rest{fill:#f1e3c0}.narrow{fill:#8fa3b8;stroke:none}.total{fill:#5b6470}.faster{fill:#2f6db5}."
    "slower{fill:#d1722a}"
    ".unclear{fill:#8b929c}.point{fill:#2f6db5}.mark{fill:#d1242f}.shade{fill:#f3ead2}"
    ".band{fill:#c9dcf2}rect.grid,rect.band,rect.shade,.point,.mark{stroke:none}"
    ".point,.mark{rx:3px}"
    "path.total{stroke:#5b6470}path.mark{stroke:#d1242f}path.point{stroke:#2f6db5}";
static const char dark[] =
    ".soft{fill:#b4bac2}.d{stroke:#ddd}rect{stroke:#16191d}.hatch{stroke:#16191d}"
    ".frame{fill:#3a4049}.kernel{fill:#1d5632}.delegate{fill:#1f4a7a}.inside{fill:#2d5f96}"
    ".rest{fill:#57482a}.narrow{fill:#5c6f84;stroke:none}.total{fill:#aab2bd}.faster{fill:#6cb0ff}."
    "slower{fill:#ffa35c}"
    ".unclear{fill:#7d8590}.point{fill:#6cb0ff}.mark{fill:#ff6b6b}.shade{fill:#3a3320}"
    ".band{fill:#22374f}rect.band,rect.shade,.point,.mark{stroke:none}"
    "path.total{stroke:#aab2bd}path.mark{stroke:#ff6b6b}path.point{stroke:#6cb0ff}";

static const char *const classes[ETS_INK_COUNT] = {
    [ETS_INK_PAPER] = "paper",       [ETS_INK_TEXT] = "",         [ETS_INK_SOFT] = "soft",
    [ETS_INK_GRID] = "grid",         [ETS_INK_FRAME] = "frame",   [ETS_INK_KERNEL] = "kernel",
    [ETS_INK_DELEGATE] = "delegate", [ETS_INK_INSIDE] = "inside", [ETS_INK_REST] = "rest",
    [ETS_INK_TOTAL] = "total",       [ETS_INK_FASTER] = "faster", [ETS_INK_SLOWER] = "slower",
    [ETS_INK_UNCLEAR] = "unclear",   [ETS_INK_POINT] = "point",   [ETS_INK_MARK] = "mark",
    [ETS_INK_SHADE] = "shade",       [ETS_INK_BAND] = "band",     [ETS_INK_NARROW] = "narrow",
};

static bool begin(struct ets_drawing *d, const char *title)
{
    ets_svg_begin(d->output, d->width, d->height, title, light, dark);
    ets_output_print(d->output,
                     "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" "
                     "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                     "<path class=\"hatch\" d=\"M0 0V5\"/></pattern></defs>\n");
    return true;
}

static void end(struct ets_drawing *d)
{
    ets_svg_end(d->output);
}

static void group(struct ets_drawing *d, struct ets_text title)
{
    ets_output_print(d->output, "<g><title>");
    ets_xml_put_text(d->output, title);
    ets_output_print(d->output, "</title>");
}

static void group_end(struct ets_drawing *d)
{
    ets_output_print(d->output, "</g>\n");
}

static void put_box(struct ets_drawing *d, const char *class, const char *more,
                    struct ets_area area)
{
    ets_output_print(d->output,
                     "<rect class=\"%s%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                     "height=\"%.2f\"/>\n",
                     class, more, area.x, area.y, area.width, area.height);
}

static void box(struct ets_drawing *d, enum ets_ink ink, enum ets_box box, struct ets_area area)
{
    put_box(d, classes[ink], box == ETS_BOX_DASHED ? " d" : "", area);
    if (box == ETS_BOX_HATCHED) put_box(d, "h", "", area);
}

static void line(struct ets_drawing *d, enum ets_ink ink, struct ets_area from_by)
{
    ets_output_print(d->output, "<path class=\"%s\" d=\"M%.2f %.2fl%.2f %.2f\"/>\n", classes[ink],
                     from_by.x, from_by.y, from_by.width, from_by.height);
}

static void text(struct ets_drawing *d, enum ets_ink ink, bool is_bold, double x, double y,
                 enum ets_align align, struct ets_text text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    ets_output_print(d->output, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\"%s>",
                     is_bold ? "b" : classes[ink], x, y, anchors[align],
                     is_bold ? " font-weight=\"bold\"" : "");
    ets_xml_put_text(d->output, text);
    ets_output_print(d->output, "</text>\n");
}

const struct ets_drawing_kind ets_svg_drawing = {0, begin, end, group, group_end, box, line, text};
