/* Names of the encodings of a capture. */
#ifndef ETSCOPE_DUMP_DEVICE_LOG_NAMES_H
#define ETSCOPE_DUMP_DEVICE_LOG_NAMES_H

#include "etscope/experimental/device_log.h"

/* "raw", "hex", "base64". Static storage. */
const char *ets_log_encoding_name(enum ets_log_encoding encoding);

#endif
