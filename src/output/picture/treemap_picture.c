/* The bytes of programs as a treemap: parts, and the items in them, by squarified layout. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "host/text_builder.h"
#include "output/picture/svg.h"
#include "output/picture/treemap_picture.h"
#include "output/text/xml_text.h"
#include "views/size_lines.h"

/* Pixels. */
enum {
    WIDTH = 960,
    HEIGHT = 600,
    TOP = 48,
    MARGIN = 8,
    HEAD = 16,     /* of a part, for its name */
    CHARACTER = 7, /* at 11 pixels, on average */
    LEAST_LINE_WIDTH = 30,
    LEAST_LINE_HEIGHT = 13,
    MOST_AREAS = 4000, /* of a part; the smallest are one area */
    NAME_ROOM = 4200
};

struct area {
    double x, y, width, height;
};

struct picture {
    struct ets_output *output;
    const struct ets_size_lines *lines;
};

/* How far from a square the worst of a row is: `sum` of areas between `least` and `most`. */
static double worst_ratio(double sum, double least, double most, double side)
{
    return fmax(side * side * most / (sum * sum), sum * sum / (side * side * least));
}

/*
 * Squarified treemap (Bruls, Huizing, van Wijk 2000): rows along the shorter side of what is left,
 * each as long as its areas get closer to squares. `sizes` in descending order, summing up to 1.
 */
static void lay_out(struct area whole, const double *sizes, uint32_t count, struct area *areas_out)
{
    const double scale = whole.width * whole.height;
    for (uint32_t first = 0, end; first < count; first = end) {
        const bool is_wide = whole.width >= whole.height;
        const double side = is_wide ? whole.height : whole.width;
        double sum = sizes[first] * scale, at = 0;
        for (end = first + 1; end < count; end++) {
            const double next = sizes[end] * scale, most = sizes[first] * scale;
            if (worst_ratio(sum + next, next, most, side) >
                worst_ratio(sum, sizes[end - 1] * scale, most, side)) {
                break;
            }
            sum += next;
        }
        const double thickness = side > 0 ? sum / side : 0;
        for (uint32_t i = first; i < end; i++) {
            const double length = thickness > 0 ? sizes[i] * scale / thickness : 0;
            areas_out[i] = is_wide ? (struct area){whole.x, whole.y + at, thickness, length}
                                   : (struct area){whole.x + at, whole.y, length, thickness};
            at += length;
        }
        if (is_wide) {
            whole.x += thickness;
            whole.width = fmax(whole.width - thickness, 0);
        } else {
            whole.y += thickness;
            whole.height = fmax(whole.height - thickness, 0);
        }
    }
}

static struct area inside(struct area area, double top)
{
    const double border = 1;
    return (struct area){area.x + border, area.y + top, fmax(area.width - 2 * border, 0),
                         fmax(area.height - top - border, 0)};
}

/* As many characters of a name as fit into a width; the last three say that more follow. */
static void put_fitting(const struct picture *p, const char *class, struct area area, double y,
                        const char *name)
{
    const size_t size = strlen(name), room = (size_t)(fmax(area.width - 6, 0) / CHARACTER);
    const bool is_cut = size > room;
    if (room < 4) return;
    size_t shown = is_cut ? room - 1 : size;
    while (shown > 0 && ((unsigned char)name[shown] & 0xC0) == 0x80) shown--; /* whole characters */
    ets_output_print(p->output, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, area.x + 3, y);
    ets_xml_put_text(p->output, (struct ets_text){name, shown});
    ets_output_print(p->output, "%s</text>\n", is_cut ? "\xe2\x80\xa6" : "");
}

