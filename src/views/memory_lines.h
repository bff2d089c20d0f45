/*
 * The tensors of a method as lines: which are alive at the peak, and where each comes from.
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
    ETS_MEMORY_BY_PEAK = 0, /* those alive at the peak first, then by size */
    ETS_MEMORY_BY_BYTES = 1,
    ETS_MEMORY_BY_OFFSET = 2, /* arena by arena */
    ETS_MEMORY_BY_FIRST = 3,  /* by first use */
    ETS_MEMORY_BY_VALUE = 4
};

struct ets_memory_options {
    const struct ets_delegation *delegation; /* of the program, with a record: source lines and
                                                modules; NULL: none */
    enum ets_memory_order order;
    bool only_at; /* only tensors that hold bytes at the step `at`, below the plan's step_count */
    uint32_t at;
    bool all; /* also tensors that are not planned: constants, the caller's inputs and outputs */
};

struct ets_memory_line {
    const struct ets_plan_tensor *tensor;
    bool is_at_peak;      /* it holds bytes of an arena at lines->step */
    uint32_t in_place_of; /* tensor of the plan whose bytes it takes over; ETS_PLAN_NONE: none */
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
    uint32_t step;                       /* the plan's peak, or the one that was asked for */
    struct ets_memory_sum at_peak;       /* without views, whose bytes are another tensor's */
    struct ets_memory_sum holders;       /* the fewest of those that hold 90 % of their bytes */
    struct ets_memory_findings findings; /* of the plan */
    /* What the method uses beside its planned memory. */
    struct ets_memory_sum constants, caller_inputs, caller_outputs, payloads;
};

/* Returns false if memory runs out. */
bool ets_memory_lines_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                              const struct ets_memory_options *options,
                              struct ets_memory_lines *lines_out);

/*
 * memory_headline.c: "forward: 592.0 KiB planned; peak 528.0 KiB at instruction 18
 * (aten::addmm.out); 4 tensors hold 91 % of it; 12 % above the lower bound: ...". Returns its
 * length; cut to `room`.
 */
size_t ets_memory_headline(const struct ets_memory_lines *lines, char *text, size_t room);
/*
 * Of one of several arenas, or of one that is not the CPU's: "memory 2 (CUDA 0): 32 B planned, peak
 * 32 B at instruction 0". "": the headline says it all.
 */
size_t ets_memory_arena_note(const struct ets_memory_plan *plan, uint32_t arena, char *text,
                             size_t room);
/* What the method uses beside its planned memory, likewise; "": nothing. */
size_t ets_memory_beside(const struct ets_memory_lines *lines, char *text, size_t room);

/*
 * Which tensors are live behind branches only where one chose them: "values 2 and 3 are ..."; of
 * more than eight, the first. Returns its length, cut to `room`; 0: all lifetimes are decided.
 */
size_t ets_memory_choices(const struct ets_memory_plan *plan, char *room, size_t size);

#endif
