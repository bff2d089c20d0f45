/* Words the cause of a difference, as far as its structure tells. */
#include "views/difference_cause.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "inspect/time_details.h"
#include "operators/operator_traits.h"
#include "views/difference_order.h"
#include "views/operator_lines.h"
#include "views/sentence_numbers.h"

/* Names beyond this are counted, but none of them is the most frequent. */
enum { MOST_NAMES = 64, MOST_LISTED = 3 };

#define say(text, ...) ets_add_plain_text(text, __VA_ARGS__)

/* Kernels of one name that changed sides. */
struct moved {
    struct ets_text name;
    const struct ets_row *row; /* the first of them */
    uint32_t count;
};

/* What went between delegates and kernels in one direction. */
struct move {
    struct moved names[MOST_NAMES];
    uint32_t name_count, kernels;
};

struct survey {
    struct move out, in;     /* of delegates */
    struct move added;       /* kernels that are none of the operators before */
    struct move casts, gone; /* conversions of types that are new, and those that are gone */
    const char *backend;     /* NULL: none moved anything */
    int32_t more_calls;      /* delegate calls after - before */
    uint32_t kernels[2];     /* of the whole block */
};

static const struct ets_row *row_at(const struct ets_difference_side *side, uint32_t index)
{
    return side->block->operators[side->operators[index]].row;
}

static bool is_kernel(const struct ets_row *row)
{
    return row != NULL && strcmp(ets_row_backend(row), "portable") == 0;
}

static bool is_call(const struct ets_row *row)
{
    return row != NULL && ets_text_is(row->name, "DELEGATE_CALL");
}

static uint32_t count_kernels(const struct ets_difference_side *side)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->operator_count; i++) count += is_kernel(row_at(side, i));
    return count;
}

static uint32_t count_name(const struct ets_difference_side *side, struct ets_text name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_pool_operator *op = &side->block->operators[side->operators[i]];
        count += is_kernel(op->row) && ets_text_equal(op->name, name);
    }
    return count;
}

static struct moved *find_name(struct move *move, struct ets_text name)
{
    for (uint32_t i = 0; i < move->name_count; i++) {
        if (ets_text_equal(move->names[i].name, name)) return &move->names[i];
    }
    if (move->name_count == MOST_NAMES) return NULL;
    struct moved *added = &move->names[move->name_count++];
    *added = (struct moved){.name = name};
    return added;
}

static void add_kernel(struct move *move, const struct ets_pool_operator *op)
{
    struct moved *moved = find_name(move, op->name);
    move->kernels++;
    if (moved != NULL && moved->count++ == 0) moved->row = op->row;
}

/* Adds the kernels that `to` has and `from` has not; conversions of types, which no delegate did,
 * to `casts`. */
static void add_moved(struct move *move, struct move *casts, const struct ets_difference_side *to,
                      const struct ets_difference_side *from)
{
    for (uint32_t i = 0; i < to->operator_count; i++) {
        const struct ets_pool_operator *op = &to->block->operators[to->operators[i]];
        uint32_t earlier = 0;
        if (!is_kernel(op->row)) continue;
        for (uint32_t k = 0; k < i; k++) {
            const struct ets_pool_operator *other = &to->block->operators[to->operators[k]];
            earlier += is_kernel(other->row) && ets_text_equal(other->name, op->name);
        }
        if (earlier < count_name(from, op->name)) continue; /* it was a kernel */
        add_kernel(ets_operator_is(op->name, ETS_OPERATOR_CAST) ? casts : move, op);
    }
}

static void add_gone(struct survey *survey, const struct ets_difference_side *side)
{
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_pool_operator *op = &side->block->operators[side->operators[i]];
        if (is_kernel(op->row) && ets_operator_is(op->name, ETS_OPERATOR_CAST))
            add_kernel(&survey->gone, op);
    }
}

static void add_new(struct survey *survey, const struct ets_difference_side *side)
{
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_pool_operator *op = &side->block->operators[side->operators[i]];
        if (!is_kernel(op->row)) continue;
        add_kernel(ets_operator_is(op->name, ETS_OPERATOR_CAST) ? &survey->casts : &survey->added,
                   op);
    }
}

