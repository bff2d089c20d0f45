/*
 * The work of a program without a trace: of each instruction, of what delegates run inside, and of
 * one execution of a method.
 *
 *     struct ets_step_costs costs;
 *     if (ets_step_costs_find(&arena, &program, record, delegation, &costs, &error) != ETS_OK) {
 *         return error.status;
 *     }
 *     for (uint32_t i = 0; i < ets_delegation_count(delegation); i++) show(&costs.steps[i].cost);
 */
#ifndef ETSCOPE_COST_STEP_COSTS_H
#define ETSCOPE_COST_STEP_COSTS_H

#include "cost/instruction_costs.h"
#include "etscope/experimental/delegates.h"

/* Of a language model, one call with one token. */
struct ets_token_cost {
    bool is_known;               /* false: it takes no single token, or has no cache */
    bool has_last;               /* the program states its context */
    uint64_t last_position;      /* of the context; of one that is not stated, some other than 0 */
    struct ets_cost first, last; /* at position 0 and at the last one */
};

/* One execution of a method, as far as the program tells what runs. */
struct ets_method_cost {
    struct ets_total_cost total; /* over `is_taken` */
    struct ets_token_cost token;
    uint32_t choices; /* branches: the more expensive one counts */
    uint32_t loops;   /* of which one turn counts */
};

struct ets_step_costs {
    const struct ets_total_cost *steps;    /* [step] one execution of the instruction */
    const struct ets_cost *const *units;   /* [step][unit] */
    const bool *is_taken;                  /* [step] whether the method's total has it */
    const struct ets_method_cost *methods; /* [method of the program] */
};

/* `record` NULL: none. All memory is the arena's. Statuses: NO_MEMORY, those of the record's
 * readers. */
enum ets_status ets_step_costs_find(struct ets_arena *arena, const struct ets_program *program,
                                    struct ets_etrecord *record,
                                    const struct ets_delegation *delegation,
                                    struct ets_step_costs *costs_out, struct ets_error *error);

/*
 * One call of a method with tokens and a position, from the program alone. `cost_out` has no
 * operators where there is no such method. Status: NO_MEMORY.
 */
enum ets_status ets_call_cost_find(struct ets_arena *arena, const struct ets_program *program,
                                   const char *method, const struct ets_token_sizes *sizes,
                                   struct ets_cost *cost_out, struct ets_error *error);

#endif
