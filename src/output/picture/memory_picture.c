/* A memory plan as a picture: lifetimes against offsets, and the bytes in use below. */
#include "output/picture/memory_picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/text_builder.h"
#include "output/picture/svg.h"
#include "output/text/xml_text.h"

/* Pixels, and what is at most drawn. */
enum {
    WIDTH = 960,
    LEFT = 72,
    RIGHT = 944,
    TOP = 44,
    PANEL = 300, /* the map of an arena */
    LEVEL = 72,  /* the bytes in use below it */
    STEPS = 18,  /* the numbers of instructions below a panel */
    BETWEEN = 30,
    LEGEND_LINE = 16,
    LABEL_WIDTH = 64, /* the least of a box with a name */
    CHARACTER = 6,
    COLOURS = 10, /* the largest modules; the others share one */
    MOST_BOXES = 20000
};

struct module {
    struct ets_text name;
    uint64_t bytes;
    uint32_t number; /* in order of appearance */
};

struct picture {
    struct ets_output *output;
    const struct ets_memory_lines *lines;
    struct module *modules; /* by bytes, once they are sorted */
    uint32_t module_count;
    uint32_t *module_of; /* [lines->count] number of a line's first module */
    uint32_t *colour_of; /* [module_count] of a number */
};

static struct ets_text module_name(const struct ets_memory_line *line)
{
    if (line->modules.count > 0) return line->modules.items[0];
    if (line->tensor->kind == ETS_PLAN_INPUT) return (struct ets_text){"(inputs)", 8};
    return (struct ets_text){"(module not known)", 18};
}

static uint32_t module_number(struct picture *p, struct ets_text name)
{
    for (uint32_t i = 0; i < p->module_count; i++) {
        if (ets_text_equal(p->modules[i].name, name)) return i;
    }
    p->modules[p->module_count] = (struct module){name, 0, p->module_count};
    return p->module_count++;
}

