/*
 * kind.h - what a file is, told from its bytes alone.
 */
#ifndef ETSCOPE_KIND_H
#define ETSCOPE_KIND_H

#include "etscope/bytes.h"
#include "etscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ets_kind {
    ETS_KIND_UNKNOWN = 0,
    ETS_KIND_EMPTY = 1,
    ETS_KIND_ETDUMP = 2,    /* ED00, size-prefixed or bare */
    ETS_KIND_PROGRAM = 3,   /* .pte, ET12 */
    ETS_KIND_BUNDLE = 4,    /* .bpte, BP08 */
    ETS_KIND_DATA_FILE = 5, /* .ptd, FT01 */
    ETS_KIND_ETRECORD = 6,  /* a zip that holds the ETRecord marker */
    ETS_KIND_ZIP = 7,       /* any other zip, torch.save files included */
    ETS_KIND_NPY = 8,
    ETS_KIND_JSON = 9,
    ETS_KIND_TEXT = 10,
    ETS_KIND_CAPTURE = 11 /* frames of a stream or lines of one in its first 4 KiB */
};

/* Looks at the first bytes only (ETS_KIND_CAPTURE: 4 KiB; ETS_KIND_ETRECORD: at the first entries'
 * names). */
ETS_API enum ets_kind ets_kind_sniff(struct ets_bytes bytes);

/* "an ETDump", "an ExecuTorch program (.pte)", "a text file"... Static storage. */
ETS_API const char *ets_kind_name(enum ets_kind kind);

#ifdef __cplusplus
}
#endif

#endif
