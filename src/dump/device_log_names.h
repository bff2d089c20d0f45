/* The names of the ways in which a capture holds bytes. */
#ifndef ETSCOPE_DUMP_DEVICE_LOG_NAMES_H
#define ETSCOPE_DUMP_DEVICE_LOG_NAMES_H

#include "etscope/experimental/device_log.h"

/* "raw", "hex", "base64". Static storage. */
const char *ets_log_encoding_name(enum ets_log_encoding encoding);

#endif