static void find_backend(struct survey *survey, const struct ets_difference_side *side)
{
    for (uint32_t i = 0; i < side->operator_count && survey->backend == NULL; i++) {
        if (is_call(row_at(side, i))) survey->backend = ets_row_backend(row_at(side, i));
    }
}

static void survey_block(const struct ets_difference *difference,
                         const struct ets_difference_block *block, struct survey *survey)
{
    const struct ets_pool_block *sides[] = {block->before, block->after};
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->operator_count; i++) {
            const struct ets_pool_operator *op = &sides[s]->operators[i];
            if (op->role != ETS_POOL_WORK) continue;
            survey->kernels[s] += is_kernel(op->row);
            survey->more_calls += is_call(op->row) ? (s == 0 ? -1 : 1) : 0;
        }
    }
    for (uint32_t i = 0; i < block->line_count; i++) {
        const struct ets_difference_line *line =
            ets_difference_line(difference, block->first_line + i);
        if (line->role != ETS_POOL_WORK) continue;
        if (line->change == ETS_CHANGE_ADDED) add_new(survey, &line->after);
        if (line->change == ETS_CHANGE_REMOVED) add_gone(survey, &line->before);
        const bool is_moved = line->change == ETS_CHANGE_DELEGATED ||
                              line->change == ETS_CHANGE_UNDELEGATED ||
                              line->change == ETS_CHANGE_REPARTITIONED;
        if (!is_moved) continue;
        const bool is_out = count_kernels(&line->after) > count_kernels(&line->before);
        if (is_out) add_moved(&survey->out, &survey->casts, &line->after, &line->before);
        else add_moved(&survey->in, &survey->in, &line->before, &line->after);
        find_backend(survey, &line->after);
        find_backend(survey, &line->before);
    }
}

