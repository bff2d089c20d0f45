/* Unpacks gzip by zlib, into memory that grows with what comes out. */
#include "record/gzip.h"

#include <zlib.h>

#include "base/error.h"
#include "host/arena.h"

enum { FIRST_BYTES = 1 << 16, GZIP_WINDOW = 16 + MAX_WBITS };

struct unpacked {
    uint8_t *data;
    size_t used, room;
};

static enum ets_status grow(struct unpacked *out, struct ets_error *error)
{
    const size_t most = (size_t)ETS_GZIP_MOST_MIB << 20;
    if (out->used < out->room) return ETS_OK;
    if (out->room == most) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "unpacks to more than %d MiB; gunzip unpacks it", ETS_GZIP_MOST_MIB);
    }
    const size_t room = out->room == 0 ? FIRST_BYTES : out->room > most / 2 ? most : out->room * 2;
    uint8_t *data = ets_libc_allocator.reallocate(NULL, out->data, room);
    if (data == NULL) return ets_fail_memory(error, "what gzip packed");
    out->data = data;
    out->room = room;
    return ETS_OK;
}

/* One member; `at` is where the next begins. */
static enum ets_status unpack_member(struct ets_bytes bytes, size_t *at, struct unpacked *out,
                                     struct ets_error *error)
{
    z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)(bytes.data + *at)};
    int code = inflateInit2(&stream, GZIP_WINDOW);
    enum ets_status status = ETS_OK;
    size_t left = bytes.size - *at;
    while (code == Z_OK && status == ETS_OK) {
        if ((status = grow(out, error)) != ETS_OK) break;
        const size_t room = out->room - out->used;
        if (stream.avail_in == 0) {
            stream.avail_in = left > 1u << 30 ? 1u << 30 : (uInt)left;
            left -= stream.avail_in;
        }
        stream.next_out = out->data + out->used;
        stream.avail_out = room > 1u << 30 ? 1u << 30 : (uInt)room;
        const uInt before = stream.avail_out;
        code = inflate(&stream, Z_NO_FLUSH);
        out->used += before - stream.avail_out;
        if (code == Z_BUF_ERROR && stream.avail_in == 0 && left > 0) code = Z_OK;
    }
    *at = bytes.size - left - stream.avail_in;
    (void)inflateEnd(&stream);
    if (status != ETS_OK || code == Z_STREAM_END) return status;
    if (code == Z_MEM_ERROR) return ets_fail_memory(error, "zlib");
    if (code == Z_BUF_ERROR) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size, "gzip's data ends too early");
    }
    return ets_fail(error, ETS_MALFORMED, *at, "gzip's data is damaged");
}

enum ets_status ets_gzip_unpack(struct ets_bytes bytes, struct ets_bytes *data_out,
                                struct ets_error *error)
{
    struct unpacked out = {.data = NULL};
    size_t at = 0;
    enum ets_status status = ETS_OK;
    do {
        status = unpack_member(bytes, &at, &out, error);
    } while (status == ETS_OK && ets_is_gzip((struct ets_bytes){bytes.data + at, bytes.size - at}));
    if (status == ETS_OK) {
        *data_out = (struct ets_bytes){out.data, out.used};
    } else {
        ets_libc_allocator.release(NULL, out.data);
    }
    return status;
}
