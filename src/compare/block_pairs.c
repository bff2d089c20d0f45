/* Pairs the blocks of two pools by the operators that they have in common. */
#include "compare/difference_parts.h"
#include "compare/operator_kinds.h"

/* With more comparisons of operators than this, blocks are paired in order. */
#define MAX_WORK ((uint64_t)50 * 1000 * 1000)

/* The blocks of one pool and the numbers of their operators' names. */
struct side {
    const struct ets_pool *pool;
    uint32_t **names; /* [block][operator] */
    bool *is_paired;
    uint64_t operator_count;
};

/*
 * For a delegate's event, its operation without the number " #2", which changes if an equal
 * operator is added before it.
 */
static struct ets_text name_of(const struct ets_pool_operator *op)
{
    if (op->role != ETS_POOL_INNER) return op->name;
    const bool is_delegated = op->row != NULL && op->row->is_delegated;
    const struct ets_text name = is_delegated ? op->row->operation : op->name;
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9') end--;
    if (end == name.size || end < 3 || memcmp(name.data + end - 2, " #", 2) != 0) return name;
    return (struct ets_text){name.data, end - 2};
}

/* How names of operators are compared. */
enum naming { AS_NAMES, AS_TYPES, WITH_NODES };

/* "Gemm\n/fc1/Gemm" of a node with a name of its own; false: no memory. */
static bool add_node_name(struct ets_arena *arena, const struct ets_pool_operator *op,
                          struct ets_text *name)
{
    const struct ets_row *row = op->row;
    if (row == NULL || row->node_count != 1 || row->nodes[0].node->name.data == NULL) return true;
    const size_t room = name->size + row->nodes[0].node->name.size + 2;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return false;
    *name = (struct ets_text){text, ets_print_text(text, room, "%.*s\n%.*s", ETS_TEXT(*name),
                                                   ETS_TEXT(row->nodes[0].node->name))};
    return true;
}

static bool find_name(struct ets_arena *arena, enum naming naming,
                      const struct ets_pool_operator *op, struct ets_text *name)
{
    *name = name_of(op);
    const bool is_work = op->role == ETS_POOL_WORK || op->role == ETS_POOL_INNER;
    if (naming == AS_NAMES || !is_work || ets_text_starts_with(*name, "DELEGATE_CALL")) return true;
    if (naming == AS_TYPES) return ets_operator_kind(arena, *name, name);
    return add_node_name(arena, op, name);
}

static bool number_names(struct ets_arena *arena, struct ets_strings *texts, enum naming naming,
                         const struct ets_pool *pool, struct side *side)
{
    const uint32_t blocks = ets_pool_block_count(pool);
    *side = (struct side){.pool = pool};
    side->names = ets_arena_alloc_array(arena, blocks, sizeof *side->names);
    side->is_paired = ets_arena_alloc_array(arena, blocks, sizeof *side->is_paired);
    if (side->names == NULL || side->is_paired == NULL) return false;
    for (uint32_t b = 0; b < blocks; b++) {
        const struct ets_pool_block *block = ets_pool_block(pool, b);
        side->names[b] = ets_arena_alloc_array(arena, block->operator_count, sizeof(uint32_t));
        if (side->names[b] == NULL) return false;
        for (uint32_t i = 0; i < block->operator_count; i++) {
            struct ets_text name;
            if (!find_name(arena, naming, &block->operators[i], &name)) return false;
            side->names[b][i] = ets_strings_add(texts, name);
            if (side->names[b][i] == UINT32_MAX) return false;
        }
        side->operator_count += block->operator_count;
    }
    return true;
}

static bool can_pair(const struct ets_pool_block *before, const struct ets_pool_block *after)
{
    if (!ets_text_equal(before->name, after->name)) return false;
    const bool tell_stages = before->stage != ETS_STAGE_NONE && after->stage != ETS_STAGE_NONE;
    if (tell_stages && before->stage != after->stage) return false;
    if (before->method == NULL || after->method == NULL) return true;
    return strcmp(before->method, after->method) == 0;
}

/* The number of common names, with multiplicity. `counts` must be all zero and is so afterwards. */
static uint32_t overlap(const struct side *sides, const uint32_t index[2], uint32_t *counts)
{
    const uint32_t *left = sides[ETS_BEFORE].names[index[ETS_BEFORE]];
    const uint32_t *right = sides[ETS_AFTER].names[index[ETS_AFTER]];
    const struct ets_pool_block *before = ets_pool_block(sides[ETS_BEFORE].pool, index[ETS_BEFORE]);
    const struct ets_pool_block *after = ets_pool_block(sides[ETS_AFTER].pool, index[ETS_AFTER]);
    uint32_t common = 0;
    for (uint32_t i = 0; i < before->operator_count; i++) counts[left[i]]++;
    for (uint32_t i = 0; i < after->operator_count; i++) {
        if (counts[right[i]] == 0) continue;
        counts[right[i]]--;
        common++;
    }
    for (uint32_t i = 0; i < before->operator_count; i++) counts[left[i]] = 0;
    return common;
}

