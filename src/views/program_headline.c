/* What differs between two programs in a sentence: the most telling things first. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "format/program_lists.h"
#include "host/text_builder.h"
#include "views/program_changes.h"

/* More clauses would be no headline. */
enum { MOST_CLAUSES = 2 };

struct sentence {
    struct ets_text_builder builder;
    const struct ets_program_changes *view;
    int clauses;
};

#define say(sentence, ...) ets_add_plain_text(&(sentence)->builder, __VA_ARGS__)

static bool begin_clause(struct sentence *s)
{
    if (s->clauses == MOST_CLAUSES) return false;
    say(s, "%s", s->clauses == 0 ? ": " : "; ");
    s->clauses++;
    return true;
}

/* Lines of a part, and of a kind or with one of these fields. */
static bool is_of(const struct ets_program_change_line *line, enum ets_program_part part,
                  enum ets_program_change_kind kind, uint64_t fields)
{
    const struct ets_program_change *change = line->change;
    return change->part == part && change->kind == kind &&
           (fields == 0 || (change->fields & fields) != 0);
}

static const struct ets_program_change_line *find(const struct sentence *s,
                                                  enum ets_program_part part,
                                                  enum ets_program_change_kind kind,
                                                  uint64_t fields, uint32_t *count_out,
                                                  const struct ets_program_change_line **last_out)
{
    const struct ets_program_change_line *first = NULL, *last = NULL;
    *count_out = 0;
    for (uint32_t i = 0; i < s->view->line_count; i++) {
        if (!is_of(&s->view->lines[i], part, kind, fields)) continue;
        if ((*count_out)++ == 0) first = &s->view->lines[i];
        last = &s->view->lines[i];
    }
    if (last_out != NULL) *last_out = last;
    return first;
}

/* "linear at model.py:20" */
static void say_operator(struct sentence *s, const struct ets_program_change_line *line, int side)
{
    struct ets_instruction instruction;
    ets_program_change_instruction(line, side, &instruction);
    const struct ets_graph_frame *frame =
        line->node == NULL ? NULL : ets_graph_user_frame(line->node);
    const struct ets_text op =
        ets_short_operator(line->node != NULL ? line->node->op : instruction.name);
    say(s, "%.*s", ETS_TEXT(op));
    if (frame == NULL) return;
    const struct ets_text file = ets_text_without_folder(frame->file);
    say(s, " at %.*s:%u", ETS_TEXT(file), frame->line);
}

/* How many operators the lines of a kind are of: kernels of one follow each other. */
static uint32_t count_operators(const struct sentence *s, enum ets_program_change_kind kind)
{
    const struct ets_graph_node *last = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->view->line_count; i++) {
        const struct ets_program_change_line *line = &s->view->lines[i];
        if (!is_of(line, ETS_PART_INSTRUCTION, kind, 0)) continue;
        count += line->node == NULL || line->node != last;
        last = line->node;
    }
    return count;
}

/* "XnnpackBackend took linear at model.py:20" */
static void say_delegation(struct sentence *s, enum ets_program_change_kind kind)
{
    uint32_t lines;
    struct ets_instruction call;
    const struct ets_program_change_line *last;
    const int delegate = kind == ETS_THING_DELEGATED ? 1 : 0;
    const struct ets_program_change_line *line =
        find(s, ETS_PART_INSTRUCTION, kind, 0, &lines, &last);
    if (line == NULL || !begin_clause(s)) return;
    const uint32_t count = count_operators(s, kind);
    ets_program_change_instruction(line, delegate, &call);
    say(s, "%.*s %s ", ETS_TEXT(call.name), delegate == 1 ? "took" : "gave back");
    if (count > 1) say(s, "%u operators", count);
    if (count > 1 && lines != count) say(s, " (%u instructions)", lines);
    if (count > 1) say(s, ", from ");
    say_operator(s, line, 1 - delegate);
    if (count == 1) return;
    say(s, " to ");
    say_operator(s, last, 1 - delegate);
}

static void say_methods(struct sentence *s)
{
    static const struct {
        enum ets_program_change_kind kind;
        const char *words;
    } kinds[] = {{ETS_THING_ADDED, "is new"}, {ETS_THING_REMOVED, "is gone"}};
    for (int i = 0; i < 2; i++) {
        uint32_t count;
        const struct ets_program_change_line *line =
            find(s, ETS_PART_METHOD, kinds[i].kind, 0, &count, NULL);
        if (line == NULL || !begin_clause(s)) continue;
        const struct ets_method *method = &line->methods[kinds[i].kind == ETS_THING_ADDED];
        say(s, "method %.*s %s", ETS_TEXT(method->name), kinds[i].words);
        if (count > 1) say(s, ", and %u other%s", count - 1, count == 2 ? "" : "s");
    }
}