static int by_bytes(const void *left, const void *right)
{
    const struct module *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Gives the modules that hold the most bytes a colour each. */
static bool colour_modules(struct picture *p, struct ets_arena *arena)
{
    const uint32_t count = p->lines->count;
    p->modules = ets_arena_alloc_array(arena, count, sizeof *p->modules);
    p->module_of = ets_arena_alloc_array(arena, count, sizeof *p->module_of);
    p->colour_of = ets_arena_alloc_array(arena, count, sizeof *p->colour_of);
    if (p->modules == NULL || p->module_of == NULL || p->colour_of == NULL) return false;
    for (uint32_t i = 0; i < count && i < MOST_BOXES; i++) {
        const struct ets_memory_line *line = &p->lines->items[i];
        p->module_of[i] = module_number(p, module_name(line));
        p->modules[p->module_of[i]].bytes += line->tensor->bytes;
    }
    if (p->module_count > 1) qsort(p->modules, p->module_count, sizeof *p->modules, by_bytes);
    for (uint32_t i = 0; i < p->module_count; i++) {
        p->colour_of[p->modules[i].number] = i < COLOURS ? i : COLOURS;
    }
    return true;
}

static double step_place(const struct picture *p, double step)
{
    return LEFT + step / p->lines->plan->step_count * (RIGHT - LEFT);
}

static double byte_place(const struct ets_plan_arena *arena, int bottom, int height, uint64_t bytes)
{
    return bottom - (double)bytes / (double)arena->planned.bytes * height;
}

/* Faint lines and their sizes at quarters of the arena. */
static void put_scale(const struct picture *p, const struct ets_plan_arena *arena, int bottom,
                      int height, int parts)
{
    for (int i = 0; i <= parts; i++) {
        char text[32];
        struct ets_text_builder size = {text, sizeof text, 0};
        const int y = bottom - i * height / parts;
        ets_add_bytes(&size, arena->planned.bytes / (uint64_t)parts * (uint64_t)i);
        ets_output_print(p->output, "<path class=\"grid\" d=\"M%d %dH%d\"/>\n", LEFT, y, RIGHT);
        ets_output_print(p->output,
                         "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                         LEFT - 6, y + 4, text);
    }
}

/* Numbers of instructions below a panel, at most ten: 1, 2 or 5 times a power of ten apart. */
static void put_steps(const struct picture *p, int bottom)
{
    const uint32_t steps = p->lines->plan->step_count;
    uint64_t apart = 1;
    for (uint32_t i = 0; steps / apart > 10; i++) apart = i % 3 == 1 ? apart / 2 * 5 : apart * 2;
    for (uint64_t step = 0; step < steps; step += apart) {
        const double x = step_place(p, (double)step + 0.5);
        ets_output_print(p->output,
                         "<path class=\"tick\" d=\"M%.2f %dv4\"/><text class=\"small\" "
                         "x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%" PRIu64 "</text>\n",
                         x, bottom, x, bottom + 14, step);
    }
}

static void put_list(const struct picture *p, const struct ets_text_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        ets_output_print(p->output, ", ");
        ets_xml_put_text(p->output, list->items[i]);
    }
}

/* "value 9: 256 B at 2048, instructions 1 to 2, aten::addmm.out, models/zoo.py:16, l1" */
static void put_title(const struct picture *p, const struct ets_memory_line *line)
{
    char text[32];
    struct ets_text_builder size = {text, sizeof text, 0};
    const struct ets_plan_tensor *tensor = line->tensor;
    ets_add_bytes(&size, tensor->bytes);
    ets_output_print(p->output, "<title>value %" PRIu32 " (%s): %s at %" PRIu64 ", instructions ",
                     tensor->value, ets_plan_kind_name(tensor->kind), text, tensor->offset);
    for (uint32_t i = 0; i < tensor->piece_count; i++) {
        ets_output_print(p->output, "%s%" PRIu32 " to %" PRIu32, i > 0 ? ", " : "",
                         tensor->pieces[i].first, tensor->pieces[i].last);
    }
    if (line->producer.size > 0) ets_output_print(p->output, ", ");
    ets_xml_put_text(p->output, line->producer);
    put_list(p, &line->sources);
    put_list(p, &line->modules);
    ets_output_print(p->output, "</title>");
}

/* The last part of "aten::addmm.out": "addmm". */
static struct ets_text short_name(const struct ets_memory_line *line)
{
    struct ets_text name = line->producer;
    for (size_t i = 0; i + 2 < name.size; i++) {
        if (name.data[i] != ':' || name.data[i + 1] != ':') continue;
        name = (struct ets_text){name.data + i + 2, name.size - i - 2};
        break;
    }
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '.') name.size = i;
    }
    if (name.size > 0) return name;
    const char *kind = ets_plan_kind_name(line->tensor->kind);
    return (struct ets_text){kind, strlen(kind)};
}

/* A piece of a tensor's lifetime. */
static void put_box(const struct picture *p, uint32_t index, const struct ets_plan_piece *piece,
                    const struct ets_plan_arena *arena, int bottom)
{
    const struct ets_memory_line *line = &p->lines->items[index];
    const struct ets_plan_tensor *tensor = line->tensor;
    const double left = step_place(p, piece->first), right = step_place(p, piece->last + 1.0);
    const double low = byte_place(arena, bottom, PANEL, tensor->offset);
    const double high = byte_place(arena, bottom, PANEL, tensor->offset + tensor->bytes);
    ets_output_print(p->output, "<g>");
    put_title(p, line);
    ets_output_print(p->output,
                     "<rect class=\"m%" PRIu32
                     "%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                     "height=\"%.2f\"/>",
                     p->colour_of[p->module_of[index]], line->is_at_peak ? " peak" : "", left, high,
                     right - left, low - high < 0.5 ? 0.5 : low - high);
    struct ets_text name = short_name(line);
    if (right - left >= LABEL_WIDTH && low - high >= 12) {
        const size_t room = (size_t)((right - left - 8) / CHARACTER);
        if (name.size > room) name.size = room;
        ets_output_print(p->output, "<text class=\"name\" x=\"%.2f\" y=\"%.2f\">", left + 4,
                         high + 11);
        ets_xml_put_text(p->output, name);
        ets_output_print(p->output, "</text>");
    }
    ets_output_print(p->output, "</g>\n");
}

