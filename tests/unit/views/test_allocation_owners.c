/* What an extra block tells of memory: sums, pools, sentences; and what it may lie about. */
#include "test_inspect_support.h"

#include <math.h>

#include "base/crc32.h"
#include "etscope/experimental/row_filter.h"
#include "output/table/allocation_table.h"
#include "views/allocation_pools.h"

/* An extra block as it grows. */
struct block {
    uint8_t bytes[4096];
    size_t size;
};

static void put(struct block *block, uint64_t value, size_t bytes)
{
    assert_true(block->size + bytes <= sizeof block->bytes);
    for (size_t i = 0; i < bytes; i++) block->bytes[block->size++] = (uint8_t)(value >> 8 * i);
}

static void put_text(struct block *block, const char *text)
{
    for (; *text != '\0'; text++) put(block, (uint8_t)*text, 1);
}

static void put_padding(struct block *block)
{
    while (block->size % 8 != 0) put(block, 0, 1);
}

/* As docs/SPEC.md has it, written without the library. */
struct held {
    uint32_t owner, index;
    uint64_t bytes, count, touched, pool_bytes;
    uint32_t alignment, phase;
    int32_t chain;
    const char *method, *backend;
};

static void put_held(struct block *block, struct held held)
{
    put(block, 7, 4);
    put(block, 64 + strlen(held.method) + strlen(held.backend), 4);
    put(block, held.owner, 4);
    put(block, held.index, 4);
    put(block, held.bytes, 8);
    put(block, held.count, 8);
    put(block, held.touched, 8);
    put(block, held.pool_bytes, 8);
    put(block, held.alignment, 4);
    put(block, 1, 4); /* runs */
    put(block, (uint32_t)held.chain, 4);
    put(block, 0, 4); /* instruction */
    put(block, held.phase, 2);
    put(block, 0, 2); /* flags */
    put(block, strlen(held.method), 2);
    put(block, 0, 2);
    put_text(block, held.method);
    put_text(block, held.backend);
    put_padding(block);
}

static void put_process(struct block *block, uint32_t moment, uint64_t resident, uint64_t heap)
{
    put(block, 9, 4);
    put(block, 32 + 7, 4);
    put(block, moment, 4);
    put(block, 0, 4);
    put(block, resident, 8);
    put(block, resident / 2, 8);
    put(block, heap, 8);
    put_text(block, "forward");
    put_padding(block);
}

static const uint64_t unknown = UINT64_MAX;

/* A method with a delegate, two planned buffers and temporary memory in instruction 0. */
static void fill(struct block *block)
{
    put_held(block, (struct held){1, 0, 5000, 1, unknown, 0, 0, 0, -1, "", ""});
    put_held(block, (struct held){3, 0, 300, 12, unknown, 572, 8, 1, -1, "forward", ""});
    put_held(block,
             (struct held){3, 0, 272, 1, unknown, 572, 64, 1, -1, "forward", "XnnpackBackend"});
    put_held(block, (struct held){4, 0, 1024, 1, 512, 1024, 0, 0, -1, "forward", ""});
    put_held(block, (struct held){4, 1, 2048, 1, unknown, 2048, 0, 0, -1, "forward", ""});
    put_held(block, (struct held){5, 0, 96, 3, unknown, 96, 8, 2, 0, "forward", ""});
    put_held(block, (struct held){6, 0, 40, 2, unknown, 40, 0, 0, -1, "forward", ""});
    put_held(block, (struct held){8, 0, 7000, 0, unknown, 0, 0, 1, -1, "forward", ""});
    put_process(block, 0, 1 << 20, 1000);
    put_process(block, 1, 2 << 20, 8000);
    put_process(block, 4, 3 << 20, unknown);
}

static const struct made_event events[] = {CALL("native_call_add.out", 0, 100, 140),
                                           FRAMEWORK("Method::execute", 80, 200)};

