/* Plans a method's memory in other ways and says what each would take. */
#include "views/memory_alternatives.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "host/text_builder.h"
#include "memory/memory_replan.h"

#define say(builder, ...) ets_add_plain_text((builder), __VA_ARGS__)

/* What a cache line, a DMA engine or a scalar kernel may want, and the tensors left out in turn. */
static const uint32_t alignments[] = {4, 32, 64};
enum { ALIGNMENTS = sizeof alignments / sizeof *alignments, MOST_WITHOUT = 5, MOST_FIXED = 5 };
/* Tensors that are left out with each of these, and pairs that are shown. */
enum { MOST_SECOND = 2, MOST_PAIRS = 3 };

struct collector {
    struct ets_arena *arena;
    struct ets_memory_alternatives *found;
    struct ets_error *error;
};

static void add(struct ets_memory_alternatives *found, enum ets_alternative_kind kind,
                const struct ets_replan_options *options, uint64_t bytes)
{
    const uint32_t alignment = options->alignment == 0 ? ETS_REPLAN_ALIGNMENT : options->alignment;
    found->items[found->count++] = (struct ets_memory_alternative){
        kind, alignment, options->without_count > 0 ? options->without[0] : ETS_PLAN_NONE,
        options->without_count > 1 ? options->without[1] : ETS_PLAN_NONE, bytes};
}

/* What the file tells of its own plan, whose alignment is the plan's. */
static void add_own(struct ets_memory_alternatives *found, enum ets_alternative_kind kind,
                    uint64_t bytes)
{
    found->items[found->count++] = (struct ets_memory_alternative){
        kind, found->plan->alignment, ETS_PLAN_NONE, ETS_PLAN_NONE, bytes};
}

static enum ets_status plan_anew(const struct collector *c,
                                 const struct ets_replan_options *options, uint64_t *bytes_out)
{
    struct ets_arena scratch;
    struct ets_replan replan;
    struct ets_replan_fault fault;
    struct ets_memory_alternatives *found = c->found;
    *bytes_out = 0;
    ets_arena_init(&scratch, c->arena->allocator, 0);
    const enum ets_status status =
        ets_memory_replan(found->plan, options, &scratch, &replan, c->error);
    if (status == ETS_OK && !ets_memory_replan_check(found->plan, options, &replan, &fault)) {
        found->invalid_count++;
    } else if (status == ETS_OK) {
        *bytes_out = replan.planned_bytes;
        for (uint32_t t = 0; options->in_place && t < found->plan->tensor_count; t++) {
            found->in_place_count += replan.in_place_of[t] != ETS_PLAN_NONE;
        }
    }
    ets_arena_reset(&scratch);
    return status;
}

static enum ets_status try_plan(const struct collector *c, enum ets_alternative_kind kind,
                                const struct ets_replan_options *options)
{
    uint64_t bytes;
    const uint32_t invalid = c->found->invalid_count;
    ETS_TRY(plan_anew(c, options, &bytes));
    if (c->found->invalid_count == invalid) add(c->found, kind, options, bytes);
    return ETS_OK;
}

struct candidate {
    uint64_t bytes;
    uint32_t tensor;
};

static int by_bytes(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return (a->tensor > b->tensor) - (a->tensor < b->tensor);
}

/* The largest tensors that are live at a step, views and `except` left out. */
static bool list_candidates(const struct collector *c, uint32_t step, uint32_t except,
                            uint32_t most, struct candidate **items, uint32_t *count)
{
    const struct ets_memory_plan *plan = c->found->plan;
    *count = 0;
    *items = ets_arena_alloc_array(c->arena, plan->tensor_count, sizeof **items);
    if (*items == NULL) return false;
    for (uint32_t t = 0; t < plan->tensor_count && plan->peak_bytes > 0; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE || tensor->base != ETS_PLAN_NONE || t == except) {
            continue;
        }
        if (tensor->bytes == 0 || !ets_plan_is_live(tensor, step)) continue;
        (*items)[(*count)++] = (struct candidate){tensor->bytes, t};
    }
    if (*count > 1) qsort(*items, *count, sizeof **items, by_bytes);
    if (*count > most) *count = most;
    return true;
}

