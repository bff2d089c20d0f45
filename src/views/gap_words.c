/* Names the operators that an error can come from. */
#include "views/gap_words.h"

#include "inspect/names.h"
#include "views/gap_lines.h"

enum { MOST_NAMES = 8, MOST_PLACES = 3 };

static void say_frame(struct ets_gap_words *words, const struct ets_graph_node *node)
{
    const struct ets_graph_frame *frame = ets_graph_user_frame(node);
    if (frame == NULL) return;
    say(words, " (");
    say_text(words, frame->file);
    say(words, ":%u)", frame->line);
}

void ets_gap_say_node(struct ets_gap_words *words, const struct ets_graph_node *node)
{
    say_text(words, node->name);
    say_frame(words, node);
}

void ets_gap_say_name(struct ets_gap_words *words, const struct ets_gap_report *report,
                      uint32_t row)
{
    struct ets_arena arena;
    struct ets_gap_nodes nodes;
    ets_arena_init(&arena, NULL, 0);
    if (ets_gap_nodes_find(&arena, report, row, &nodes, NULL) == ETS_OK) {
        say_text(words, nodes.named->name);
    }
    ets_arena_reset(&arena);
}

void ets_gap_say_row(struct ets_gap_words *words, const struct ets_gap_report *report, uint32_t row)
{
    struct ets_arena arena;
    struct ets_gap_line line;
    ets_arena_init(&arena, NULL, 0);
    if (ets_gap_line_make(&line, &arena, NULL, report, row, NULL) == ETS_OK) {
        say_text(words, line.nodes.named->name);
        say_frame(words, line.placed);
    }
    ets_arena_reset(&arena);
}

/* The operators among the nodes of a row; all of its nodes if there is none. Moves them to the
 * front and returns their number. */
static uint32_t keep_operators(struct ets_gap_nodes *nodes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct ets_graph_node *node = nodes->items[i];
        if (!ets_gap_computes(node)) continue;
        nodes->items[i] = nodes->items[count];
        nodes->items[count++] = node;
    }
    return count > 0 ? count : nodes->count;
}

uint32_t ets_gap_suspect_count(const struct ets_gap_report *report, uint32_t row)
{
    struct ets_arena arena;
    struct ets_gap_nodes nodes;
    uint32_t count = 1;
    ets_arena_init(&arena, NULL, 0);
    if (ets_gap_nodes_find(&arena, report, row, &nodes, NULL) == ETS_OK) {
        count = keep_operators(&nodes);
    }
    ets_arena_reset(&arena);
    return count;
}

bool ets_gap_covers(const struct ets_gap_report *report, uint32_t row,
                    const struct ets_graph_node *node)
{
    struct ets_arena arena;
    struct ets_gap_nodes nodes;
    bool covers = false;
    ets_arena_init(&arena, NULL, 0);
    if (ets_gap_nodes_find(&arena, report, row, &nodes, NULL) == ETS_OK) {
        for (uint32_t i = 0; i < nodes.count; i++) covers |= nodes.items[i] == node;
    }
    ets_arena_reset(&arena);
    return covers;
}

/* The number of a delegate call among those of its run. */
static uint32_t partition_of(const struct ets_gap_report *report, const struct ets_gap_value *value)
{
    uint32_t number = 0;
    int64_t last = -1;
    for (uint32_t i = 0; i < ets_gap_value_count(report); i++) {
        const struct ets_gap_value *other = ets_gap_value(report, i);
        const int64_t instruction = other->captured.instruction;
        if (other->backend == NULL || other->captured.chain != value->captured.chain) continue;
        if (instruction >= value->captured.instruction || instruction == last) continue;
        last = instruction;
        number++;
    }
    return number;
}

/* "; models/net.py:9", "; modules c1, c2 and 4 more": each once. */
struct places {
    struct ets_text seen[64];
    uint32_t lines[64], count;
};

static bool add_place(struct places *places, struct ets_text text, uint32_t line)
{
    for (uint32_t i = 0; i < places->count; i++) {
        if (ets_text_equal(places->seen[i], text) && places->lines[i] == line) return false;
    }
    if (places->count == 64 || text.size == 0) return false;
    places->seen[places->count] = text;
    places->lines[places->count++] = line;
    return true;
}

static void say_places(struct ets_gap_words *words, const struct places *places, const char *what)
{
    if (places->count == 0) return;
    say(words, "; %s%s", what, what[0] == '\0' ? "" : places->count == 1 ? " " : "s ");
    for (uint32_t i = 0; i < places->count && i < MOST_PLACES; i++) {
        if (i > 0) say(words, ", ");
        say_text(words, places->seen[i]);
        if (places->lines[i] > 0) say(words, ":%u", places->lines[i]);
    }
    if (places->count > MOST_PLACES) say(words, " and %u more", places->count - MOST_PLACES);
}

static void say_all(struct ets_gap_words *words, const struct ets_gap_nodes *nodes, uint32_t count)
{
    struct places lines = {.count = 0}, modules = {.count = 0};
    say(words, " (");
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_graph_node *node = nodes->items[i];
        const struct ets_graph_frame *frame = ets_graph_user_frame(node);
        if (i < MOST_NAMES) {
            if (i > 0) say(words, ", ");
            say_text(words, node->name);
        }
        if (frame != NULL) add_place(&lines, frame->file, frame->line);
        add_place(&modules, ets_graph_module_path(node), 0);
    }
    if (count > MOST_NAMES) say(words, " and %u more", count - MOST_NAMES);
    say_places(words, &lines, "");
    say_places(words, &modules, "module");
    say(words, ")");
}

void ets_gap_say_culprit(struct ets_gap_words *words, const struct ets_gap_report *report,
                         uint32_t row)
{
    const struct ets_gap_value *value = ets_gap_row(report, row)->value;
    struct ets_arena arena;
    struct ets_gap_nodes nodes = {.count = 0};
    uint32_t count = 1;
    ets_arena_init(&arena, NULL, 0);
    if (ets_gap_nodes_find(&arena, report, row, &nodes, NULL) == ETS_OK) {
        count = keep_operators(&nodes);
    }
    if (count <= 1) {
        if (value->backend != NULL && !value->is_computed) say(words, "%s's ", value->backend);
        ets_gap_say_row(words, report, row);
    } else {
        say(words, "one of the %u operators ", count);
        if (value->backend != NULL && !value->is_computed) {
            say(words, "of partition %u of %s", partition_of(report, value), value->backend);
        } else {
            say(words, nodes.named == value->node ? "that end at " : "of the row ");
            say_text(words, nodes.named->name);
        }
        say_all(words, &nodes, count);
    }
    ets_arena_reset(&arena);
}
