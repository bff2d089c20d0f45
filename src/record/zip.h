/*
 * Reads the directory of a zip file in memory, and the bytes of its entries.
 *
 * Why not libarchive or extraction to disk, measured on Debian 12 (x86-64): a process that links
 * libarchive.so needs 2.5 ms and 4.8 MB to start (it loads libxml2, ICU, libstdc++), one that links
 * zlib 0.55 ms and 1.1 MB, one without either 0.5 ms and 1.0 MB. A record stores its entries
 * uncompressed, holds up to a dozen nested zips, and its entries are read in any order, for which
 * libarchive reads the directory again each time. So this code reads the central directory, stored
 * entries are pointers into the file, and zlib inflates the entries of records that were compressed
 * later. (APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.)
 *
 * Opening verifies all positions and sizes: later reads stay inside the file, and no two entries
 * share bytes. Zip64 and data descriptors are supported. Encrypted entries and other compression
 * methods are listed, but refused when read.
 */
#ifndef ETSCOPE_RECORD_ZIP_H
#define ETSCOPE_RECORD_ZIP_H

#include <stdbool.h>

#include "etscope/base.h"
#include "host/arena.h"

/* Signatures of the records of a zip file. */
enum ets_zip_signature {
    ETS_ZIP_LOCAL = 0x04034b50,
    ETS_ZIP_CENTRAL = 0x02014b50,
    ETS_ZIP_END = 0x06054b50,
    ETS_ZIP_END64 = 0x06064b50,
    ETS_ZIP_LOCATOR64 = 0x07064b50
};

/* Limits: entries of one zip, and bytes of one entry after inflating. */
#define ETS_ZIP_MAX_ENTRIES ((uint64_t)1 << 20)
#define ETS_ZIP_MAX_INFLATED_BYTES ((uint64_t)1 << 30)

struct ets_zip_entry {
    struct ets_text name;    /* borrowed from the file: not terminated */
    uint64_t header_offset;  /* of the local header, from the zip's start */
    uint64_t payload_offset; /* from the zip's start */
    uint64_t packed_bytes;   /* as stored in the file */
    uint64_t bytes;          /* after inflating */
    uint32_t crc;
    uint16_t method; /* 0: stored, 8: deflated */
    uint16_t flags;
    const uint8_t *data; /* NULL until the entry is read */
};

struct ets_zip {
    struct ets_bytes bytes;
    struct ets_arena *arena;
    uint64_t base_offset; /* of the zip in the whole file; added to offsets in errors */
    bool check_crc;       /* false if the CRC of an outer entry already covers the bytes */
    size_t entry_count;
    struct ets_zip_entry *entries;  /* in the order of the central directory */
    struct ets_zip_entry **by_name; /* sorted */
};

/* Reads the directory into `arena`. WRONG_KIND: not a zip; TRUNCATED, MALFORMED, LIMIT, NO_MEMORY.
 */
enum ets_status ets_zip_open(struct ets_zip *zip, struct ets_bytes bytes, uint64_t base_offset,
                             bool check_crc, struct ets_arena *arena, struct ets_error *error);

/* The entry named `name`, or NULL. */
struct ets_zip_entry *ets_zip_find(const struct ets_zip *zip, struct ets_text name);

/*
 * The entry's bytes, checked and inflated once. An empty entry has a valid pointer. Statuses:
 * MALFORMED (CRC, deflate stream), UNSUPPORTED (encrypted, other method), LIMIT, NO_MEMORY.
 */
enum ets_status ets_zip_read(struct ets_zip *zip, struct ets_zip_entry *entry,
                             struct ets_bytes *bytes_out, struct ets_error *error);

#endif
