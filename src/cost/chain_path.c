/* The most expensive way through a chain, jumps back left out. */
#include "cost/chain_path.h"

#include "base/load.h"
#include "format/program_lists.h"

struct finder {
    const struct ets_chain *chain;
    const uint64_t *flops;
    bool *is_written; /* [value] a call names it, so that it may change */
    uint64_t *best;   /* [instruction + 1] from here to the end */
    uint32_t *next;   /* [instruction] on that way */
    struct ets_chain_path *path;
};

static void find_written(struct finder *f)
{
    for (uint32_t i = 0; i < f->chain->instruction_count; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(f->chain, i, &instruction);
        if (instruction.kind == ETS_INSTRUCTION_JUMP_FALSE_CALL) continue;
        for (uint32_t k = 0; k < instruction.argument_count; k++) {
            f->is_written[ets_instruction_argument(&instruction, k)] = true;
        }
    }
}

/* A jump on a value that is false and stays so: the end of a branch. */
static bool is_always(const struct finder *f, const struct ets_instruction *jump)
{
    struct ets_evalue value;
    const uint32_t condition = ets_instruction_argument(jump, 0);
    ets_method_value(&f->chain->method, condition, &value);
    return value.kind == ETS_EVALUE_BOOL && value.int_value == 0 && !f->is_written[condition];
}

static void look_ahead(struct finder *f, uint32_t index)
{
    struct ets_instruction instruction;
    const uint32_t count = f->chain->instruction_count;
    ets_chain_instruction(f->chain, index, &instruction);
    uint32_t next = index + 1;
    if (instruction.kind == ETS_INSTRUCTION_JUMP_FALSE_CALL) {
        const uint32_t to = (uint32_t)instruction.destination;
        if (instruction.destination < 0 || to > count || to <= index) {
            f->path->loops++; /* it goes on behind, sooner or later */
        } else if (is_always(f, &instruction)) {
            next = to;
        } else {
            f->path->choices++;
            if (f->best[to] > f->best[next]) next = to;
        }
    }
    f->next[index] = next;
    if (!ets_add_u64(f->best[next], f->flops[index], &f->best[index])) {
        f->best[index] = UINT64_MAX;
    }
}

bool ets_chain_path_find(struct ets_arena *arena, const struct ets_chain *chain,
                         const uint64_t *flops, struct ets_chain_path *path_out)
{
    const size_t count = chain->instruction_count;
    bool *is_taken = ets_arena_alloc_array(arena, count, sizeof *is_taken);
    struct finder f = {
        .chain = chain,
        .flops = flops,
        .is_written = ets_arena_alloc_array(arena, chain->method.value_count, sizeof *f.is_written),
        .best = ets_arena_alloc_array(arena, count + 1, sizeof *f.best),
        .next = ets_arena_alloc_array(arena, count, sizeof *f.next),
        .path = path_out,
    };
    *path_out = (struct ets_chain_path){.is_taken = is_taken};
    if (is_taken == NULL || f.is_written == NULL || f.best == NULL || f.next == NULL) return false;
    find_written(&f);
    for (uint32_t i = chain->instruction_count; i-- > 0;) look_ahead(&f, i);
    for (uint32_t i = 0; i < chain->instruction_count; i = f.next[i]) is_taken[i] = true;
    return true;
}
