/* The FlatBuffers verifier on buffers made by hand, whole and hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include "format/flatbuffer_walk.h"
#include "test_little_support.h"

enum { NAME, CHILD, NUMBERS, KIDS, TAG, MEMBER, WEIGHT, TEXTS, SLOTS };

/* A table of every kind of field, which holds itself. */
static const struct ets_fb_type node_type;
static const struct ets_fb_type *const members[] = {NULL, &node_type};
static const struct ets_fb_union choice = {members, 2};
static const struct ets_fb_field node_fields[] = {
    {"name", NAME, ETS_FB_STRING, 0, {0}},
    {"child", CHILD, ETS_FB_TABLE, 0, {.table = &node_type}},
    {"numbers", NUMBERS, ETS_FB_SCALARS, 0, {.scalar = ETS_FB_I32}},
    {"kids", KIDS, ETS_FB_TABLES, 0, {.table = &node_type}},
    {"either", TAG, ETS_FB_UNION, 0, {.choice = &choice}},
    {"weight", WEIGHT, ETS_FB_SCALAR, ETS_FB_REQUIRED, {.scalar = ETS_FB_F32}},
    {"texts", TEXTS, ETS_FB_STRINGS, 0, {0}},
};
static const struct ets_fb_type node_type = {"Node", node_fields, 7};

struct buffer {
    uint8_t data[16384];
    size_t size;
};

static void put32(struct buffer *b, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++) b->data[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

static void put16(struct buffer *b, size_t at, unsigned value)
{
    b->data[at] = (uint8_t)value;
    b->data[at + 1] = (uint8_t)(value >> 8);
}

static size_t field_at(size_t node, unsigned slot)
{
    return node + 4 + 4 * (size_t)slot;
}

static size_t slot_at(size_t node, unsigned slot)
{
    return node - (4 + 2 * SLOTS) + 4 + 2 * (size_t)slot;
}

static void mark_present(struct buffer *b, size_t node, unsigned slot)
{
    put16(b, slot_at(node, slot), 4 + 4 * slot);
}

/* A vtable and behind it a table, with a weight of 1 alone. */
static size_t add_node(struct buffer *b)
{
    const size_t vtable = b->size;
    const size_t node = vtable + 4 + 2 * SLOTS;
    put16(b, vtable, 4 + 2 * SLOTS);
    put16(b, vtable + 2, 4 + 4 * SLOTS);
    put32(b, node, (uint32_t)(node - vtable));
    b->size = node + 4 + 4 * SLOTS;
    mark_present(b, node, WEIGHT);
    put32(b, field_at(node, WEIGHT), 0x3f800000);
    return node;
}

static void point(struct buffer *b, size_t from, size_t to)
{
    put32(b, from, (uint32_t)(to - from));
}

static void refer(struct buffer *b, size_t node, unsigned slot, size_t target)
{
    mark_present(b, node, slot);
    point(b, field_at(node, slot), target);
}

/* A vector's or string's bytes, padded to four and with a NUL behind. */
static size_t add_vector(struct buffer *b, const void *items, uint32_t count, size_t item_bytes)
{
    const size_t at = b->size;
    put32(b, at, count);
    memcpy(b->data + at + 4, items, count * item_bytes);
    b->size = (at + 4 + count * item_bytes + 4) & ~(size_t)3;
    return at;
}

static size_t start(struct buffer *b)
{
    memset(b, 0, sizeof *b);
    b->size = 4;
    const size_t root = add_node(b);
    point(b, 0, root);
    return root;
}

/* Verifies a heap copy of the exact size, so that a sanitizer sees one byte too far. */
static enum ets_status verify_cut(const struct buffer *b, size_t size, struct ets_error *error)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, b->data, size);
    struct ets_fb root;
    const struct ets_bytes bytes = {copy, size};
    const enum ets_status status = ets_fb_verify_root(bytes, 0, &node_type, 0, &root, error);
    free(copy);
    return status;
}

