/* Where the bytes of files are: each counts once, whatever the file says. */
#include "base/load.h"
#include "contents/byte_map.h"
#include "payload/payload_kind.h"
#include "test_faults_support.h"
#include "test_files_support.h"

static enum ets_status open_map(struct ets_bytes bytes, struct ets_etrecord *record,
                                const struct ets_allocator *allocator,
                                struct ets_byte_map **map_out, struct ets_error *error)
{
    const struct ets_byte_source source = {"file", bytes, NULL};
    const struct ets_byte_options options = {
        .sources = &source, .source_count = 1, .record = record, .find_duplicates = true};
    return ets_byte_map_open(&options, allocator, map_out, NULL, error);
}

/* Every byte once, no item outside of the file or larger than what it is. */
static void assert_counts(const struct ets_byte_map *map, uint64_t size)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        sum += item->bytes;
        assert_true(item->bytes > 0);
        assert_true(item->offset < size && item->bytes <= size - item->offset);
        if (item->size > 0) assert_true(item->bytes <= item->size);
        if (item->same_as == ETS_BYTES_NONE) continue;
        assert_true(item->same_as < i || item->same_as < map->item_count);
        assert_int_equal(map->items[item->same_as].size, item->size);
    }
    assert_int_equal(sum, size);
}

static const struct ets_byte_item *find_part(const struct ets_byte_map *map,
                                             enum ets_byte_part part)
{
    for (uint32_t i = 0; i < map->item_count; i++) {
        if (map->items[i].part == part) return &map->items[i];
    }
    return NULL;
}

static uint64_t part_bytes(const struct ets_byte_map *map, enum ets_byte_part part)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < map->item_count; i++) {
        if (map->items[i].part == part) sum += map->items[i].bytes;
    }
    return sum;
}

/* A copy of a file that a test may change. */
struct copy {
    uint8_t *data;
    size_t size;
};

static struct copy copy_of(const char *name, size_t room)
{
    struct ets_file *file = open_file(name);
    const struct ets_bytes bytes = ets_file_bytes(file);
    struct copy copy = {calloc(1, bytes.size + room), bytes.size};
    assert_non_null(copy.data);
    memcpy(copy.data, bytes.data, bytes.size);
    ets_file_close(file);
    return copy;
}

static struct ets_byte_map *map_of(const struct copy *copy)
{
    struct ets_byte_map *map = NULL;
    struct ets_error error = {.message = ""};
    const enum ets_status status =
        open_map((struct ets_bytes){copy->data, copy->size}, NULL, NULL, &map, &error);
    if (status != ETS_OK) fail_msg("%s", error.message);
    assert_counts(map, copy->size);
    return map;
}

static void test_byte_map__counts_every_byte_of_the_fixtures(void **state)
{
    (void)state;
    static const char *const files[] = {"model.pte", "model.bpte"};
    for (size_t i = 0; i < COUNT(fixture_models); i++) {
        for (size_t k = 0; k < COUNT(files); k++) {
            struct ets_file *file = open_fixture(fixture_models[i], files[k]);
            struct ets_byte_map *map = NULL;
            assert_int_equal(open_map(ets_file_bytes(file), NULL, NULL, &map, NULL), ETS_OK);
            assert_counts(map, ets_file_bytes(file).size);
            assert_null(find_part(map, ETS_BYTES_OTHER));
            ets_byte_map_close(map);
            ets_file_close(file);
        }
    }
}

static void test_byte_map__a_file_may_end_at_every_byte(void **state)
{
    (void)state;
    static const char *const files[] = {"mlp_xnnpack/model.pte", "schema/everything.pte",
                                        "schema/inline.pte", "schema/oddities.bpte",
                                        "ptd/external.ptd"};
    for (size_t i = 0; i < COUNT(files); i++) {
        const struct copy copy = copy_of(files[i], 0);
        for (size_t size = 0; size < copy.size; size++) {
            /* In memory of its own, so that a sanitizer sees what is read behind it. */
            uint8_t *cut = malloc(size > 0 ? size : 1);
            struct ets_byte_map *map = NULL;
            struct ets_error error = {.message = ""};
            assert_non_null(cut);
            memcpy(cut, copy.data, size);
            const enum ets_status status =
                open_map((struct ets_bytes){cut, size}, NULL, NULL, &map, &error);
            if (status == ETS_OK) assert_counts(map, size);
            else assert_damage_told(status, &error, size);
            if (status == ETS_OK) ets_byte_map_close(map);
            free(cut);
        }
        free(copy.data);
    }
}