/* "add.out at net.py:15" */
static bool say_operator(struct ets_arena *arena, struct ets_text_builder *text,
                         struct ets_text name, const struct ets_row *row)
{
    struct ets_text_list sources, modules;
    say(text, "%.*s", ETS_TEXT(name));
    if (row == NULL) return true;
    if (!ets_operator_row_places(arena, row, &sources, &modules)) return false;
    if (sources.count == 0) return true;
    const struct ets_text place = ets_text_without_folder(sources.items[0]);
    say(text, " at %.*s", ETS_TEXT(place));
    return true;
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static const struct moved *most_frequent(const struct move *move)
{
    const struct moved *most = &move->names[0];
    for (uint32_t i = 1; i < move->name_count; i++) {
        if (move->names[i].count > most->count) most = &move->names[i];
    }
    return most;
}

/* ", 4 more delegate calls" */
static void say_calls(struct ets_text_builder *text, int32_t more)
{
    const uint32_t calls = more < 0 ? (uint32_t)-more : (uint32_t)more;
    if (more == 0) return;
    say(text, ", %u %s delegate call%s", calls, more > 0 ? "more" : "fewer", plural(calls));
}

/* "upsample_nearest2d.vec_out at net.py:27 is new outside of XnnpackBackend, 1 more delegate call"
 */
static bool say_added(struct ets_arena *arena, struct ets_text_builder *text,
                      const struct survey *survey)
{
    const struct move *added = &survey->added;
    const struct moved *most = most_frequent(added);
    if (added->kernels > 1) say(text, "%u kernels (mostly ", added->kernels);
    if (!say_operator(arena, text, most->name, most->row)) return false;
    say(text, "%s new outside of %s", added->kernels > 1 ? ") are" : " is", survey->backend);
    say_calls(text, survey->more_calls);
    return true;
}

static bool say_out(struct ets_arena *arena, struct ets_text_builder *text,
                    const struct survey *survey)
{
    const struct move *out = &survey->out;
    const struct moved *most = most_frequent(out);
    if (out->name_count <= MOST_LISTED) {
        for (uint32_t i = 1; i < out->name_count; i++) {
            say(text, "%.*s%s", ETS_TEXT(out->names[i - 1].name),
                i + 1 == out->name_count ? " and " : ", ");
        }
        most = &out->names[out->name_count - 1];
        if (!say_operator(arena, text, most->name, most->row)) return false;
        say(text, " left %s: %u kernel%s", survey->backend, out->kernels, plural(out->kernels));
    } else {
        say(text, "%u kernels left %s (mostly ", out->kernels, survey->backend);
        if (!say_operator(arena, text, most->name, most->row)) return false;
        say(text, ")");
    }
    say_calls(text, survey->more_calls);
    return true;
}

/* "2 new conversions of types at net.py:16", "without 2 conversions of types at net.py:16" */
static bool say_casts(struct ets_arena *arena, struct ets_text_builder *text,
                      const char **separator, const struct move *casts, bool is_gone)
{
    static const char *const names[] = {"conversion of types", "conversions of types"};
    if (casts->kernels == 0) return true;
    say(text, is_gone ? "%swithout %u " : "%s%u new ", *separator, casts->kernels);
    *separator = "; ";
    return say_operator(arena, text, ets_text_of(names[casts->kernels > 1]), casts->names[0].row);
}

static bool is_found(const struct ets_difference_line *line)
{
    return line->verdict == ETS_VERDICT_SLOWER || line->verdict == ETS_VERDICT_FASTER ||
           line->verdict == ETS_VERDICT_DIFFERS || line->verdict == ETS_VERDICT_NONE;
}

/* The operator that makes at least half of the change, if the test says that it changed. */
static bool say_most(struct ets_arena *arena, struct ets_text_builder *text, const char *separator,
                     const struct ets_difference *difference,
                     const struct ets_difference_block *block, double tick_ns, double scale)
{
    const struct ets_difference_line *total = ets_difference_line(difference, block->total);
    const struct ets_difference_line *most = NULL;
    if (!is_found(total)) return true;
    for (uint32_t i = 0; i < block->line_count; i++) {
        const struct ets_difference_line *line =
            ets_difference_line(difference, block->first_line + i);
        if (line->role != ETS_POOL_WORK || line->has_own_clock || !is_found(line)) continue;
        const double part = line->change_of_median / total->change_of_median;
        if (!(part >= 0.5 && part <= 1.5)) continue; /* more: others change against it */
        if (most == NULL || fabs(line->change_of_median) > fabs(most->change_of_median)) {
            most = line;
        }
    }
    if (most == NULL) return true;
    const struct ets_pool_operator *op = ets_difference_operator(most);
    const double size = fabs(most->change_of_median);
    say(text, "%smostly %s", separator,
        most->change == ETS_CHANGE_ADDED     ? "the new "
        : most->change == ETS_CHANGE_REMOVED ? "without "
                                             : "");
    if (!say_operator(arena, text, op->name, op->row)) return false;
    say(text, " (%s", most->change_of_median < 0 ? "-" : "+");
    ets_add_time_in(text, (struct ets_span){size, size}, tick_ns, scale);
    say(text, ")");
    return true;
}

bool ets_difference_add_cause(struct ets_arena *arena, struct ets_text_builder *text,
                              const char *separator, const struct ets_difference *difference,
                              const struct ets_difference_block *block, double tick_ns,
                              double scale)
{
    struct survey *survey = ets_arena_alloc(arena, sizeof *survey);
    if (survey == NULL) return false;
    survey_block(difference, block, survey);
    if (survey->backend != NULL && (!say_casts(arena, text, &separator, &survey->casts, false) ||
                                    !say_casts(arena, text, &separator, &survey->gone, true))) {
        return false;
    }
    if (survey->backend != NULL && survey->out.kernels > 0) {
        say(text, "%s", separator);
        if (!say_out(arena, text, survey)) return false;
        separator = "; ";
    }
    const bool splits = survey->more_calls > 0 && survey->out.kernels == 0;
    if (survey->backend != NULL && splits && survey->added.kernels > 0) {
        say(text, "%s", separator);
        if (!say_added(arena, text, survey)) return false;
        separator = "; ";
    }
    if (survey->backend != NULL && survey->in.kernels > 0) {
        say(text, "%s%s took %u of %u kernels", separator, survey->backend, survey->in.kernels,
            survey->kernels[0]);
    }
    if (survey->out.kernels > 0 || survey->in.kernels > 0) return true;
    return say_most(arena, text, separator, difference, block, tick_ns, scale);
}
