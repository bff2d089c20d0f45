/* Pairs the instructions of two methods: by debug handle where both are known, else in the order of
 * their names. */
#include "contents/method_parts.h"

#include "format/program_lists.h"
#include "host/common_sequence.h"
#include "host/strings.h"

struct names {
    struct ets_strings texts;
    struct ets_key_table keys; /* kind and tag; name and overload */
};

/* The number of a kind of instruction with a name; ETS_KEY_NONE: no memory. */
static uint32_t number_of(struct names *names, const struct ets_instruction *instruction,
                          const uint32_t *operators, const uint32_t *delegates)
{
    uint64_t key[2] = {(uint64_t)instruction->kind << 32 | instruction->tag, 0};
    if (instruction->operator_index >= 0) key[1] = operators[instruction->operator_index];
    if (instruction->delegate_index >= 0) key[1] = delegates[instruction->delegate_index];
    return ets_key_table_add(&names->keys, key);
}

/* Numbers for the kernels and backends of a method, each text looked at once. */
static bool number_targets(struct names *names, const struct ets_method *method,
                           uint32_t *operators, uint32_t *delegates)
{
    for (uint32_t i = 0; i < method->operator_count; i++) {
        struct ets_operator op;
        ets_method_operator(method, i, &op);
        const uint32_t name = ets_strings_add(&names->texts, op.name);
        const uint32_t overload =
            op.overload.size > 0 ? ets_strings_add(&names->texts, op.overload) : 0;
        if (name == UINT32_MAX || overload == UINT32_MAX) return false;
        const uint64_t key[2] = {UINT64_MAX, (uint64_t)name << 32 | overload};
        operators[i] = ets_key_table_add(&names->keys, key);
        if (operators[i] == ETS_KEY_NONE) return false;
    }
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        delegates[i] = ets_strings_add(&names->texts, delegate.id);
        if (delegates[i] == UINT32_MAX) return false;
    }
    return true;
}

static bool count_instructions(struct ets_arena *arena, struct ets_paired_side *side)
{
    const uint32_t chains = side->method.chain_count;
    side->first_of_chain =
        ets_arena_alloc_array(arena, (size_t)chains + 1, sizeof *side->first_of_chain);
    if (side->first_of_chain == NULL) return false;
    for (uint32_t c = 0; c < chains; c++) {
        struct ets_chain chain;
        ets_method_chain(&side->method, c, &chain);
        if (chain.instruction_count >= ETS_THING_NONE - side->instruction_count) return false;
        side->instruction_count += chain.instruction_count;
        side->first_of_chain[c + 1] = side->instruction_count;
    }
    return true;
}

static bool list_instructions(struct ets_arena *arena, struct names *names,
                              struct ets_paired_side *side)
{
    const struct ets_method *method = &side->method;
    uint32_t *operators = ets_arena_alloc_array(arena, method->operator_count, sizeof *operators);
    uint32_t *delegates = ets_arena_alloc_array(arena, method->delegate_count, sizeof *delegates);
    if (operators == NULL || delegates == NULL || !count_instructions(arena, side) ||
        !number_targets(names, method, operators, delegates)) {
        return false;
    }
    side->instructions =
        ets_arena_alloc_array(arena, side->instruction_count, sizeof *side->instructions);
    if (side->instructions == NULL) return false;
    for (uint32_t c = 0; c < method->chain_count; c++) {
        for (uint32_t i = side->first_of_chain[c]; i < side->first_of_chain[c + 1]; i++) {
            struct ets_instruction instruction;
            struct ets_paired_instruction *item = &side->instructions[i];
            *item = (struct ets_paired_instruction){.chain = c,
                                                    .index = i - side->first_of_chain[c],
                                                    .partner = ETS_THING_NONE,
                                                    .taker = ETS_THING_NONE};
            ets_paired_instruction_read(side, i, &instruction);
            item->name = number_of(names, &instruction, operators, delegates);
            if (item->name == ETS_KEY_NONE) return false;
        }
    }
    return true;
}

/* Instructions of a side that have no partner and that no delegate took over. */
static bool list_left(struct ets_arena *arena, const struct ets_paired_side *side,
                      uint32_t **indices_out, struct ets_sequence *names_out)
{
    uint32_t *indices = ets_arena_alloc_array(arena, side->instruction_count, sizeof *indices);
    uint32_t *names = ets_arena_alloc_array(arena, side->instruction_count, sizeof *names);
    uint32_t count = 0;
    if (indices == NULL || names == NULL) return false;
    for (uint32_t i = 0; i < side->instruction_count; i++) {
        const struct ets_paired_instruction *item = &side->instructions[i];
        if (item->partner != ETS_THING_NONE || item->taker != ETS_THING_NONE) continue;
        indices[count] = i;
        names[count++] = item->name;
    }
    *indices_out = indices;
    *names_out = (struct ets_sequence){names, count};
    return true;
}

static bool pair_by_order(struct ets_paired_methods *m)
{
    uint32_t *indices[2];
    struct ets_sequence names[2];
    for (int s = 0; s < 2; s++) {
        if (!list_left(m->arena, &m->sides[s], &indices[s], &names[s])) return false;
    }
    uint32_t *partner = ets_arena_alloc_array(m->arena, names[0].count, sizeof *partner);
    if (partner == NULL || !ets_common_sequence(m->arena, &names[0], &names[1], partner)) {
        return false;
    }
    for (uint32_t i = 0; i < names[0].count; i++) {
        if (partner[i] == UINT32_MAX) continue;
        const uint32_t before = indices[0][i], after = indices[1][partner[i]];
        m->sides[0].instructions[before].partner = after;
        m->sides[1].instructions[after].partner = before;
    }
    return true;
}

enum ets_status ets_pair_instructions(struct ets_paired_methods *m)
{
    struct names names;
    bool ok = ets_strings_init(&names.texts, m->arena) == 0;
    ets_key_table_init(&names.keys, m->arena, 2);
    for (int s = 0; ok && s < 2; s++) ok = list_instructions(m->arena, &names, &m->sides[s]);
    if (!ok) return ets_fail_memory(m->error, "the instructions of a method");
    if (m->sides[0].record != NULL && m->sides[1].record != NULL) ETS_TRY(ets_pair_by_handles(m));
    if (!pair_by_order(m)) return ets_fail_memory(m->error, "the instructions of a method");
    return ETS_OK;
}
