/* The names of the ways in which a capture holds bytes. */
#ifndef ETSCOPE_DUMP_CAPTURE_NAMES_H
#define ETSCOPE_DUMP_CAPTURE_NAMES_H

#include "etscope/experimental/capture.h"

/* "raw", "hex", "base64". Static storage. */
const char *ets_capture_encoding_name(enum ets_capture_encoding encoding);

#endif
