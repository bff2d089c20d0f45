/*
 * text_sink.h - a stream or an ETDump as lines of text, for consoles and logs.
 *
 * A stream, in a config:
 *
 *     static struct ets_text_sink text;
 *     const struct ets_trace_config config = {
 *         ..., .mode = ETS_TRACE_STREAM, .stream = ets_text_stream(&text, log_sink)};
 *
 * A whole ETDump, or a summary (trace_summary.h), after the run:
 *
 *     const struct ets_etdump_sink sink = ets_text_dump(&text, log_sink);
 *     if (ets_trace_write(&trace, &sink, NULL) == ETS_OK) ets_text_dump_end(&text);
 *
 * The lines are `etsf:` or `etsd:`, base64 of up to 48 bytes and a line feed, each handed to
 * `log_sink` by one call; docs/SPEC.md tells them ("Text form"). Log text may come between lines.
 * Freestanding, like the tracer. A struct serves one trace at a time, and must outlive it.
 */
#ifndef ETSCOPE_PLATFORMS_TEXT_SINK_H
#define ETSCOPE_PLATFORMS_TEXT_SINK_H

#include "etscope/etdump.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ETS_TEXT_LINE_BYTES 48
/* The longest line, with its line feed. */
#define ETS_TEXT_LINE_LETTERS (5 + ETS_TEXT_LINE_BYTES / 3 * 4 + 1)

/* Fields are for the functions below. */
struct ets_text_sink {
    struct ets_etdump_sink out;
    char kind;          /* the prefix's last letter: 'f' or 'd' */
    uint32_t left;      /* of a stream: bytes of the frame's payload that are still to come */
    uint32_t size, crc; /* of an ETDump so far */
    uint32_t used;
    uint8_t bytes[ETS_TEXT_LINE_BYTES]; /* of the line that is not full yet */
};

/* For a stream: every frame begins a line and its last byte ends one, so that none is held back. */
struct ets_etdump_sink ets_text_stream(struct ets_text_sink *text, struct ets_etdump_sink out);

/* For an ETDump, which ets_text_dump_end closes. Returns 0, or what `out` answered. */
struct ets_etdump_sink ets_text_dump(struct ets_text_sink *text, struct ets_etdump_sink out);
int ets_text_dump_end(struct ets_text_sink *text);

#ifdef __cplusplus
}
#endif

#endif
