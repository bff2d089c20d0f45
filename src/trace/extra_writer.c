/* Writes an extra block: entries one after the other, then the footer that readers search for. */
#include "trace/extra_writer.h"

#include "base/crc32.h"
#include "etscope/trace_extra.h"
#include "trace/store.h"

void ets_extra_put(struct ets_extra_writer *extra, const void *data, size_t size)
{
    if (size == 0 || extra->status != ETS_OK) return;
    extra->crc = ets_crc32(extra->crc, data, size);
    extra->bytes += (uint32_t)size;
    if (extra->sink->write(extra->sink->context, data, size) != 0) extra->status = ETS_IO;
}

void ets_extra_put_padding(struct ets_extra_writer *extra)
{
    static const uint8_t zeros[8] = {0};
    ets_extra_put(extra, zeros, -extra->bytes & 7);
}

void ets_extra_put_key(struct ets_extra_writer *extra, uint32_t key, size_t bytes)
{
    uint8_t header[8];
    ets_store_u32(ets_store_u32(header, key), (uint32_t)bytes);
    ets_extra_put(extra, header, sizeof header);
}

void ets_extra_put_entry(struct ets_extra_writer *extra, uint32_t key, const void *data,
                         size_t bytes)
{
    ets_extra_put_key(extra, key, bytes);
    ets_extra_put(extra, data, bytes);
    ets_extra_put_padding(extra);
}

enum ets_status ets_extra_end(struct ets_extra_writer *extra)
{
    uint8_t footer[16], *at = footer;
    at = ets_store_u32(at, extra->bytes);
    at = ets_store_u32(at, extra->crc);
    at = ets_store_u32(at, ETS_TRACE_EXTRA_VERSION);
    ets_copy(at, ETS_TRACE_EXTRA_MAGIC, 4);
    ets_extra_put(extra, footer, sizeof footer);
    return extra->status;
}