static void test_byte_map__every_byte_may_be_wrong(void **state)
{
    (void)state;
    static const char *const files[] = {"mlp_xnnpack/model.pte", "schema/everything.pte",
                                        "schema/oddities.bpte", "ptd/external.ptd"};
    for (size_t i = 0; i < COUNT(files); i++) {
        const struct copy copy = copy_of(files[i], 0);
        for (size_t at = 0; at < copy.size; at++) {
            struct ets_byte_map *map = NULL;
            copy.data[at] ^= 0xff;
            if (open_map((struct ets_bytes){copy.data, copy.size}, NULL, NULL, &map, NULL) ==
                ETS_OK) {
                assert_counts(map, copy.size);
                ets_byte_map_close(map);
            }
            copy.data[at] ^= 0xff;
        }
        free(copy.data);
    }
}

static void test_byte_map__memory_may_end_at_every_allocation(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("conv_xnnpack_int8", "model.pte");
    struct ets_file *record_file = open_fixture("conv_xnnpack_int8", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(record_file));
    for (unsigned long fail_at = 0;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_byte_map *map = NULL;
        struct ets_error error = {.message = ""};
        const enum ets_status status =
            open_map(ets_file_bytes(file), record, &allocator, &map, &error);
        if (status == ETS_OK) {
            assert_counts(map, ets_file_bytes(file).size);
            ets_byte_map_close(map);
            assert_int_equal(failing.live, 0);
            assert_true(fail_at > 0);
            break;
        }
        assert_int_equal(status, ETS_NO_MEMORY);
        assert_int_equal(error.status, ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
    }
    ets_etrecord_close(record);
    ets_file_close(record_file);
    ets_file_close(file);
}

static void test_byte_map__what_lies_behind_is_trailing(void **state)
{
    (void)state;
    struct copy copy = copy_of("mlp_xnnpack/model.pte", 100);
    copy.size += 100;
    struct ets_byte_map *map = map_of(&copy);
    assert_int_equal(part_bytes(map, ETS_BYTES_TRAILING), 100);
    ets_byte_map_close(map);
    free(copy.data);
}

/* The bytes of a segment's offset or size in the FlatBuffer, by what they say. */
static uint8_t *find_number(const struct copy *copy, uint64_t number, size_t from)
{
    struct ets_program program;
    assert_int_equal(ets_program_init(&program, (struct ets_bytes){copy->data, copy->size}, NULL),
                     ETS_OK);
    for (size_t at = from; at + 8 <= program.flatbuffer_bytes; at++) {
        if (ets_load_u64(copy->data + at) == number) return copy->data + at;
    }
    return NULL;
}

static const struct ets_byte_item *largest_weight(const struct ets_byte_map *map)
{
    const struct ets_byte_item *largest = NULL;
    for (uint32_t i = 0; i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (item->part != ETS_BYTES_WEIGHT) continue;
        if (largest == NULL || item->bytes > largest->bytes) largest = item;
    }
    return largest;
}

static void test_byte_map__what_overlaps_counts_once(void **state)
{
    (void)state;
    const struct copy copy = copy_of("mlp_xnnpack/model.pte", 0);
    struct ets_program program;
    assert_int_equal(ets_program_init(&program, (struct ets_bytes){copy.data, copy.size}, NULL),
                     ETS_OK);
    struct ets_byte_map *map = map_of(&copy);
    const struct ets_byte_item *weight = largest_weight(map);
    assert_non_null(weight);
    const uint64_t offset = weight->offset - program.segment_base, before = weight->bytes;
    const uint64_t moved = offset - 64; /* onto the end of what lies before it */
    uint8_t *at = find_number(&copy, offset, 64);
    assert_non_null(at);
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(moved >> 8 * i);
    ets_byte_map_close(map);
    map = map_of(&copy);
    assert_true(largest_weight(map)->bytes <= before);
    ets_byte_map_close(map);
    free(copy.data);
}

static void test_byte_map__unknown_payload_has_no_weights(void **state)
{
    (void)state;
    const struct copy copy = copy_of("mlp_xnnpack/model.pte", 0);
    struct ets_byte_map *map = map_of(&copy);
    const struct ets_byte_item *payload = find_part(map, ETS_BYTES_PAYLOAD);
    const uint64_t weights = part_bytes(map, ETS_BYTES_WEIGHT);
    assert_non_null(payload);
    assert_string_equal(payload->content, "XNNPACK graph");
    assert_int_equal(payload->count, 3); /* nodes */
    copy.data[payload->offset + 4] = 'Y';
    ets_byte_map_close(map);
    map = map_of(&copy);
    assert_string_equal(find_part(map, ETS_BYTES_PAYLOAD)->content, "unknown");
    assert_int_equal(part_bytes(map, ETS_BYTES_WEIGHT), 0);
    assert_int_equal(part_bytes(map, ETS_BYTES_NAMED_DATA), weights);
    ets_byte_map_close(map);
    free(copy.data);
}

static void test_byte_map__constants_inside_the_flatbuffer(void **state)
{
    (void)state;
    const struct copy copy = copy_of("schema/inline.pte", 0);
    struct ets_program program;
    struct ets_program_sizes sizes;
    assert_int_equal(ets_program_init(&program, (struct ets_bytes){copy.data, copy.size}, NULL),
                     ETS_OK);
    ets_program_sizes(&program, &sizes);
    struct ets_byte_map *map = map_of(&copy);
    assert_int_equal(sizes.constant_bytes, 8);
    assert_int_equal(part_bytes(map, ETS_BYTES_CONSTANT), 8);
    assert_int_equal(part_bytes(map, ETS_BYTES_PAYLOAD), sizes.delegate_bytes);
    ets_byte_map_close(map);
    free(copy.data);
}

/* schema/make.py puts a segment into it that nothing refers to, and a payload of either kind. */
static void test_byte_map__what_nothing_refers_to_is_unused(void **state)
{
    (void)state;
    const struct copy copy = copy_of("schema/everything.pte", 0);
    struct ets_byte_map *map = map_of(&copy);
    assert_int_equal(part_bytes(map, ETS_BYTES_UNUSED), strlen("unused"));
    assert_int_equal(part_bytes(map, ETS_BYTES_OTHER), 0);
    assert_int_equal(part_bytes(map, ETS_BYTES_PAYLOAD),
                     strlen("blob of a segment") + strlen("inlined blob"));
    assert_int_equal(part_bytes(map, ETS_BYTES_NAMED_DATA), strlen("named"));
    ets_byte_map_close(map);
    free(copy.data);
}

static void test_byte_map__equal_weights_are_found(void **state)
{
    (void)state;
    /* Both layers of the fixture have weights; a third of one's bytes are made the other's. */
    const struct copy copy = copy_of("gpt_xnnpack/model.pte", 0);
    struct ets_byte_map *map = map_of(&copy);
    const struct ets_byte_item *first = largest_weight(map), *second = NULL;
    for (uint32_t i = 0; i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (item != first && item->part == ETS_BYTES_WEIGHT && item->size == first->size) {
            second = item;
        }
    }
    assert_non_null(second);
    assert_int_equal(map->duplicate_count, 0);
    const uint64_t size = first->size, from = first->offset, to = second->offset;
    ets_byte_map_close(map);
    memcpy(copy.data + to, copy.data + from, size);
    map = map_of(&copy);
    assert_int_equal(map->duplicate_count, 1);
    assert_int_equal(map->duplicate_bytes, size);
    ets_byte_map_close(map);
    copy.data[to] ^= 1; /* the sample is the same */
    map = map_of(&copy);
    assert_int_equal(map->duplicate_count, 0);
    ets_byte_map_close(map);
    free(copy.data);
}

static void test_byte_map__comparing_has_a_limit(void **state)
{
    (void)state;
    struct ets_file *file = open_file("gpt_xnnpack/model.pte");
    const struct ets_byte_source source = {"file", ets_file_bytes(file), file};
    struct ets_byte_options options = {
        .sources = &source, .source_count = 1, .find_duplicates = true, .most_compared = 1};
    struct ets_byte_map *map = NULL;
    assert_int_equal(ets_byte_map_open(&options, NULL, &map, NULL, NULL), ETS_OK);
    assert_int_equal(map->duplicate_count, 0);
    const uint32_t unread = map->unread_count;
    ets_byte_map_close(map);
    options.most_compared = 0;
    assert_int_equal(ets_byte_map_open(&options, NULL, &map, NULL, NULL), ETS_OK);
    assert_int_equal(map->unread_count, 0);
    assert_true(unread >= map->duplicate_count);
    ets_byte_map_close(map);
    ets_file_close(file);
}

static void test_byte_map__names_the_source_with_the_error(void **state)
{
    (void)state;
    struct ets_file *file = open_file("mlp_xnnpack/model.pte");
    const struct ets_byte_source sources[] = {
        {"good", ets_file_bytes(file), file},
        {"bad", {(const uint8_t *)"no program", 10}, NULL},
    };
    const struct ets_byte_options options = {.sources = sources, .source_count = 2};
    struct ets_byte_map *map = NULL;
    struct ets_error error = {.message = ""};
    uint32_t source = 7;
    assert_int_equal(ets_byte_map_open(&options, NULL, &map, &source, &error), ETS_WRONG_KIND);
    assert_int_equal(source, 1);
    assert_null(map);
    ets_file_close(file);
}

static const char *kind_of(const char *bytes, size_t size)
{
    static char text[ETS_PAYLOAD_KIND_CHARS];
    return ets_payload_kind((struct ets_bytes){(const uint8_t *)bytes, size}, text);
}

static void test_byte_map__payloads_of_known_shapes(void **state)
{
    (void)state;
    assert_string_equal(kind_of("PK\3\4....", 8), "zip");
    assert_string_equal(kind_of("\177ELF....", 8), "ELF");
    assert_string_equal(kind_of("\0\0\0\0VH00....", 12), "Vulkan graph");
    assert_string_equal(kind_of("\x0c\0\0\0TOSA............", 20), "FlatBuffer TOSA");
    assert_string_equal(kind_of("\xf0\0\0\0TOSA............", 20), "unknown");
    assert_string_equal(kind_of("\x0c\0\0\0T SA............", 20), "unknown");
    assert_string_equal(kind_of("", 0), "unknown");
    assert_string_equal(kind_of("PK", 2), "unknown");
}

static void test_byte_map__constants_behind_a_vulkan_graph(void **state)
{
    (void)state;
    uint8_t payload[64] = {0};
    struct ets_bytes constants;
    const struct ets_bytes bytes = {payload, sizeof payload};
    memcpy(payload + 4, "VH00", 4);
    payload[10] = 32; /* the graph: 16 bytes at 32 */
    payload[14] = 16;
    payload[18] = 48; /* constants: 8 bytes at 48 */
    payload[22] = 8;
    struct ets_bytes graph = ets_payload_flatbuffer(bytes, &constants);
    assert_ptr_equal(graph.data, payload + 32);
    assert_int_equal(graph.size, 16);
    assert_ptr_equal(constants.data, payload + 48);
    assert_int_equal(constants.size, 8);
    payload[22] = 17; /* past the end */
    graph = ets_payload_flatbuffer(bytes, &constants);
    assert_int_equal(graph.size, 16);
    assert_null(constants.data);
    payload[10] = 60;
    assert_null(ets_payload_flatbuffer(bytes, &constants).data);
    for (size_t size = 0; size < 30; size++) {
        (void)ets_payload_flatbuffer((struct ets_bytes){payload, size}, &constants);
        assert_null(constants.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte_map__counts_every_byte_of_the_fixtures),
        cmocka_unit_test(test_byte_map__a_file_may_end_at_every_byte),
        cmocka_unit_test(test_byte_map__every_byte_may_be_wrong),
        cmocka_unit_test(test_byte_map__memory_may_end_at_every_allocation),
        cmocka_unit_test(test_byte_map__what_lies_behind_is_trailing),
        cmocka_unit_test(test_byte_map__what_overlaps_counts_once),
        cmocka_unit_test(test_byte_map__unknown_payload_has_no_weights),
        cmocka_unit_test(test_byte_map__constants_inside_the_flatbuffer),
        cmocka_unit_test(test_byte_map__what_nothing_refers_to_is_unused),
        cmocka_unit_test(test_byte_map__equal_weights_are_found),
        cmocka_unit_test(test_byte_map__comparing_has_a_limit),
        cmocka_unit_test(test_byte_map__names_the_source_with_the_error),
        cmocka_unit_test(test_byte_map__payloads_of_known_shapes),
        cmocka_unit_test(test_byte_map__constants_behind_a_vulkan_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