static void put_title(const struct picture *p, const char *name, uint64_t bytes, const char *more)
{
    char text[64];
    struct ets_text_builder size = {text, sizeof text, 0};
    const uint64_t all = p->lines->map->bytes;
    ets_add_bytes(&size, bytes);
    ets_output_print(p->output, "<title>");
    ets_xml_put_text(p->output, (struct ets_text){name, strlen(name)});
    ets_output_print(p->output, ": %s, %.1f %%", text,
                     all > 0 ? 100.0 * (double)bytes / (double)all : 0);
    ets_xml_put_text(p->output, (struct ets_text){more, strlen(more)});
    ets_output_print(p->output, "</title>\n");
}

/* ", fp32 [256, 1024], layer FullyConnected of module layers.0" */
static void describe(const struct ets_byte_item *item, char *text, size_t room)
{
    struct ets_text_builder b = {text, room, 0};
    text[0] = '\0';
    if (item->dtype != NULL) ets_add_text(&b, ", %s", item->dtype);
    for (uint32_t i = 0; item->shape != NULL && i < item->rank; i++) {
        ets_add_text(&b, "%s%lld", i == 0 ? " [" : ", ", (long long)item->shape[i]);
    }
    if (item->shape != NULL && item->rank > 0) ets_add_text(&b, "]");
    if (item->node != ETS_BYTES_NONE) ets_add_text(&b, ", %s", item->content);
    if (item->module.size > 0) ets_add_plain_text(&b, " in %.*s", ETS_TEXT(item->module));
    if (item->same_as != ETS_BYTES_NONE) ets_add_text(&b, ", a duplicate");
}

