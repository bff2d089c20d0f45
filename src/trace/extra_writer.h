/* Writes the entries of an extra block, and its footer. docs/SPEC.md describes the bytes. */
#ifndef ETSCOPE_TRACE_EXTRA_WRITER_H
#define ETSCOPE_TRACE_EXTRA_WRITER_H

#include "etscope/etdump.h"

/* Set `sink`; the rest is 0. */
struct ets_extra_writer {
    const struct ets_etdump_sink *sink;
    uint32_t bytes, crc;
    enum ets_status status;
};

/* An entry in parts: its key with the size of its value, the value, zeros up to a multiple of 8. */
void ets_extra_put_key(struct ets_extra_writer *extra, uint32_t key, size_t bytes);
void ets_extra_put(struct ets_extra_writer *extra, const void *data, size_t size);
void ets_extra_put_padding(struct ets_extra_writer *extra);

/* A whole entry. */
void ets_extra_put_entry(struct ets_extra_writer *extra, uint32_t key, const void *data,
                         size_t bytes);

/* Writes the footer. Statuses: IO (the sink refused). */
enum ets_status ets_extra_end(struct ets_extra_writer *extra);

#endif