/* A run with the block behind it, and a RUN entry that names the method. */
static struct made inspect_block(const struct block *block)
{
    const struct made_run run[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = {.dump = make_dump(run, 1)};
    struct block whole = {.size = 0};
    put(&whole, 4, 4);
    put(&whole, 16 + 7, 4);
    put(&whole, 0, 8);
    put(&whole, 0, 4);
    put(&whole, 2, 4); /* execute */
    put_text(&whole, "forward");
    put_padding(&whole);
    memcpy(whole.bytes + whole.size, block->bytes, block->size);
    whole.size += block->size;
    const size_t padded = (made.dump.size + 7) & ~(size_t)7, entries = whole.size;
    const uint32_t crc = ets_crc32(0, whole.bytes, entries);
    put(&whole, entries, 4);
    put(&whole, crc, 4);
    put(&whole, 1, 4);
    put_text(&whole, "ETSX");
    uint8_t *data = calloc(1, padded + whole.size);
    assert_non_null(data);
    memcpy(data, made.dump.data, made.dump.size);
    memcpy(data + padded, whole.bytes, whole.size);
    const uint64_t prefix = padded + whole.size - 4;
    for (size_t i = 0; i < 4; i++) data[i] = (uint8_t)(prefix >> 8 * i);
    free((void *)(uintptr_t)made.dump.data);
    made.dump = (struct ets_bytes){data, padded + whole.size};
    made.inspection = inspect(made.dump, (struct ets_inspect_options){.record = NULL});
    return made;
}

static void test_allocation_owners__add_up(void **state)
{
    struct block block = {.size = 0};
    struct ets_arena arena;
    struct ets_allocation_owners view;
    char text[512];
    (void)state;
    fill(&block);
    struct made made = inspect_block(&block);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_allocation_owners_collect(&arena, made.inspection, &view));
    assert_int_equal(view.method_count, 1);
    assert_int_equal(view.count, 8);
    assert_int_equal(view.program, 5000);
    const struct ets_allocation_method *method = &view.methods[0];
    assert_text(method->name, "forward");
    assert_int_equal(method->planned, 3072);
    assert_int_equal(method->method, 572); /* the pool, not the sum of what its takers had */
    assert_int_equal(method->delegates, 272);
    assert_int_equal(method->temporary, 96);
    assert_int_equal(method->total, 3072 + 572 + 96 + 40 + 7000);
    assert_int_equal(view.items[0].method, ETS_NO_INDEX);
    assert_true(view.items[0].share != view.items[0].share); /* the program is no part of it */
    assert_true(view.items[3].share > 0.094 && view.items[3].share < 0.096);
    assert_text(ets_row_operator(ets_inspection_row(made.inspection, view.items[5].row)),
                "add.out");
    assert_int_equal(method->process[1]->heap, 8000);
    assert_null(method->process[2]);
    const size_t size = ets_allocation_headline(&view, 0, text, sizeof text);
    assert_int_equal(size, strlen(text));
    assert_string_equal(text,
                        "forward takes 10.5 KiB: planned 3.0 KiB, method allocator 572 B "
                        "(delegates 272 B), temporary 96 B, inputs 40 B, other heap about "
                        "6.8 KiB; the program file has 4.9 KiB");
    ets_arena_reset(&arena);
    made_close(&made);
}

/* The stack is told, but is no part of the sum and of no pool; `backend` is the processor. */
static void test_allocation_owners__stack(void **state)
{
    struct block block = {.size = 0};
    struct ets_arena arena;
    struct ets_allocation_owners view;
    struct ets_allocation_pools pools;
    char text[512];
    (void)state;
    put_held(&block, (struct held){4, 0, 1024, 1, 512, 1024, 0, 0, -1, "forward", ""});
    put_held(&block, (struct held){9, 0, 2048, 1, unknown, 0, 0, 1, -1, "forward", "riscv64"});
    put_held(&block, (struct held){9, 0, 512, 1, unknown, 0, 0, 2, -1, "forward", "riscv64"});
    put_held(&block, (struct held){9, 1, 4096, 3, unknown, 0, 0, 2, -1, "forward", "riscv64"});
    put_process(&block, ETS_MOMENT_RUN_PEAK, 1 << 20, unknown);
    struct made made = inspect_block(&block);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_allocation_owners_collect(&arena, made.inspection, &view));
    const struct ets_allocation_method *method = &view.methods[0];
    assert_int_equal(method->total, 1024);
    assert_int_equal(method->load_stack->bytes, 2048);
    assert_int_equal(method->run_stack->bytes, 512);
    assert_text(method->run_stack->processor, "riscv64");
    assert_null(method->run_stack->backend.data);
    assert_true(isnan(view.items[1].share));
    assert_string_equal(ets_stack_threads_name(view.items[3].held), "pool's threads");
    assert_int_equal(method->process[ETS_MOMENT_RUN_PEAK]->resident, 1 << 20);
    (void)ets_allocation_headline(&view, 0, text, sizeof text);
    assert_string_equal(text,
                        "forward takes 1.0 KiB: planned 1.0 KiB, method allocator 0 B, "
                        "temporary 0 B, other heap about 0 B; stack 2.0 KiB");
    assert_true(ets_allocation_pools_collect(&arena, &view, &pools));
    assert_int_equal(pools.count, 1);
    ets_arena_reset(&arena);
    made_close(&made);
}

