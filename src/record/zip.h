/*
 * The directory of a zip file in memory and the bytes of its entries.
 *
 * Measured on Debian 12 (x86-64), why this is neither libarchive nor extraction to disk: a process
 * that merely links libarchive.so needs 2.5 ms and 4.8 MB to start (it pulls libxml2, ICU,
 * libstdc++), one that links zlib 0.55 ms and 1.1 MB, one with nothing 0.5 ms and 1.0 MB. A record
 * stores its entries uncompressed, one record holds up to a dozen zips inside of it, and entries
 * are wanted in any order, for which libarchive reads the directory again from its start. So the
 * central directory is walked here, stored entries are pointers into the file, and zlib inflates
 * the entries of a record that somebody packed again. (APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.)
 *
 * Opening verifies everything an entry says about places: all later reads stay inside the file,
 * and no two entries share bytes. Zip64 and data descriptors are understood; entries that are
 * encrypted or packed by other methods are listed and refused when read.
 */
#ifndef ETSCOPE_RECORD_ZIP_H
#define ETSCOPE_RECORD_ZIP_H

#include <stdbool.h>

#include "etscope/base.h"
#include "host/arena.h"

/* What the records of a zip file begin with. */
enum ets_zip_signature {
    ETS_ZIP_LOCAL = 0x04034b50,
    ETS_ZIP_CENTRAL = 0x02014b50,
    ETS_ZIP_END = 0x06054b50,
    ETS_ZIP_END64 = 0x06064b50,
    ETS_ZIP_LOCATOR64 = 0x07064b50
};

/* Ceilings: entries of one zip, and bytes of one entry after inflating. */
#define ETS_ZIP_MAX_ENTRIES ((uint64_t)1 << 20)
#define ETS_ZIP_MAX_INFLATED_BYTES ((uint64_t)1 << 30)

struct ets_zip_entry {
    struct ets_text name;    /* borrowed from the file: not terminated */
    uint64_t header_offset;  /* of the local header, from the zip's start */
    uint64_t payload_offset; /* from the zip's start */
    uint64_t packed_bytes;   /* as they lie in the file */
    uint64_t bytes;          /* after inflating */
    uint32_t crc;
    uint16_t method; /* 0: stored, 8: deflated */
    uint16_t flags;
    const uint8_t *data; /* NULL until the entry was read */
};

struct ets_zip {
    struct ets_bytes bytes;
    struct ets_arena *arena;
    uint64_t base_offset; /* of the zip in the whole file: what errors add */
    bool check_crc;       /* false where an outer entry's CRC already covers the bytes */
    size_t entry_count;
    struct ets_zip_entry *entries;  /* in the order of the central directory */
    struct ets_zip_entry **by_name; /* sorted */
};

/* Reads the directory into `arena`. WRONG_KIND: no zip; TRUNCATED, MALFORMED, LIMIT, NO_MEMORY. */
enum ets_status ets_zip_open(struct ets_zip *zip, struct ets_bytes bytes, uint64_t base_offset,
                             bool check_crc, struct ets_arena *arena, struct ets_error *error);

/* The entry named `name`, or NULL. */
struct ets_zip_entry *ets_zip_find(const struct ets_zip *zip, struct ets_text name);

/*
 * The entry's bytes, checked and inflated once: MALFORMED (CRC, deflate stream), UNSUPPORTED
 * (encrypted, other method), LIMIT, NO_MEMORY. An empty entry has a valid pointer.
 */
enum ets_status ets_zip_read(struct ets_zip *zip, struct ets_zip_entry *entry,
                             struct ets_bytes *bytes_out, struct ets_error *error);

/* 1 where `bytes` is a zip whose directory lists `name`; allocates nothing, trusts nothing. */
int ets_zip_lists(struct ets_bytes bytes, struct ets_text name);

#endif