/* The step with the most live bytes once a tensor is left out. */
static uint32_t peak_without(const struct ets_memory_plan *plan, uint32_t left_out)
{
    const struct ets_plan_tensor *tensor = &plan->tensors[left_out];
    uint64_t most = 0;
    uint32_t peak = 0;
    for (uint32_t step = 0; step < plan->step_count; step++) {
        const uint64_t gone = ets_plan_is_live(tensor, step) ? tensor->bytes : 0;
        const uint64_t live = plan->live[step] > gone ? plan->live[step] - gone : 0;
        if (live > most) peak = step;
        if (live > most) most = live;
    }
    return peak;
}

/* A pair is told if what it saves is more than each of the two alone saves, added up. */
static enum ets_status try_pair(const struct collector *c, uint32_t one, uint32_t other,
                                uint64_t placed, struct ets_memory_alternative *pair_out)
{
    const struct ets_replan_options first = {.without_count = 1, .without = {one}};
    const struct ets_replan_options second = {.without_count = 1, .without = {other}};
    const struct ets_replan_options both = {.without_count = 2, .without = {one, other}};
    uint64_t bytes, alone, alone_too;
    const uint32_t invalid = c->found->invalid_count;
    *pair_out = (struct ets_memory_alternative){.kind = ETS_ALTERNATIVE_EXPORTED};
    ETS_TRY(plan_anew(c, &both, &bytes));
    ETS_TRY(plan_anew(c, &first, &alone));
    ETS_TRY(plan_anew(c, &second, &alone_too));
    if (c->found->invalid_count > invalid || bytes > placed || alone > placed ||
        alone_too > placed || placed - bytes <= (placed - alone) + (placed - alone_too)) {
        return ETS_OK;
    }
    *pair_out = (struct ets_memory_alternative){ETS_ALTERNATIVE_PAIR, ETS_REPLAN_ALIGNMENT, one,
                                                other, bytes};
    return ETS_OK;
}

/* Keeps the pairs with the fewest bytes, in this order and each once. */
static void keep_pair(struct ets_memory_alternative pairs[MOST_PAIRS], uint32_t *count,
                      const struct ets_memory_alternative *pair)
{
    uint32_t at = *count;
    for (uint32_t i = 0; i < *count; i++) {
        if (pairs[i].tensor == pair->other && pairs[i].other == pair->tensor) return;
    }
    while (at > 0 && pairs[at - 1].bytes > pair->bytes) at--;
    if (at == MOST_PAIRS) return;
    if (*count < MOST_PAIRS) ++*count;
    for (uint32_t i = *count - 1; i > at; i--) pairs[i] = pairs[i - 1];
    pairs[at] = *pair;
}

/* With each tensor of the peak the largest ones of the peak that is left without it. */
static enum ets_status try_pairs(const struct collector *c, const struct candidate *candidates,
                                 uint32_t candidate_count)
{
    struct ets_memory_alternative pairs[MOST_PAIRS], pair;
    const struct ets_replan_options same = {.without_count = 0};
    struct ets_memory_alternatives *found = c->found;
    uint64_t placed;
    uint32_t pair_count = 0;
    ETS_TRY(plan_anew(c, &same, &placed));
    for (uint32_t i = 0; i < candidate_count; i++) {
        const uint32_t one = candidates[i].tensor;
        struct candidate *second;
        uint32_t count;
        if (!list_candidates(c, peak_without(found->plan, one), one, MOST_SECOND, &second,
                             &count)) {
            return ets_fail_memory(c->error, "other memory plans");
        }
        for (uint32_t k = 0; k < count; k++) {
            ETS_TRY(try_pair(c, one, second[k].tensor, placed, &pair));
            if (pair.kind == ETS_ALTERNATIVE_PAIR) keep_pair(pairs, &pair_count, &pair);
        }
    }
    for (uint32_t i = 0; i < pair_count; i++) found->items[found->count++] = pairs[i];
    return ETS_OK;
}