/* "2 calls of aten::add are new" */
static void say_call_counts(struct sentence *s, struct ets_text name, const uint32_t counts[2])
{
    const uint32_t shown = counts[1] > 0 ? counts[1] : counts[0];
    say(s, "%u call%s of %.*s", shown, shown == 1 ? "" : "s", ETS_TEXT(name));
    if (counts[0] > 0 && counts[1] > 0) say(s, " instead of %u", counts[0]);
    else say(s, " %s %s", shown == 1 ? "is" : "are", counts[1] > 0 ? "new" : "gone");
}

/* ", and 3 other kernels", which are new, gone or called otherwise as the one that was told. */
static void say_other_calls(struct sentence *s, enum ets_program_part part, uint32_t others,
                            bool is_alike)
{
    const char *what = part == ETS_PART_OPERATOR ? "kernel" : "backend";
    if (others == 0) return;
    if (is_alike) say(s, ", and %u other %s%s", others, what, others == 1 ? "" : "s");
    else say(s, ", and the calls of %u other %s%s changed", others, what, others == 1 ? "" : "s");
}

/* The kernel or backend whose number of calls changed most. */
static void say_calls(struct sentence *s, enum ets_program_part part)
{
    const struct ets_program_change_line *most = NULL;
    uint32_t largest = 0, count = 0, alike = 0;
    for (uint32_t i = 0; i < s->view->line_count; i++) {
        const struct ets_program_change_line *line = &s->view->lines[i];
        const uint32_t *calls = line->change->counts;
        if (line->change->part != part) continue;
        const uint32_t change = calls[0] > calls[1] ? calls[0] - calls[1] : calls[1] - calls[0];
        if (++count > 1 && change <= largest) continue;
        largest = change;
        most = line;
    }
    if (most == NULL || !begin_clause(s)) return;
    const int side = most->change->index[1] != ETS_THING_NONE;
    struct ets_text name;
    if (part == ETS_PART_OPERATOR) {
        struct ets_operator op;
        ets_method_operator(&most->methods[side], most->change->index[side], &op);
        name = op.name;
    } else {
        struct ets_delegate delegate;
        ets_method_delegate(&most->methods[side], most->change->index[side], &delegate);
        name = delegate.id;
    }
    say_call_counts(s, name, most->change->counts);
    find(s, part, most->change->kind, 0, &alike, NULL);
    say_other_calls(s, part, count - 1, alike == count);
}

static void say_constants(struct sentence *s)
{
    uint32_t count;
    double largest = 0;
    const struct ets_program_change_line *line =
        find(s, ETS_PART_CONSTANT, ETS_THING_CHANGED, ets_field_bit(ETS_FIELD_DATA), &count, NULL);
    if (line == NULL || !begin_clause(s)) return;
    for (uint32_t i = 0; i < s->view->line_count; i++) {
        const struct ets_program_change_line *other = &s->view->lines[i];
        if (other->change->part == ETS_PART_CONSTANT && other->has_numbers) {
            largest = fmax(largest, other->numbers.max_error);
        }
    }
    say(s, "%u constant%s other values", count, count == 1 ? " has" : "s have");
    if (largest > 0) say(s, ", by up to %.3g", largest);
}

/* Whether a value only lies elsewhere in its arena. */
static bool only_moved(const struct ets_program_change *change)
{
    return change->kind == ETS_THING_CHANGED && change->fields == ets_field_bit(ETS_FIELD_OFFSET);
}

/* Things by their number: "2 inputs differ". */
static void say_count(struct sentence *s, enum ets_program_part part, const char *one,
                      const char *several)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->view->line_count; i++) {
        const struct ets_program_change *change = s->view->lines[i].change;
        const bool only_holder = change->holder != NULL && change->fields == 0;
        count += change->part == part && !only_moved(change) && !only_holder;
    }
    if (count == 0 || !begin_clause(s)) return;
    if (count == 1) say(s, "1 %s differs", one);
    else say(s, "%u %s differ", count, several);
}