static bool compares_all(const struct side *sides)
{
    const uint64_t left = ets_pool_block_count(sides[ETS_BEFORE].pool);
    const uint64_t right = ets_pool_block_count(sides[ETS_AFTER].pool);
    return sides[ETS_BEFORE].operator_count * right + sides[ETS_AFTER].operator_count * left <=
           MAX_WORK;
}

/* The block of the same number, if the two can be compared. */
static uint32_t find_opposite(const struct side *sides, uint32_t before)
{
    if (before >= ets_pool_block_count(sides[ETS_AFTER].pool)) return ETS_NO_INDEX;
    const bool fits = can_pair(ets_pool_block(sides[ETS_BEFORE].pool, before),
                               ets_pool_block(sides[ETS_AFTER].pool, before));
    return fits ? before : ETS_NO_INDEX;
}

/*
 * The block of the other pool with the most in common with `before`, of several that with the least
 * beside it, or ETS_NO_INDEX.
 */
static uint32_t find_partner(const struct side *sides, uint32_t before, uint32_t *counts)
{
    const struct ets_pool_block *block = ets_pool_block(sides[ETS_BEFORE].pool, before);
    const uint32_t count = ets_pool_block_count(sides[ETS_AFTER].pool);
    uint64_t best = 0;
    uint32_t partner = ETS_NO_INDEX;
    for (uint32_t b = 0; b < count; b++) {
        const struct ets_pool_block *other = ets_pool_block(sides[ETS_AFTER].pool, b);
        if (sides[ETS_AFTER].is_paired[b] || !can_pair(block, other)) continue;
        const uint32_t index[2] = {before, b};
        const uint64_t score =
            2 * (uint64_t)overlap(sides, index, counts) + (block->test_case == other->test_case);
        const bool has_less =
            partner != ETS_NO_INDEX && score == best &&
            other->operator_count < ets_pool_block(sides[ETS_AFTER].pool, partner)->operator_count;
        if (score < 2 || (score <= best && !has_less)) continue;
        best = score;
        partner = b;
    }
    return partner;
}

static void add(struct ets_block_pairs *pairs, const struct side *sides, uint32_t before,
                uint32_t after)
{
    struct ets_block_pair *pair = &pairs->items[pairs->count++];
    *pair = (struct ets_block_pair){.before = NULL};
    if (before != ETS_NO_INDEX) {
        pair->before = ets_pool_block(sides[ETS_BEFORE].pool, before);
        pair->before_names = sides[ETS_BEFORE].names[before];
    }
    if (after != ETS_NO_INDEX) {
        pair->after = ets_pool_block(sides[ETS_AFTER].pool, after);
        pair->after_names = sides[ETS_AFTER].names[after];
        sides[ETS_AFTER].is_paired[after] = true;
    }
}

bool ets_block_pairs_find(struct ets_arena *arena, const struct ets_pool *before,
                          const struct ets_pool *after, struct ets_block_pairs *pairs_out)
{
    struct ets_strings texts;
    struct side sides[2];
    const bool is_one_runtime = ets_text_same(before->runtime, after->runtime);
    const enum naming naming = before->by != ETS_POOL_BY_NONE ? AS_NAMES
                               : !is_one_runtime              ? AS_TYPES
                               : before->runtime.size > 0     ? WITH_NODES
                                                              : AS_NAMES;
    if (ets_strings_init(&texts, arena) != 0 ||
        !number_names(arena, &texts, naming, before, &sides[ETS_BEFORE]) ||
        !number_names(arena, &texts, naming, after, &sides[ETS_AFTER])) {
        return false;
    }
    const uint32_t left = ets_pool_block_count(before), right = ets_pool_block_count(after);
    uint32_t *counts = ets_arena_alloc_array(arena, texts.count, sizeof *counts);
    *pairs_out = (struct ets_block_pairs){
        .items = ets_arena_alloc_array(arena, (size_t)left + right, sizeof *pairs_out->items)};
    if (counts == NULL || pairs_out->items == NULL) return false;
    const bool compares = compares_all(sides);
    for (uint32_t b = 0; b < left; b++) {
        const uint32_t partner =
            compares ? find_partner(sides, b, counts) : find_opposite(sides, b);
        add(pairs_out, sides, b, partner);
    }
    for (uint32_t b = 0; b < right; b++) {
        if (!sides[ETS_AFTER].is_paired[b]) add(pairs_out, sides, ETS_NO_INDEX, b);
    }
    return true;
}
