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

struct collector {
    struct ets_arena *arena;
    struct ets_memory_alternatives *found;
    struct ets_error *error;
};

static void add(struct ets_memory_alternatives *found, enum ets_alternative_kind kind,
                const struct ets_replan_options *options, uint64_t bytes)
{
    const uint32_t alignment = options->alignment == 0 ? ETS_REPLAN_ALIGNMENT : options->alignment;
    found->items[found->count++] =
        (struct ets_memory_alternative){kind, alignment, options->without, bytes};
}

/* What the file tells of its own plan, whose alignment is the plan's. */
static void add_own(struct ets_memory_alternatives *found, enum ets_alternative_kind kind,
                    uint64_t bytes)
{
    found->items[found->count++] =
        (struct ets_memory_alternative){kind, found->plan->alignment, ETS_PLAN_NONE, bytes};
}

static enum ets_status try_plan(const struct collector *c, enum ets_alternative_kind kind,
                                const struct ets_replan_options *options)
{
    struct ets_arena scratch;
    struct ets_replan replan;
    struct ets_replan_fault fault;
    struct ets_memory_alternatives *found = c->found;
    ets_arena_init(&scratch, c->arena->allocator, 0);
    const enum ets_status status =
        ets_memory_replan(found->plan, options, &scratch, &replan, c->error);
    if (status == ETS_OK && !ets_memory_replan_check(found->plan, options, &replan, &fault)) {
        found->invalid_count++;
    } else if (status == ETS_OK) {
        add(found, kind, options, replan.planned_bytes);
        for (uint32_t t = 0; options->in_place && t < found->plan->tensor_count; t++) {
            found->in_place_count += replan.in_place_of[t] != ETS_PLAN_NONE;
        }
    }
    ets_arena_reset(&scratch);
    return status;
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

/* The largest tensors that are live at the peak, views left out. */
static bool list_candidates(const struct collector *c, struct candidate **items, uint32_t *count)
{
    const struct ets_memory_plan *plan = c->found->plan;
    *count = 0;
    *items = ets_arena_alloc_array(c->arena, plan->tensor_count, sizeof **items);
    if (*items == NULL) return false;
    for (uint32_t t = 0; t < plan->tensor_count && plan->peak_bytes > 0; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE || tensor->base != ETS_PLAN_NONE) continue;
        if (tensor->bytes == 0 || !ets_plan_is_live(tensor, plan->peak_step)) continue;
        (*items)[(*count)++] = (struct candidate){tensor->bytes, t};
    }
    if (*count > 1) qsort(*items, *count, sizeof **items, by_bytes);
    if (*count > MOST_WITHOUT) *count = MOST_WITHOUT;
    return true;
}

static enum ets_status try_all(const struct collector *c, const struct candidate *candidates,
                               uint32_t candidate_count)
{
    const struct ets_replan_options same = {.without = ETS_PLAN_NONE};
    const struct ets_replan_options in_place = {.without = ETS_PLAN_NONE, .in_place = true};
    add_own(c->found, ETS_ALTERNATIVE_EXPORTED, c->found->plan->planned_bytes);
    ETS_TRY(try_plan(c, ETS_ALTERNATIVE_REPLANNED, &same));
    ETS_TRY(try_plan(c, ETS_ALTERNATIVE_IN_PLACE, &in_place));
    for (size_t i = 0; i < ALIGNMENTS; i++) {
        const struct ets_replan_options aligned = {alignments[i], ETS_PLAN_NONE, false};
        ETS_TRY(try_plan(c, ETS_ALTERNATIVE_ALIGNED, &aligned));
    }
    for (uint32_t i = 0; i < candidate_count; i++) {
        const struct ets_replan_options without = {.without = candidates[i].tensor};
        ETS_TRY(try_plan(c, ETS_ALTERNATIVE_WITHOUT, &without));
    }
    return ETS_OK;
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
    found_out->items = ets_arena_alloc_array(arena, MOST_FIXED + ALIGNMENTS + MOST_WITHOUT,
                                             sizeof *found_out->items);
    if (found_out->items == NULL || !list_candidates(&collector, &candidates, &count)) {
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
        say(&text, "no smaller plan was found");
    }
    if (found->plan->has_branches) say(&text, "; branches count together");
    const uint64_t before = is_better ? better->bytes : planned;
    if (in_place == NULL || in_place->bytes >= before) return text.used;
    say(&text, ", with %" PRIu32 " in-place result%s ", found->in_place_count,
        found->in_place_count == 1 ? "" : "s");
    say_bytes(&text, in_place->bytes, planned);
    return text.used;
}
