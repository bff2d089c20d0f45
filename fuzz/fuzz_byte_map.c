/* Reads any bytes as a program or data file: every byte must count once. */
#include <stdlib.h>
#include <string.h>

#include "contents/byte_map.h"
#include "views/size_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_items(const struct ets_byte_map *map, size_t size)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        char name[256];
        sum += item->bytes;
        if (item->bytes == 0 || item->offset >= size || item->bytes > size - item->offset) abort();
        if (item->size > 0 && item->bytes > item->size) abort();
        if (item->method != ETS_BYTES_NONE && item->method >= map->files[0].program.method_count) {
            abort();
        }
        const size_t length = ets_size_item_name(item, name, sizeof name);
        if (length != strlen(name)) abort();
    }
    if (sum != size) abort();
}

static void check_lines(const struct ets_byte_map *map, size_t size)
{
    struct ets_arena arena;
    struct ets_size_lines lines;
    char text[512];
    uint64_t sum = 0;
    ets_arena_init(&arena, NULL, 0);
    if (ets_size_lines_collect(&arena, map, ETS_SIZE_BY_PART, &lines)) {
        for (uint32_t g = 0; g < lines.group_count; g++) sum += lines.groups[g].bytes;
        if (sum != size) abort();
        const size_t length = ets_size_headline(&lines, text, sizeof text);
        if (length != strlen(text)) abort();
    }
    ets_arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_byte_source source = {"file", {data, size}, NULL};
    const struct ets_byte_options options = {
        .sources = &source, .source_count = 1, .find_duplicates = true};
    struct ets_byte_map *map;
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const enum ets_status status = ets_byte_map_open(&options, NULL, &map, NULL, &error);
    if (status == ETS_OK) {
        check_items(map, size);
        check_lines(map, size);
        ets_byte_map_close(map);
    } else if (error.status != status || error.message[0] == '\0') {
        abort();
    }
    return 0;
}