static void put_boxes(const struct picture *p, uint32_t number, const struct ets_plan_arena *arena,
                      int bottom)
{
    for (uint32_t i = 0; i < p->lines->count && i < MOST_BOXES; i++) {
        const struct ets_plan_tensor *tensor = p->lines->items[i].tensor;
        if (tensor->arena != number || tensor->bytes == 0) continue;
        if (tensor->first == ETS_PLAN_NONE || tensor->base != ETS_PLAN_NONE) continue;
        for (uint32_t k = 0; k < tensor->piece_count; k++) {
            put_box(p, i, &tensor->pieces[k], arena, bottom);
        }
    }
}

/* The bytes in use at each instruction, as steps; of many instructions the most of each pixel. */
static void put_levels(const struct picture *p, const struct ets_plan_arena *arena, int bottom)
{
    const uint32_t steps = p->lines->plan->step_count;
    const uint32_t pixels = steps < RIGHT - LEFT ? steps : RIGHT - LEFT;
    ets_output_print(p->output, "<path class=\"level\" d=\"M%d %d", LEFT, bottom);
    for (uint32_t i = 0; i < pixels; i++) {
        uint64_t most = 0;
        const uint32_t end = (uint32_t)((uint64_t)(i + 1) * steps / pixels);
        for (uint32_t s = (uint32_t)((uint64_t)i * steps / pixels); s < end; s++) {
            if (arena->live[s] > most) most = arena->live[s];
        }
        ets_output_print(p->output, "V%.2fH%.2f", byte_place(arena, bottom, LEVEL, most),
                         step_place(p, end));
    }
    ets_output_print(p->output, "V%dZ\"/>\n", bottom);
}

static void put_peak(const struct picture *p, const struct ets_plan_arena *arena, int top,
                     int bottom)
{
    char text[32];
    struct ets_text_builder size = {text, sizeof text, 0};
    if (arena->peak_step == ETS_PLAN_NONE) return;
    const double left = step_place(p, arena->peak_step);
    const double width = step_place(p, arena->peak_step + 1.0) - left;
    const bool is_right = left > (LEFT + RIGHT) / 2;
    ets_add_text(&size, "%s", ets_plan_at_most(p->lines->plan));
    ets_add_bytes(&size, arena->peak_bytes);
    ets_output_print(p->output,
                     "<rect class=\"mark\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"/>\n",
                     left, top, width < 1 ? 1 : width, bottom - top);
    ets_output_print(p->output,
                     "<text class=\"small\" x=\"%.2f\" y=\"%d\" text-anchor=\"%s\">peak %s at "
                     "instruction %" PRIu32 "</text>\n",
                     is_right ? left + width : left, bottom + STEPS + 12,
                     is_right ? "end" : "start", text, arena->peak_step);
}

static void put_arena(const struct picture *p, uint32_t number, int top)
{
    const struct ets_plan_arena *arena = &p->lines->plan->arenas[number];
    const int middle = top + PANEL, bottom = middle + STEPS + BETWEEN + LEVEL;
    ets_output_print(p->output,
                     "<text class=\"small\" x=\"%d\" y=\"%d\">memory %" PRIu32
                     ": offsets over instructions 0 to %" PRIu32 "</text>\n",
                     LEFT, top - 6, arena->planned.memory_id, p->lines->plan->step_count - 1);
    put_scale(p, arena, middle, PANEL, 4);
    put_boxes(p, number, arena, middle);
    put_steps(p, middle);
    ets_output_print(p->output, "<text class=\"small\" x=\"%d\" y=\"%d\">bytes in use</text>\n",
                     LEFT, middle + STEPS + BETWEEN - 8);
    put_scale(p, arena, bottom, LEVEL, 1);
    put_levels(p, arena, bottom);
    put_steps(p, bottom);
    put_peak(p, arena, top, bottom);
}