static void test_allocation_owners__pools(void **state)
{
    struct block block = {.size = 0};
    struct ets_arena arena;
    struct ets_allocation_owners view;
    struct ets_allocation_pools pools;
    (void)state;
    fill(&block);
    struct made made = inspect_block(&block);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_allocation_owners_collect(&arena, made.inspection, &view));
    assert_true(ets_allocation_pools_collect(&arena, &view, &pools));
    assert_int_equal(pools.count, 5); /* both takers of the method allocator share one */
    assert_int_equal(pools.items[0].owner, ETS_MEMORY_METHOD);
    assert_int_equal(pools.items[0].bytes, 572);
    assert_int_equal(pools.items[0].alignment, 64); /* what the delegate asked for */
    assert_int_equal(pools.items[0].count, 13);
    assert_int_equal(pools.items[1].alignment, 16);
    assert_int_equal(pools.items[2].index, 1);
    ets_arena_reset(&arena);
    made_close(&made);
}

/* Amounts that cannot be, alignments that are none, owners that this version does not know. */
static void test_allocation_owners__lies(void **state)
{
    struct block block = {.size = 0};
    struct ets_arena arena;
    struct ets_allocation_owners view;
    struct ets_allocation_pools pools;
    char text[512];
    (void)state;
    put_held(&block,
             (struct held){4, UINT32_MAX, INT64_MAX, 1, 0, INT64_MAX, 24, 0, 0, "a*/b", ""});
    put_held(&block, (struct held){4, 0, INT64_MAX, INT64_MAX, 0, INT64_MAX, 3, 0, 0, "a*/b", ""});
    put_held(&block,
             (struct held){4, 0, 1ULL << 63, 1, 0, 1ULL << 63, 0, 0, INT32_MIN, "a*/b", ""});
    put_held(&block, (struct held){3, 0, 1, INT64_MAX, 0, 1, 0, 1, 0, "a*/b", "x"});
    put_held(&block, (struct held){3, 0, 1, INT64_MAX, 0, 1, 0, 1, 0, "a*/b", "y"});
    put_held(&block, (struct held){99, 0, 1, 1, 0, 1, 0, 0, 0, "a*/b", ""});
    put_held(&block, (struct held){0, 0, 1, 1, 0, 1, 0, 0, 0, "a*/b", ""});
    put_held(&block, (struct held){3, 0, 1, 1, 0, 1, 0, 77, 0, "a*/b", ""});
    put_process(&block, ETS_MOMENT_COUNT, 1, 1);
    put(&block, 7, 4); /* a value that is cut short */
    put(&block, 8, 4);
    put(&block, 3, 8);
    struct made made = inspect_block(&block);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_allocation_owners_collect(&arena, made.inspection, &view));
    assert_int_equal(view.count, 5);
    assert_int_equal(view.method_count, 1);
    assert_int_equal(view.methods[0].planned, ETS_MEMORY_UNKNOWN);
    assert_int_equal(view.methods[0].total, ETS_MEMORY_UNKNOWN);
    assert_true(ets_allocation_pools_collect(&arena, &view, &pools));
    for (uint32_t i = 0; i < pools.count; i++) assert_int_equal(pools.items[i].alignment, 16);
    (void)ets_allocation_headline(&view, 0, text, sizeof text);
    assert_non_null(strstr(text, "takes not known: planned not known"));
    ets_arena_reset(&arena);
    made_close(&made);
}

/* Each byte of each entry may be anything: no crash, no endless loop. */
static void test_allocation_owners__every_byte_may_be_wrong(void **state)
{
    struct block block = {.size = 0};
    (void)state;
    fill(&block);
    for (size_t at = 0; at < block.size; at++) {
        for (unsigned bit = 0; bit < 8; bit += 7) {
            struct block bent = block;
            bent.bytes[at] ^= (uint8_t)(1u << bit);
            struct made made = inspect_block(&bent);
            struct ets_table *table;
            assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
            const enum ets_status status = ets_allocation_table_fill(table, made.inspection, NULL);
            assert_true(status == ETS_OK || status == ETS_NOT_FOUND);
            ets_table_close(table);
            made_close(&made);
        }
    }
}

static void test_allocation_owners__every_failed_allocation_is_told(void **state)
{
    struct block block = {.size = 0};
    bool is_done = false;
    (void)state;
    fill(&block);
    struct made made = inspect_block(&block);
    for (unsigned long at = 0; !is_done; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_allocation_owners view;
        struct ets_allocation_pools pools;
        ets_arena_init(&arena, &allocator, 0);
        is_done = ets_allocation_owners_collect(&arena, made.inspection, &view) &&
                  ets_allocation_pools_collect(&arena, &view, &pools);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(at < 1000);
    }
    made_close(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocation_owners__add_up),
        cmocka_unit_test(test_allocation_owners__stack),
        cmocka_unit_test(test_allocation_owners__pools),
        cmocka_unit_test(test_allocation_owners__lies),
        cmocka_unit_test(test_allocation_owners__every_byte_may_be_wrong),
        cmocka_unit_test(test_allocation_owners__every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests_name("owners of memory", tests, NULL, NULL);
}