static void expect(const struct buffer *b, enum ets_status status, const char *message)
{
    struct ets_error error = {.message = ""};
    assert_int_equal(verify_cut(b, b->size, &error), status);
    if (status != ETS_OK) assert_string_equal(error.message, message);
}

/* A root with all fields. */
static size_t make_full(struct buffer *b)
{
    static const int32_t numbers[] = {1, -2, 3};
    const size_t root = start(b);
    const size_t child = add_node(b);
    const size_t name = add_vector(b, "root", 4, 1);
    const size_t list = add_vector(b, LITTLE(numbers), 3, 4);
    const size_t kids = add_vector(b, numbers, 2, 4);
    const size_t texts = add_vector(b, numbers, 1, 4);
    point(b, kids + 4, child);
    const size_t other = add_node(b);
    point(b, kids + 4, other);
    point(b, kids + 8, other);
    const size_t text = add_vector(b, "", 0, 1);
    point(b, texts + 4, text);
    refer(b, root, NAME, name);
    refer(b, root, CHILD, child);
    refer(b, root, NUMBERS, list);
    refer(b, root, KIDS, kids);
    refer(b, root, MEMBER, other);
    refer(b, root, TEXTS, texts);
    mark_present(b, root, TAG);
    b->data[field_at(root, TAG)] = 1;
    return root;
}

static void test_flatbuffer__reads_every_kind_of_field(void **state)
{
    (void)state;
    struct buffer b;
    struct ets_fb root;
    const size_t at = make_full(&b);
    assert_int_equal(
        ets_fb_verify_root((struct ets_bytes){b.data, b.size}, 0, &node_type, 0, &root, NULL),
        ETS_OK);
    assert_int_equal(root.at, at);
    assert_string_equal(ets_fb_text(root, NAME).data, "root");
    assert_true(ets_fb_f32(root, WEIGHT, 0.0f) == 1.0f);
    const struct ets_fb_vector numbers = ets_fb_vector(root, NUMBERS);
    assert_int_equal(numbers.count, 3);
    assert_int_equal(ets_fb_vector_i32(numbers, 1), -2);
    const struct ets_fb_vector kids = ets_fb_vector(root, KIDS);
    assert_true(ets_fb_f32(ets_fb_vector_table(kids, 1), WEIGHT, 0.0f) == 1.0f);
    assert_int_equal(ets_fb_u8(root, TAG, 0), 1);
    assert_int_equal(ets_fb_table(root, MEMBER).at, ets_fb_vector_table(kids, 0).at);
    assert_int_equal(ets_fb_vector_text(ets_fb_vector(root, TEXTS), 0).size, 0);
    /* What is absent reads as its default, at any depth. */
    const struct ets_fb nothing = ets_fb_table(ets_fb_table(root, CHILD), CHILD);
    assert_int_equal(nothing.at, 0);
    assert_int_equal(ets_fb_i32(nothing, WEIGHT, -7), -7);
    assert_null(ets_fb_text(nothing, NAME).data);
    assert_int_equal(ets_fb_vector(nothing, KIDS).count, 0);
    assert_false(ets_fb_has(nothing, WEIGHT));
}

static void test_flatbuffer__truncated_at_every_byte(void **state)
{
    (void)state;
    struct buffer b;
    make_full(&b);
    /* The last string is its length, its NUL and three bytes of padding. */
    for (size_t size = 0; size < b.size - 3; size++) {
        struct ets_error error = {.message = ""};
        const enum ets_status status = verify_cut(&b, size, &error);
        assert_true(status == ETS_TRUNCATED || status == ETS_MALFORMED);
        assert_true(error.message[0] != '\0');
    }
    assert_int_equal(verify_cut(&b, b.size - 3, NULL), ETS_OK);
}

