/*
 * What a stage of a generation reads for each token: weights and the KV cache; and what of a
 * machine's read bandwidth that is.
 *
 *     struct ets_token_reads reads;
 *     const struct ets_token_reads_question question = {&costs, block, ns, 1, &machine, 2};
 *     if (!ets_token_reads_find(&arena, inspection, &question, &reads)) return no_memory;
 *     ets_add_token_reads(&text, &reads);
 *
 * Only of blocks whose runs tell their tokens.
 */
#ifndef ETSCOPE_VIEWS_TOKEN_READS_H
#define ETSCOPE_VIEWS_TOKEN_READS_H

#include "cost/roof_verdict.h"
#include "cost/row_costs.h"
#include "cost/step_costs.h"
#include "host/text_builder.h"

struct ets_token_reads_question {
    const struct ets_costs *costs;
    uint32_t block;
    double ns;                         /* of a run; NaN or 0: not known */
    double tick_ns;                    /* of the trace */
    const struct ets_machine *machine; /* NULL: none */
    uint32_t threads;                  /* that ran */
};

struct ets_token_reads {
    enum ets_run_stage stage;       /* NONE: there is nothing to say, all else is 0 */
    const struct ets_cost *cost;    /* of a run */
    struct ets_block_tokens tokens; /* of the runs */
    double tokens_per_run;
    double weight_bytes, cache_bytes; /* of a run: read; bounds where cost->at_most */
    double ns;                        /* of a run; NaN: not known */
    bool is_held;                     /* against a machine */
    struct ets_roof_answer roof;      /* where is_held; its share is that of reading */
    /* Names, NULL for none: the state of the cost; with a machine those of the answer. */
    const char *known, *level, *verdict, *reason;
};

/* false: no memory. */
bool ets_token_reads_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                          const struct ets_token_reads_question *question,
                          struct ets_token_reads *reads_out);

/*
 * "decode reads 725.0 KiB of weights and 35.0 KiB of cache a token (positions 8 to 27, mean
 * 18): 4.1 % of this machine's read bandwidth in L2, overhead-bound: 83 calls, 1.1 us each";
 * nothing where `stage` is NONE.
 */
void ets_add_token_reads(struct ets_text_builder *text, const struct ets_token_reads *reads);

/*
 * "; one token takes 2.66 MFLOP and reads 725.3 KiB of weights, and 2.0 KiB of cache at position 0;
 * at position 63, the last, 3.1 MFLOP and 128.0 KiB of cache"; nothing where it is not known.
 */
void ets_add_token_cost(struct ets_text_builder *text, const struct ets_token_cost *token);

#endif
