/*
 * The tensors of a method as lines: who is alive at the peak, and where each comes from.
 *
 *     const struct ets_memory_options options = {.delegation = delegation};
 *     struct ets_memory_lines lines;
 *     if (!ets_memory_lines_collect(&arena, &plan, &options, &lines)) return false;
 *     for (uint32_t i = 0; i < lines.count; i++) show(&lines.items[i]);
 *
 * All lies in the arena; the plan and the delegation are borrowed.
 */
#ifndef ETSCOPE_VIEWS_MEMORY_LINES_H
#define ETSCOPE_VIEWS_MEMORY_LINES_H

#include <stdbool.h>

#include "etscope/experimental/delegates.h"
#include "host/arena.h"
#include "memory/memory_plan.h"
#include "views/memory_findings.h"
#include "views/places.h"

enum ets_memory_order {
    ETS_MEMORY_BY_PEAK = 0, /* those alive at the peak first, the largest first of each */
    ETS_MEMORY_BY_BYTES = 1,
    ETS_MEMORY_BY_OFFSET = 2, /* arena by arena */
    ETS_MEMORY_BY_FIRST = 3,  /* as they come to life */
    ETS_MEMORY_BY_VALUE = 4
};

struct ets_memory_options {
    const struct ets_delegation *delegation; /* of the program, with a record: source lines and
                                                modules; NULL: none */
    enum ets_memory_order order;
    bool all; /* also tensors that are not planned: constants, the caller's inputs and outputs */
};

struct ets_memory_line {
    const struct ets_plan_tensor *tensor;
    bool is_at_peak; /* it holds bytes of an arena at plan->peak_step */
    /* Of the instruction that writes it first; absent without one, lists without a record. */
    struct ets_text producer; /* "aten::addmm.out", "XnnpackBackend", "MoveCall" */
    struct ets_text_list sources, modules;
};

/* How many, and their bytes together. */
struct ets_memory_sum {
    uint32_t count;
    uint64_t bytes;
};

struct ets_memory_lines {
    const struct ets_memory_plan *plan;
    struct ets_memory_line *items; /* in the order that was asked for */
    uint32_t count;
    struct ets_memory_sum at_peak;       /* without views, whose bytes are another tensor's */
    struct ets_memory_sum holders;       /* the fewest of those that hold 90 % of their bytes */
    struct ets_memory_findings findings; /* of the plan */
    /* What the method uses beside its planned memory. */
    struct ets_memory_sum constants, caller_inputs, caller_outputs, payloads;
};

/* Returns false where memory ran out. */
bool ets_memory_lines_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                              const struct ets_memory_options *options,
                              struct ets_memory_lines *lines_out);

/*
 * memory_headline.c: "forward: 592.0 KiB planned; peak 528.0 KiB at instruction 18
 * (aten::addmm.out); 4 tensors hold 91 % of it; 12 % above the lower bound: ...". Returns its
 * length; cut to `room`.
 */
size_t ets_memory_headline(const struct ets_memory_lines *lines, char *text, size_t room);
/* What the method uses beside its planned memory, likewise; "": nothing. */
size_t ets_memory_beside(const struct ets_memory_lines *lines, char *text, size_t room);

#endif