static enum ets_status try_all(const struct collector *c, const struct candidate *candidates,
                               uint32_t candidate_count)
{
    const struct ets_replan_options same = {.in_place = false}, in_place = {.in_place = true};
    add_own(c->found, ETS_ALTERNATIVE_EXPORTED, c->found->plan->planned_bytes);
    ETS_TRY(try_plan(c, ETS_ALTERNATIVE_REPLANNED, &same));
    ETS_TRY(try_plan(c, ETS_ALTERNATIVE_IN_PLACE, &in_place));
    for (size_t i = 0; i < ALIGNMENTS; i++) {
        const struct ets_replan_options aligned = {.alignment = alignments[i]};
        ETS_TRY(try_plan(c, ETS_ALTERNATIVE_ALIGNED, &aligned));
    }
    for (uint32_t i = 0; i < candidate_count; i++) {
        const struct ets_replan_options without = {.without_count = 1,
                                                   .without = {candidates[i].tensor}};
        ETS_TRY(try_plan(c, ETS_ALTERNATIVE_WITHOUT, &without));
    }
    return try_pairs(c, candidates, candidate_count);
}

enum ets_status ets_memory_alternatives_collect(struct ets_arena *arena,
                                                const struct ets_memory_plan *plan,
                                                struct ets_memory_alternatives *found_out,
                                                struct ets_error *error)
{
    static const char what[] = "other memory plans";
    struct candidate *candidates;
    uint32_t count;
    const struct collector collector = {arena, found_out, error};
    *found_out = (struct ets_memory_alternatives){.plan = plan};
    found_out->items = ets_arena_alloc_array(
        arena, MOST_FIXED + ALIGNMENTS + MOST_WITHOUT + MOST_PAIRS, sizeof *found_out->items);
    if (found_out->items == NULL || !list_candidates(&collector, plan->peak_step, ETS_PLAN_NONE,
                                                     MOST_WITHOUT, &candidates, &count)) {
        return ets_fail_memory(error, what);
    }
    ETS_TRY(try_all(&collector, candidates, count));
    add_own(found_out, ETS_ALTERNATIVE_BOUND, plan->bound_bytes);
    return ETS_OK;
}

static const struct ets_memory_alternative *find(const struct ets_memory_alternatives *found,
                                                 enum ets_alternative_kind kind)
{
    for (uint32_t i = 0; i < found->count; i++) {
        if (found->items[i].kind == kind) return &found->items[i];
    }
    return NULL;
}

/* "88.0 KiB (12 % less)" */
static void say_bytes(struct ets_text_builder *text, uint64_t bytes, uint64_t planned)
{
    ets_add_bytes(text, bytes);
    const double less = 100 * (1 - (double)bytes / (double)planned);
    say(text, " (%.*f %% less)", less < 1 ? 1 : 0, less);
}

size_t ets_memory_alternatives_headline(const struct ets_memory_alternatives *found, char *room,
                                        size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    const uint64_t planned = found->plan->planned_bytes;
    const struct ets_memory_alternative *better = find(found, ETS_ALTERNATIVE_REPLANNED);
    const struct ets_memory_alternative *in_place = find(found, ETS_ALTERNATIVE_IN_PLACE);
    if (size > 0) room[0] = '\0';
    if (planned == 0) {
        say(&text, "no planned memory");
        return text.used;
    }
    ets_add_bytes(&text, planned);
    say(&text, " planned; ");
    const bool is_better = better != NULL && better->bytes < planned;
    if (is_better) {
        say(&text, "placed anew it takes ");
        say_bytes(&text, better->bytes, planned);
    } else if (planned <= found->plan->bound_bytes) {
        say(&text, "no plan with these lifetimes is smaller");
    } else {
        say(&text, "no smaller plan of these tensors was found");
    }
    if (found->plan->has_branches) say(&text, "; branches count together");
    const uint64_t before = is_better ? better->bytes : planned;
    if (in_place == NULL || in_place->bytes >= before) return text.used;
    say(&text, ", with %" PRIu32 " in-place result%s ", found->in_place_count,
        found->in_place_count == 1 ? "" : "s");
    say_bytes(&text, in_place->bytes, planned);
    return text.used;
}