/* Told where nothing else is. */
static void say_moved(struct sentence *s)
{
    uint32_t count = 0;
    if (s->clauses > 0) return;
    for (uint32_t i = 0; i < s->view->line_count; i++) {
        count += only_moved(s->view->lines[i].change);
    }
    if (count == 0 || !begin_clause(s)) return;
    say(s, "%u tensor%s elsewhere in planned memory", count, count == 1 ? " lies" : "s lie");
}

static void say_arenas(struct sentence *s)
{
    uint64_t bytes[2] = {0, 0};
    for (uint32_t i = 0; i < s->view->line_count; i++) {
        const struct ets_program_change *change = s->view->lines[i].change;
        if (change->part != ETS_PART_ARENA) continue;
        for (int k = 0; k < 2; k++) bytes[k] += change->bytes[k];
    }
    if (bytes[0] == bytes[1] || !begin_clause(s)) return;
    const bool is_more = bytes[1] > bytes[0];
    ets_add_bytes(&s->builder, is_more ? bytes[1] - bytes[0] : bytes[0] - bytes[1]);
    say(s, " %s planned memory", is_more ? "more" : "less");
}

static void say_size(struct sentence *s)
{
    const uint64_t before = s->view->difference->sides[0].program->bytes.size;
    const uint64_t after = s->view->difference->sides[1].program->bytes.size;
    if (before == after) {
        say(s, "; the files have the same size");
        return;
    }
    say(s, "; the file is ");
    ets_add_bytes(&s->builder, after > before ? after - before : before - after);
    say(s, " %s", after > before ? "larger" : "smaller");
}

static void say_clauses(struct sentence *s)
{
    say_methods(s);
    say_delegation(s, ETS_THING_DELEGATED);
    say_delegation(s, ETS_THING_UNDELEGATED);
    const bool is_told = s->clauses > 0;
    if (!is_told) say_calls(s, ETS_PART_BACKEND);
    if (!is_told) say_calls(s, ETS_PART_OPERATOR);
    say_constants(s);
    say_arenas(s);
    say_count(s, ETS_PART_INPUT, "input", "inputs");
    say_count(s, ETS_PART_OUTPUT, "output", "outputs");
    say_count(s, ETS_PART_NODE, "node of a payload", "nodes of payloads");
    say_count(s, ETS_PART_DELEGATE, "delegate", "delegates");
    say_count(s, ETS_PART_INSTRUCTION, "instruction", "instructions");
    say_count(s, ETS_PART_VALUE, "argument", "arguments");
    say_count(s, ETS_PART_STATE, "start value", "start values");
    say_count(s, ETS_PART_CONSTANT, "constant", "constants");
    say_count(s, ETS_PART_TENSOR, "tensor", "tensors");
    say_count(s, ETS_PART_NAMED_DATA, "entry of named data", "entries of named data");
    say_count(s, ETS_PART_METHOD, "method's interface", "methods' interfaces");
    say_count(s, ETS_PART_PROGRAM, "schema version", "schema versions");
    say_moved(s);
}

/* "; 1 of 3 test cases differs" */
static void say_cases(struct sentence *s)
{
    const struct ets_program_difference *difference = s->view->difference;
    const uint32_t count = difference->case_count, differing = difference->differing_case_count;
    if (count == 0) return;
    if (differing == 0) {
        say(s, count == 1 ? "; the test case is equal" : "; all %u test cases are equal", count);
    } else {
        say(s, "; %u of %u test case%s differ%s", differing, count, count == 1 ? "" : "s",
            differing == 1 ? "s" : "");
    }
}

static void say_programs(struct sentence *s)
{
    const struct ets_program_changes *view = s->view;
    const struct ets_program_difference *difference = view->difference;
    if (difference->is_byte_equal) {
        say(s, "the programs are equal, byte by byte");
        return;
    }
    if (difference->change_count == difference->case_change_count) {
        say(s,
            "the programs are equal in content; the files differ only in "
            "numbering, order or padding");
        return;
    }
    say(s, "%u of %u method%s differ%s", view->differing_methods, difference->method_count,
        difference->method_count == 1 ? "" : "s", view->differing_methods == 1 ? "s" : "");
    say_clauses(s);
    say_size(s);
}

void ets_program_changes_say(struct ets_program_changes *view)
{
    struct sentence s = {.builder = {view->headline, sizeof view->headline, 0}, .view = view};
    say_programs(&s);
    say_cases(&s);
}
