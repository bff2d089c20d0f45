/* Makes the map of the bytes of some files. */
#include "contents/byte_map.h"

#include "contents/byte_claims.h"
#include "contents/byte_duplicates.h"
#include "etscope/bundle.h"
#include "format/program_lists.h"

const char *ets_byte_part_name(enum ets_byte_part part)
{
    static const char *const names[] = {
#define ETS_NAME(name, text, title) text,
        ETS_BYTE_PART_LIST(ETS_NAME)
#undef ETS_NAME
    };
    return names[part];
}

const char *ets_byte_part_title(enum ets_byte_part part)
{
    static const char *const titles[] = {
#define ETS_TITLE(name, text, title) title,
        ETS_BYTE_PART_LIST(ETS_TITLE)
#undef ETS_TITLE
    };
    return titles[part];
}

static enum ets_status open_bundle(struct ets_byte_file *file, struct ets_bytes bytes,
                                   struct ets_arena *arena, struct ets_error *error)
{
    file->bundle = ets_arena_alloc(arena, sizeof *file->bundle);
    if (file->bundle == NULL) return ets_fail_memory(error, "a bundled program");
    ETS_TRY(ets_bundle_init(file->bundle, bytes, error));
    file->program_offset = file->bundle->program_offset;
    const enum ets_status status = ets_program_init(&file->program, file->bundle->program, error);
    if (status != ETS_OK && error != NULL && error->offset != ETS_NO_OFFSET) {
        error->offset += file->program_offset;
    }
    return status;
}

static enum ets_status open_file(struct ets_byte_file *file, const struct ets_byte_source *source,
                                 struct ets_arena *arena, struct ets_error *error)
{
    file->path = source->path;
    file->bytes = source->bytes.size;
    file->kind = ets_kind_sniff(source->bytes);
    switch (file->kind) {
    case ETS_KIND_PROGRAM: return ets_program_init(&file->program, source->bytes, error);
    case ETS_KIND_BUNDLE: return open_bundle(file, source->bytes, arena, error);
    case ETS_KIND_DATA_FILE:
        file->data = ets_arena_alloc(arena, sizeof *file->data);
        if (file->data == NULL) return ets_fail_memory(error, "a data file");
        return ets_data_file_init(file->data, source->bytes, error);
    default:
        return ets_fail(error, ETS_WRONG_KIND, 0,
                        "%s, not a program (.pte, .bpte) or data file (.ptd)",
                        ets_kind_name(file->kind));
    }
}

static void add_test_value(struct ets_byte_claims *sheet, const struct ets_value *value,
                           uint32_t item)
{
    if (value->kind != ETS_VALUE_TENSOR || value->as.tensor.data == NULL) return;
    ets_byte_claims_claim(sheet, item, ets_byte_claims_offset(sheet, value->as.tensor.data),
                          value->as.tensor.data_bytes);
    ets_byte_item(sheet, item)->count++;
}

/* Test cases lie around the program, which has its own claims. */
static void add_test_cases(struct ets_byte_claims *sheet)
{
    const struct ets_bundle *bundle = sheet->file->bundle;
    const uint32_t inputs = ets_byte_claims_item(sheet, ETS_BYTES_TEST_CASE, "inputs");
    const uint32_t outputs = ets_byte_claims_item(sheet, ETS_BYTES_TEST_CASE, "expected outputs");
    const uint32_t lists = ets_byte_claims_item(sheet, ETS_BYTES_TEST_CASE, "list of test cases");
    const uint64_t end = bundle->program_offset + bundle->program.size;
    if (sheet->all->is_out_of_memory) return;
    for (uint32_t s = 0; s < bundle->suite_count; s++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, s, &suite);
        ets_byte_item(sheet, lists)->count += suite.case_count;
        for (uint32_t c = 0; c < suite.case_count; c++) {
            struct ets_bundle_case test_case;
            struct ets_value value;
            ets_bundle_case(&suite, c, &test_case);
            for (uint32_t i = 0; i < test_case.input_count; i++) {
                ets_bundle_input(&test_case, i, &value);
                add_test_value(sheet, &value, inputs);
            }
            for (uint32_t i = 0; i < test_case.expected_count; i++) {
                ets_bundle_expected(&test_case, i, &value);
                add_test_value(sheet, &value, outputs);
            }
        }
    }
    ets_byte_claims_region(sheet, lists, 0, bundle->program_offset, ETS_GAPS_ARE_LOOKED_AT);
    ets_byte_claims_region(sheet, lists, end, sheet->bytes.size - end, ETS_GAPS_ARE_LOOKED_AT);
}