static void put_box(const struct picture *p, const char *class, struct area area)
{
    ets_output_print(p->output,
                     "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                     class, area.x, area.y, area.width, area.height);
}

static void put_label(const struct picture *p, struct area area, const char *name)
{
    if (area.width < LEAST_LINE_WIDTH || area.height < LEAST_LINE_HEIGHT) return;
    put_fitting(p, "small", area, area.y + 11, name);
}

static void put_item(const struct picture *p, const struct ets_byte_item *item, struct area area)
{
    char name[NAME_ROOM], more[1024];
    ets_size_item_name(item, name, sizeof name);
    describe(item, more, sizeof more);
    ets_output_print(p->output, "<g>");
    put_title(p, name, item->bytes, more);
    put_box(p, item->same_as != ETS_BYTES_NONE ? "item again" : "item", area);
    put_label(p, area, name);
    ets_output_print(p->output, "</g>\n");
}

static void put_rest(const struct picture *p, uint32_t count, uint64_t bytes, struct area area)
{
    char name[64];
    snprintf(name, sizeof name, "%u smaller", count);
    ets_output_print(p->output, "<g>");
    put_title(p, name, bytes, "");
    put_box(p, "item", area);
    put_label(p, area, name);
    ets_output_print(p->output, "</g>\n");
}

/* How many items get an area of at least a pixel. */
static uint32_t count_visible(const struct picture *p, const struct ets_size_group *group,
                              struct area area)
{
    const double pixels = area.width * area.height;
    uint32_t count = 0;
    while (count < group->item_count && count < MOST_AREAS) {
        const uint64_t bytes = p->lines->map->items[p->lines->items[group->first + count]].bytes;
        if ((double)bytes / (double)group->bytes * pixels < 1) break;
        count++;
    }
    return count;
}

static bool put_items(const struct picture *p, struct ets_arena *arena,
                      const struct ets_size_group *group, struct area area)
{
    const uint32_t visible = count_visible(p, group, area);
    const uint32_t count = visible + (visible < group->item_count);
    double *sizes = ets_arena_alloc_array(arena, count, sizeof *sizes);
    struct area *areas = ets_arena_alloc_array(arena, count, sizeof *areas);
    uint64_t rest = group->bytes;
    if (sizes == NULL || areas == NULL) return false;
    for (uint32_t i = 0; i < visible; i++) {
        const uint64_t bytes = p->lines->map->items[p->lines->items[group->first + i]].bytes;
        sizes[i] = (double)bytes / (double)group->bytes;
        rest -= bytes;
    }
    if (visible < count) sizes[visible] = (double)rest / (double)group->bytes;
    lay_out(area, sizes, count, areas);
    for (uint32_t i = 0; i < visible; i++) {
        put_item(p, &p->lines->map->items[p->lines->items[group->first + i]], areas[i]);
    }
    if (visible < count) put_rest(p, group->item_count - visible, rest, areas[visible]);
    return true;
}

static bool put_group(const struct picture *p, struct ets_arena *arena,
                      const struct ets_size_group *group, struct area area)
{
    char name[NAME_ROOM];
    const bool has_head = area.height >= 2 * HEAD && area.width >= 2 * LEAST_LINE_WIDTH;
    ets_size_group_name(group, ETS_SIZE_BY_PART, name, sizeof name);
    ets_output_print(p->output, "<g class=\"%s\">", ets_byte_part_name(group->part));
    put_title(p, name, group->bytes, "");
    put_box(p, "part", area);
    if (has_head) put_fitting(p, "name", area, area.y + 12, name);
    const bool ok =
        group->bytes == 0 || put_items(p, arena, group, inside(area, has_head ? HEAD : 1));
    ets_output_print(p->output, "</g>\n");
    return ok;
}

static void put_head(const struct picture *p)
{
    static const char light[] =
        "text{pointer-events:none}g text{fill:#222}g .small{font-size:11px;opacity:1}"
        ".name{font-weight:bold}.part{stroke:#fff;fill:#d8dce2}.item{stroke:#fff;fill:#e9ecf0}"
        ".delegate_weight .part{fill:#7fb0e6}.delegate_weight .item{fill:#a9cbf0}"
        ".constant .part{fill:#8ccf9b}.constant .item{fill:#b6e2c0}.program .part{fill:#e6c27f}"
        ".program .item{fill:#f1dbb1}.delegate_payload .part{fill:#c39be6}"
        ".delegate_payload .item{fill:#dcc5f2}.test_case .part{fill:#9bd3d6}"
        ".test_case .item{fill:#c4e7e9}.again{stroke:#d1242f;stroke-width:2}";
    static const char dark[] =
        ".part,.item{stroke:#16191d;filter:brightness(.82)}.again{stroke:#ff6b6b}";
    char text[1024];
    const size_t size = ets_size_headline(p->lines, text, sizeof text);
    ets_svg_begin(p->output, WIDTH, HEIGHT, "Where the bytes are", light, dark);
    ets_svg_put_headline(p->output, (struct ets_text){text, size});
    ets_output_print(p->output,
                     "<text class=\"small\" x=\"8\" y=\"40\">area: bytes; red border: the same "
                     "bytes are elsewhere, too</text>\n");
}

static bool put_groups(const struct picture *p, struct ets_arena *arena)
{
    const struct area whole = {MARGIN, TOP, WIDTH - 2 * MARGIN, HEIGHT - TOP - MARGIN};
    const uint32_t count = p->lines->group_count;
    double *sizes = ets_arena_alloc_array(arena, count, sizeof *sizes);
    struct area *areas = ets_arena_alloc_array(arena, count, sizeof *areas);
    if (sizes == NULL || areas == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        sizes[i] = (double)p->lines->groups[i].bytes / (double)p->lines->map->bytes;
    }
    lay_out(whole, sizes, count, areas);
    for (uint32_t i = 0; i < count; i++) {
        if (!put_group(p, arena, &p->lines->groups[i], areas[i])) return false;
    }
    return true;
}

enum ets_status ets_treemap_picture_write(const struct ets_byte_map *map, struct ets_output *output,
                                          struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_size_lines lines;
    const struct picture p = {output, &lines};
    ets_arena_init(&arena, map->arena.allocator, 0);
    bool ok = ets_size_lines_collect(&arena, map, ETS_SIZE_BY_PART, &lines);
    if (ok) {
        put_head(&p);
        ok = put_groups(&p, &arena);
        ets_svg_end(output);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the picture of a program's bytes");
}
