/* What the tests of ETRecords share: fixtures, zip files made in memory, a small checksum. */
#ifndef ETSCOPE_TESTS_RECORD_SUPPORT_H
#define ETSCOPE_TESTS_RECORD_SUPPORT_H

#include "test_files_support.h"

/* FNV-1a over what is added, to compare much with one number. */
struct checksum {
    uint64_t value;
};

static inline struct checksum checksum_start(void)
{
    return (struct checksum){UINT64_C(0xcbf29ce484222325)};
}

static inline void checksum_add(struct checksum *sum, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum->value = (sum->value ^ (uint8_t)data[i]) * UINT64_C(0x100000001b3);
    }
}

static inline void checksum_text(struct checksum *sum, struct ets_text text)
{
    checksum_add(sum, text.data, text.size);
}

static inline void checksum_number(struct checksum *sum, const char *before, long long number)
{
    char line[32];
    checksum_add(sum, before, strlen(before));
    checksum_add(sum, line, (size_t)snprintf(line, sizeof line, "%lld", number));
}

/* A zip of stored entries. */
struct zip_writer {
    uint8_t data[1 << 16];
    size_t size;
    uint8_t directory[1 << 13];
    size_t directory_size;
    unsigned count;
};

static inline uint32_t crc_of(const void *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= ((const uint8_t *)data)[i];
        for (int bit = 0; bit < 8; bit++) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static inline void put_number(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static inline void zip_add(struct zip_writer *zip, const char *name, const void *data, size_t size)
{
    const size_t name_size = strlen(name);
    uint8_t *local = zip->data + zip->size, *central = zip->directory + zip->directory_size;
    assert_true(zip->size + 30 + name_size + size < sizeof zip->data - sizeof zip->directory);
    assert_true(zip->directory_size + 46 + name_size < sizeof zip->directory - 22);
    memset(local, 0, 30);
    memset(central, 0, 46);
    put_number(local, 0x04034b50, 4);
    put_number(local + 14, crc_of(data, size), 4);
    put_number(local + 18, size, 4);
    put_number(local + 22, size, 4);
    put_number(local + 26, name_size, 2);
    put_number(central, 0x02014b50, 4);
    put_number(central + 16, crc_of(data, size), 4);
    put_number(central + 20, size, 4);
    put_number(central + 24, size, 4);
    put_number(central + 28, name_size, 2);
    put_number(central + 42, zip->size, 4);
    memcpy(local + 30, name, name_size);
    memcpy(central + 46, name, name_size);
    if (size > 0) memcpy(local + 30 + name_size, data, size);
    zip->size += 30 + name_size + size;
    zip->directory_size += 46 + name_size;
    zip->count++;
}

static inline void zip_add_text(struct zip_writer *zip, const char *name, const char *text)
{
    zip_add(zip, name, text, strlen(text));
}

/* Writes directory and end record; the offset of the directory is in *directory_out. */
static inline struct ets_bytes zip_finish(struct zip_writer *zip, size_t *directory_out)
{
    uint8_t *end = zip->directory + zip->directory_size;
    memset(end, 0, 22);
    put_number(end, 0x06054b50, 4);
    put_number(end + 8, zip->count, 2);
    put_number(end + 10, zip->count, 2);
    put_number(end + 12, zip->directory_size, 4);
    put_number(end + 16, zip->size, 4);
    if (directory_out != NULL) *directory_out = zip->size;
    memcpy(zip->data + zip->size, zip->directory, zip->directory_size + 22);
    return (struct ets_bytes){zip->data, zip->size + zip->directory_size + 22};
}

#endif