static void add_data_entries(struct ets_byte_claims *sheet)
{
    const struct ets_data_file *data = sheet->file->data;
    const uint32_t list = ets_byte_claims_item(sheet, ETS_BYTES_PROGRAM, "list of data");
    const uint32_t unused = ets_byte_claims_item(sheet, ETS_BYTES_UNUSED, NULL);
    const uint32_t trailing = ets_byte_claims_item(sheet, ETS_BYTES_TRAILING, NULL);
    uint64_t end = data->flatbuffer_bytes;
    if (sheet->all->is_out_of_memory) return;
    ets_byte_item(sheet, list)->count = data->entry_count;
    ets_byte_claims_claim(sheet, list, 0, data->flatbuffer_bytes);
    for (uint32_t i = 0; i < data->segment_count; i++) {
        struct ets_data_segment segment;
        ets_data_file_segment(data, i, &segment);
        if (segment.size == 0) continue;
        ets_byte_claims_region(sheet, unused, segment.offset, segment.size, ETS_GAPS_ARE_UNREAD);
        if (segment.offset + segment.size > end) end = segment.offset + segment.size;
    }
    ets_byte_claims_region(sheet, trailing, end, sheet->bytes.size - end, ETS_GAPS_ARE_ITEMS);
    for (uint32_t i = 0; i < data->entry_count; i++) {
        struct ets_data_entry entry;
        ets_data_file_entry(data, i, &entry);
        if (entry.bytes.size == 0) continue;
        const uint32_t index =
            ets_byte_claims_data(sheet, ETS_BYTES_NAMED_DATA,
                                 ets_byte_claims_offset(sheet, entry.bytes.data), entry.bytes.size);
        if (index == ETS_BYTES_NONE) return;
        struct ets_byte_item *item = ets_byte_item(sheet, index);
        if (item->key.data == NULL) item->key = entry.key;
        if (entry.has_layout && item->dtype == NULL) {
            ets_byte_claims_take_shape(sheet, item, &entry.tensor);
        }
        ets_byte_claims_add_key(sheet->all, entry.key, index);
    }
}

/* The items of the files in turn; then what needs the keys of all of them. */
static enum ets_status gather(struct ets_byte_claims *sheets, uint32_t count, uint32_t *source_out,
                              struct ets_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        *source_out = i;
        if (sheets[i].file->bundle != NULL) add_test_cases(&sheets[i]);
        if (sheets[i].file->data != NULL) add_data_entries(&sheets[i]);
        else ETS_TRY(ets_program_bytes_add(&sheets[i], error));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sheets[i].file->data != NULL || sheets[i].all->is_out_of_memory) continue;
        ets_payload_bytes_add(&sheets[i]);
        if (sheets[i].all->is_out_of_memory) continue;
        ets_program_bytes_name(&sheets[i]);
        if (!ets_constant_uses_find(&sheets[i])) sheets[i].all->is_out_of_memory = true;
    }
    for (uint32_t i = 0; i < count && !sheets[i].all->is_out_of_memory; i++) {
        ets_byte_claims_count(&sheets[i]);
    }
    return count > 0 && sheets[0].all->is_out_of_memory
               ? ets_fail_memory(error, "the map of a file's bytes")
               : ETS_OK;
}

/* Items that no byte went to say nothing. */
static void drop_empty(struct ets_byte_map *map)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < map->item_count; i++) {
        if (map->items[i].bytes > 0) map->items[kept++] = map->items[i];
    }
    map->item_count = kept;
}

static enum ets_status fill(struct ets_byte_map *map, const struct ets_byte_options *options,
                            uint32_t *source_out, struct ets_error *error)
{
    struct ets_arena *arena = &map->arena;
    const uint32_t count = options->source_count;
    struct ets_byte_gathering all = {.map = map};
    struct ets_byte_file *files = ets_arena_alloc_array(arena, count, sizeof *files);
    struct ets_byte_claims *sheets = ets_arena_alloc_array(arena, count, sizeof *sheets);
    ets_key_table_init(&all.places, arena, 2);
    if (files == NULL || sheets == NULL || ets_strings_init(&all.keys, arena) != 0 ||
        ets_strings_init(&all.absent, arena) != 0) {
        return ets_fail_memory(error, "the map of a file's bytes");
    }
    map->files = files;
    map->file_count = count;
    for (uint32_t i = 0; i < count; i++) {
        *source_out = i;
        ETS_TRY(open_file(&files[i], &options->sources[i], arena, error));
        sheets[i] = (struct ets_byte_claims){
            .all = &all, .file = &files[i], .bytes = options->sources[i].bytes, .index = i};
        map->bytes += files[i].bytes;
    }
    *source_out = ETS_BYTES_NONE;
    ETS_TRY(ets_layer_names_init(&all.names, arena, options->record, error));
    ETS_TRY(gather(sheets, count, source_out, error));
    drop_empty(map);
    map->absent_count = all.absent.count - 1; /* the first is no text */
    return options->find_duplicates ? ets_byte_duplicates_find(map, options, error) : ETS_OK;
}

enum ets_status ets_byte_map_open(const struct ets_byte_options *options,
                                  const struct ets_allocator *allocator,
                                  struct ets_byte_map **map_out, uint32_t *source_out,
                                  struct ets_error *error)
{
    uint32_t source = ETS_BYTES_NONE;
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_byte_map *map = ets_arena_alloc(&arena, sizeof *map);
    enum ets_status status =
        map == NULL ? ets_fail_memory(error, "the map of a file's bytes") : ETS_OK;
    if (status == ETS_OK) {
        map->arena = arena;
        status = fill(map, options, &source, error);
        arena = map->arena;
    }
    if (source_out != NULL) *source_out = source;
    if (status != ETS_OK) ets_arena_reset(&arena);
    else *map_out = map;
    return status;
}

void ets_byte_map_close(struct ets_byte_map *map)
{
    if (map == NULL) return;
    struct ets_arena arena = map->arena; /* which the map lies in */
    ets_arena_reset(&arena);
}
