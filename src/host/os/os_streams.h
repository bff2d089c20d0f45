/* Standard streams and the terminals behind them. */
#ifndef ETSCOPE_HOST_OS_STREAMS_H
#define ETSCOPE_HOST_OS_STREAMS_H

#include <stdbool.h>

enum ets_os_stream { ETS_OS_OUTPUT = 1, ETS_OS_MESSAGES = 2 };

/* main, once: bytes leave as they are written, in UTF-8, and terminals obey control sequences. */
void ets_os_prepare_streams(void);

bool ets_os_is_terminal(enum ets_os_stream stream);
unsigned ets_os_terminal_width(enum ets_os_stream stream); /* columns; 0: unknown */
/* Whether a terminal shows UTF-8, by the locale. */
bool ets_os_shows_utf8(void);

#endif