static void test_flatbuffer__bits_flipped_in_every_byte(void **state)
{
    (void)state;
    struct buffer b;
    make_full(&b);
    for (size_t bit = 0; bit < 8 * b.size; bit++) {
        b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        (void)verify_cut(&b, b.size, NULL);
        b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    expect(&b, ETS_OK, NULL);
}

static void test_flatbuffer__offsets(void **state)
{
    (void)state;
    struct buffer b;
    const size_t root = start(&b);
    put32(&b, 0, 0);
    expect(&b, ETS_MALFORMED, "Node.root: offset 0 points at itself");
    put32(&b, 0, 3);
    expect(&b, ETS_MALFORMED, "Node.root: offset 3 points at itself");
    put32(&b, 0, UINT32_MAX);
    expect(&b, ETS_TRUNCATED, "Node.root: points to byte 4294967295 of 60");
    point(&b, 0, root);
    refer(&b, root, CHILD, field_at(root, CHILD));
    expect(&b, ETS_MALFORMED, "Node.child: offset 0 points at itself");
    /* Offsets are unsigned and so lead forward only: no way leads back to a table. */
    put32(&b, field_at(root, CHILD), (uint32_t)(root - field_at(root, CHILD)));
    struct ets_error error;
    assert_int_equal(verify_cut(&b, b.size, &error), ETS_TRUNCATED);
    assert_int_equal(error.offset, field_at(root, CHILD));
}

static void test_flatbuffer__tables_and_vtables(void **state)
{
    (void)state;
    struct buffer b;
    const size_t root = start(&b);
    const size_t vtable = root - (4 + 2 * SLOTS);
    put32(&b, root, 1000);
    expect(&b, ETS_MALFORMED, "Node: vtable lies outside the file");
    put32(&b, root, (uint32_t)-1000);
    expect(&b, ETS_MALFORMED, "Node: vtable lies outside the file");
    put32(&b, root, (uint32_t)(root - vtable));
    put16(&b, vtable, 3);
    expect(&b, ETS_MALFORMED, "Node: vtable of 3 bytes");
    put16(&b, vtable, 21);
    expect(&b, ETS_MALFORMED, "Node: vtable of 21 bytes");
    put16(&b, vtable, 4 + 2 * SLOTS);
    const unsigned room = (unsigned)(b.size - root);
    put16(&b, slot_at(root, WEIGHT), room - 3);
    expect(&b, ETS_TRUNCATED, "Node.weight: lies at byte 57 of 60");
    put16(&b, slot_at(root, WEIGHT), room - 4);
    expect(&b, ETS_OK, NULL);
    put16(&b, slot_at(root, WEIGHT), 0);
    expect(&b, ETS_MALFORMED, "Node has no weight");
    put16(&b, vtable, 4); /* an old writer's, with no slots at all */
    expect(&b, ETS_MALFORMED, "Node has no weight");
}

/*
 * flatbuffers before 25.12 shares vtables among tables of different sizes, so the size in a vtable
 * is another table's: smaller than what the fields take, or larger than the file.
 */
static void test_flatbuffer__the_stated_size_of_a_table_is_not_relied_on(void **state)
{
    (void)state;
    struct buffer b;
    const size_t root = start(&b);
    const size_t vtable = root - (4 + 2 * SLOTS);
    static const unsigned stated[] = {0, 3, 4, 8, 4 + 4 * SLOTS, 37, 0xffff};
    for (size_t i = 0; i < sizeof stated / sizeof stated[0]; i++) {
        put16(&b, vtable + 2, stated[i]);
        expect(&b, ETS_OK, NULL);
    }
    mark_present(&b, root, TAG);
    b.data[field_at(root, TAG)] = 1;
    put16(&b, slot_at(root, MEMBER), (unsigned)(b.size - root) - 3);
    expect(&b, ETS_TRUNCATED, "Node.either: lies at byte 57 of 60");
}

static void test_flatbuffer__fields_of_newer_schemas_are_passed_over(void **state)
{
    (void)state;
    struct buffer b;
    memset(&b, 0, sizeof b);
    const size_t vtable = 4, slots = SLOTS + 2, node = vtable + 4 + 2 * slots;
    put16(&b, vtable, (unsigned)(4 + 2 * slots));
    put16(&b, vtable + 2, 8);
    put16(&b, vtable + 4 + 2 * WEIGHT, 4);
    put16(&b, vtable + 4 + 2 * (SLOTS + 0), 0xffff);
    put16(&b, vtable + 4 + 2 * (SLOTS + 1), 1);
    put32(&b, node, (uint32_t)(node - vtable));
    point(&b, 0, node);
    b.size = node + 8;
    expect(&b, ETS_OK, NULL);
}

static void test_flatbuffer__strings_and_vectors(void **state)
{
    (void)state;
    struct buffer b;
    const size_t root = start(&b);
    const size_t name = add_vector(&b, "name", 4, 1);
    refer(&b, root, NAME, name);
    expect(&b, ETS_OK, NULL);
    b.data[name + 8] = 'x';
    expect(&b, ETS_MALFORMED, "Node.name: string of 4 bytes is not terminated");
    put32(&b, name, 8); /* its last byte is the file's */
    expect(&b, ETS_MALFORMED, "Node.name: string of 8 bytes is not terminated");
    put32(&b, name, 9);
    expect(&b, ETS_TRUNCATED, "Node.name: 9 elements of 1 bytes run past the end");
    put32(&b, name, 4);
    b.data[name + 8] = 0;
    refer(&b, root, NUMBERS, name);
    expect(&b, ETS_TRUNCATED, "Node.numbers: 4 elements of 4 bytes run past the end");
    put32(&b, name, UINT32_MAX);
    put16(&b, slot_at(root, NAME), 0);
    expect(&b, ETS_TRUNCATED, "Node.numbers: 4294967295 elements of 4 bytes run past the end");
    put16(&b, slot_at(root, NUMBERS), 0);
    refer(&b, root, KIDS, name);
    expect(&b, ETS_TRUNCATED, "Node.kids: 4294967295 elements of 4 bytes run past the end");
}

static void test_flatbuffer__unions(void **state)
{
    (void)state;
    struct buffer b;
    const size_t root = start(&b);
    mark_present(&b, root, TAG);
    expect(&b, ETS_OK, NULL); /* NONE */
    b.data[field_at(root, TAG)] = 1;
    expect(&b, ETS_MALFORMED, "Node.either: has type Node but no value");
    b.data[field_at(root, TAG)] = 2; /* a newer schema's: its table is not looked at */
    refer(&b, root, MEMBER, 0);
    expect(&b, ETS_OK, NULL);
    b.data[field_at(root, TAG)] = 1;
    put32(&b, field_at(root, MEMBER), 1);
    expect(&b, ETS_MALFORMED, "Node.either: offset 1 points at itself");
}

/* `levels` tables, each the child of the one before. */
static void make_deep(struct buffer *b, unsigned levels)
{
    size_t node = start(b);
    for (unsigned i = 1; i < levels; i++) {
        const size_t child = add_node(b);
        refer(b, node, CHILD, child);
        node = child;
    }
}

static void test_flatbuffer__depth_has_a_limit(void **state)
{
    (void)state;
    struct buffer b;
    make_deep(&b, 64);
    expect(&b, ETS_OK, NULL);
    make_deep(&b, 65);
    expect(&b, ETS_LIMIT, "Node: nested over 64 levels deep");
}

/* Each table has two kids that are one and the same: honest reading would visit 2^60 of them. */
static void test_flatbuffer__overlapping_offsets_cost_no_more_than_the_file(void **state)
{
    (void)state;
    struct buffer b;
    static const uint32_t none[2] = {0, 0};
    size_t node = start(&b);
    for (unsigned i = 0; i < 60; i++) {
        const size_t kids = add_vector(&b, none, 2, 4);
        const size_t kid = add_node(&b);
        refer(&b, node, KIDS, kids);
        point(&b, kids + 4, kid);
        point(&b, kids + 8, kid);
        node = kid;
    }
    expect(&b, ETS_MALFORMED, "Node: tables exceed the file size, so offsets overlap");
}

static void test_flatbuffer__origin_is_added_to_offsets(void **state)
{
    (void)state;
    struct buffer b;
    struct ets_fb root;
    struct ets_error error;
    const size_t at = start(&b);
    put16(&b, slot_at(at, WEIGHT), 0);
    const struct ets_bytes bytes = {b.data, b.size};
    assert_int_equal(ets_fb_verify_root(bytes, 0, &node_type, 1000, &root, &error), ETS_MALFORMED);
    assert_int_equal(error.offset, 1000 + at);
    assert_int_equal(ets_fb_verify_root(bytes, b.size - 3, &node_type, 1000, &root, &error),
                     ETS_TRUNCATED);
    assert_int_equal(error.offset, 1000 + b.size);
}

static void test_flatbuffer__single_tables_share_a_budget(void **state)
{
    (void)state;
    struct buffer b;
    const size_t at = start(&b);
    const struct ets_bytes bytes = {b.data, b.size};
    uint64_t budget = 8;
    assert_int_equal(ets_fb_verify_table(bytes, at, &node_type, 0, &budget, NULL), ETS_OK);
    assert_int_equal(budget, 4);
    assert_int_equal(ets_fb_verify_table(bytes, at, &node_type, 0, &budget, NULL), ETS_OK);
    assert_int_equal(ets_fb_verify_table(bytes, at, &node_type, 0, &budget, NULL), ETS_MALFORMED);
    budget = 8;
    assert_int_equal(ets_fb_verify_table(bytes, b.size, &node_type, 0, &budget, NULL),
                     ETS_TRUNCATED);
}

/* What a walk finds: how often each byte, and the labels. */
struct found {
    uint8_t covered[sizeof(((struct buffer *)0)->data)];
    uint32_t pieces, labelled;
};

static uint32_t label_kids(void *context, uint32_t parent, unsigned slot, uint32_t index)
{
    (void)context;
    return slot == KIDS && index != ETS_FB_WHOLE ? 100 + index : parent;
}

static void find_piece(void *context, uint32_t label, size_t at, size_t bytes)
{
    struct found *found = context;
    assert_true(ets_range_fits(at, bytes, sizeof found->covered));
    memset(found->covered + at, 1, bytes);
    found->pieces++;
    found->labelled += label >= 100;
}

static void test_flatbuffer__a_walk_finds_every_byte(void **state)
{
    (void)state;
    static struct buffer b;
    static struct found found;
    struct ets_fb root;
    size_t left = 0;
    (void)make_full(&b);
    const struct ets_bytes bytes = {b.data, b.size};
    assert_int_equal(ets_fb_verify_root(bytes, 0, &node_type, 0, &root, NULL), ETS_OK);
    memset(&found, 0, sizeof found);
    const struct ets_fb_walker walker = {&found, label_kids, find_piece};
    ets_fb_walk(bytes, root, &node_type, 1, &walker);
    assert_int_equal(found.labelled, 4); /* both kids are one table: vtable and table, twice */
    for (size_t i = 4; i < b.size; i++) {
        if (found.covered[i]) continue;
        assert_int_equal(b.data[i], 0); /* padding */
        left++;
    }
    assert_true(left <= 5 * 4); /* of five vectors */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flatbuffer__reads_every_kind_of_field),
        cmocka_unit_test(test_flatbuffer__truncated_at_every_byte),
        cmocka_unit_test(test_flatbuffer__bits_flipped_in_every_byte),
        cmocka_unit_test(test_flatbuffer__offsets),
        cmocka_unit_test(test_flatbuffer__tables_and_vtables),
        cmocka_unit_test(test_flatbuffer__the_stated_size_of_a_table_is_not_relied_on),
        cmocka_unit_test(test_flatbuffer__fields_of_newer_schemas_are_passed_over),
        cmocka_unit_test(test_flatbuffer__strings_and_vectors),
        cmocka_unit_test(test_flatbuffer__unions),
        cmocka_unit_test(test_flatbuffer__depth_has_a_limit),
        cmocka_unit_test(test_flatbuffer__overlapping_offsets_cost_no_more_than_the_file),
        cmocka_unit_test(test_flatbuffer__origin_is_added_to_offsets),
        cmocka_unit_test(test_flatbuffer__single_tables_share_a_budget),
        cmocka_unit_test(test_flatbuffer__a_walk_finds_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
