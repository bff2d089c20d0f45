/* clang-format off */
/*
 * capture.h - what a log or a file holds of a device's trace: frames of a stream, or an ETDump, as
 * bytes or as text.
 *
 *     struct ets_capture found;
 *     void *memory = malloc(bytes.size);
 *     if (ets_capture_find(&found, bytes, ETS_CAPTURE_AUTO, memory, bytes.size, &error) == ETS_OK) {
 *         if (found.stream.size != 0) ets_trace_capture_init(&capture, found.stream);
 *         else write(found.dump); // a whole ETDump
 *     }
 *
 * The text forms, with other lines between them and other text before them:
 *
 *     [00:00:02.117] etsf:q1RTRgEAAQAAAAAAMAAAAA==     lines as docs/SPEC.md, "Text form"
 *     q1RTRgEAAQAAAAAAMAAAAEXh                         the last word of a line, 16 letters or more
 *     ab545346010001000000000030000000                 xxd -p
 *     00000000: ab54 5346 0100 0100   .TSF....         xxd
 *     00000000  ab 54 53 46 01 00 01 00  |.TSF....|    hexdump -C, with its "*" for repetitions
 *     I (312) app: ab 54 53 46 01 00 01 00             8 bytes or more at the end of a line
 *
 * A damaged line costs the frames that it has a part of. Time grows with the size alone.
 */
/* clang-format on */
#ifndef ETSCOPE_CAPTURE_H
#define ETSCOPE_CAPTURE_H

#include "etscope/bytes.h"
#include "etscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a capture holds bytes. */
enum ets_capture_encoding {
    ETS_CAPTURE_AUTO = 0, /* the first of the others in which there is anything */
    ETS_CAPTURE_RAW = 1,
    ETS_CAPTURE_HEX = 2,
    ETS_CAPTURE_BASE64 = 3 /* lines with a prefix; where there are none, words */
};

struct ets_capture {
    enum ets_capture_encoding encoding; /* never AUTO */
    struct ets_bytes stream; /* frames and what is between them; size 0: no whole frame */
    struct ets_bytes dump;   /* the last whole ETDump; size 0: none */
    uint32_t dumps;          /* whole ones */
    uint32_t damaged_dumps;  /* of the text form, torn or cut off */
};

/*
 * Finds frames and ETDumps in `bytes`, which are borrowed. `memory` is for what is decoded:
 * bytes.size bytes suffice, and stay in use as long as the result is. Statuses: NOT_FOUND (no whole
 * frame and no whole ETDump), NO_SPACE (less memory than bytes.size).
 */
ETS_API enum ets_status ets_capture_find(struct ets_capture *capture_out, struct ets_bytes bytes,
                                         enum ets_capture_encoding encoding, void *memory,
                                         size_t memory_bytes, struct ets_error *error);

/* "raw", "hex", "base64". Static storage. */
ETS_API const char *ets_capture_encoding_name(enum ets_capture_encoding encoding);

#ifdef __cplusplus
}
#endif

#endif
