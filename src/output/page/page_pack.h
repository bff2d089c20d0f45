/* Packs bytes for a page: gzip (RFC 1952), base64. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_PACK_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_PACK_H

#include <stdbool.h>

#include "host/output.h"
#include "output/page/page_table.h"

/* page_gzip.c, or without zlib page_gzip_stored.c. False where memory ran out. */
bool ets_page_gzip(struct ets_arena *arena, const struct ets_page_bytes *bytes,
                   struct ets_page_bytes *packed_out);

void ets_page_write_base64(struct ets_output *output, const uint8_t *data, size_t size);

#endif