static void put_legend(const struct picture *p, int top)
{
    const uint32_t shown = p->module_count <= COLOURS ? p->module_count : COLOURS + 1;
    for (uint32_t i = 0; i < shown; i++) {
        const int x = LEFT + (int)(i % 3) * 290, y = top + (int)(i / 3) * LEGEND_LINE;
        struct ets_text name = p->modules[i].name;
        if (i == COLOURS) name = (struct ets_text){"other modules", 13};
        if (name.size == 0) name = (struct ets_text){"(model)", 7};
        if (name.size > 42) name = (struct ets_text){name.data + name.size - 42, 42};
        ets_output_print(p->output,
                         "<rect class=\"m%" PRIu32
                         "\" x=\"%d\" y=\"%d\" width=\"12\" height=\"10\"/>"
                         "<text class=\"small\" x=\"%d\" y=\"%d\">",
                         i, x, y, x + 18, y + 9);
        ets_xml_put_text(p->output, name);
        ets_output_print(p->output, "</text>\n");
    }
}

static bool is_drawn(const struct ets_plan_arena *arena)
{
    return arena->live != NULL && arena->planned.bytes > 0;
}

static void draw(const struct picture *p)
{
    static const char light[] =
        ".tick{stroke:currentColor;opacity:.5}"
        ".name{font-size:10px;fill:#111;pointer-events:none}rect{stroke:#fff;stroke-width:.5}"
        ".peak{stroke:#d1242f;stroke-width:1.5}.mark{fill:#d1242f;opacity:.12;stroke:none;"
        "pointer-events:none}.level{fill:#9db8d9}.m0{fill:#7fb0e6}.m1{fill:#f2b56b}.m2{fill:#"
        "8ccf9b}"
        ".m3{fill:#e58f8f}.m4{fill:#c39be6}.m5{fill:#9bd3d6}.m6{fill:#e8d36f}.m7{fill:#e5a3cf}"
        ".m8{fill:#b8c26b}.m9{fill:#c9a58a}.m10{fill:#c4c9d0}";
    static const char dark[] =
        "rect{stroke:#16191d}.peak{stroke:#ff6b6b}.mark{fill:#ff6b6b}.level{fill:#3b5878}"
        "rect[class^=m]{filter:brightness(.85)}";
    char text[1024];
    const struct ets_memory_plan *plan = p->lines->plan;
    const int arena_height = PANEL + STEPS + BETWEEN + LEVEL + STEPS + BETWEEN + 10;
    int arenas = 0, top = TOP + 12;
    for (uint32_t a = 0; a < plan->arena_count; a++) arenas += is_drawn(&plan->arenas[a]);
    const int rows = (int)((p->module_count < COLOURS ? p->module_count : COLOURS) / 3) + 1;
    ets_svg_begin(p->output, WIDTH, top + arenas * arena_height + rows * LEGEND_LINE + 4,
                  "Planned memory", light, dark);
    const size_t size = ets_memory_headline(p->lines, text, sizeof text);
    ets_svg_put_headline(p->output, (struct ets_text){text, size});
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        if (!is_drawn(&plan->arenas[a])) continue;
        put_arena(p, a, top);
        top += arena_height;
    }
    put_legend(p, top - 8);
    ets_svg_end(p->output);
}

enum ets_status ets_memory_picture_write(const struct ets_memory_lines *lines,
                                         const struct ets_allocator *allocator,
                                         struct ets_output *output, struct ets_error *error)
{
    struct ets_arena arena;
    struct picture p = {.output = output, .lines = lines};
    ets_arena_init(&arena, allocator, 0);
    const bool ok = colour_modules(&p, &arena);
    if (ok) draw(&p);
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the picture of a memory plan");
}
