/*
 * android_log.h - lines of a trace in Android's log, for apps that have no file or socket to spare.
 *
 *     static struct ets_text_sink text;
 *     const struct ets_trace_config config = {
 *         ..., .mode = ETS_TRACE_STREAM,
 *         .stream = ets_text_stream(&text, ets_android_log_sink("etscope"))};
 *
 * On the computer: `adb logcat -s etscope:I | tee app.log`, then `etscope recover app.log`. The log
 * is a buffer that all apps share: `adb logcat -G 16M` makes it larger. Link with -llog.
 */
#ifndef ETSCOPE_PLATFORMS_ANDROID_LOG_H
#define ETSCOPE_PLATFORMS_ANDROID_LOG_H

#include "etscope/etdump.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Logs each line of a text sink (text_sink.h) with priority INFO; other data is refused, and so is
 * what the log refuses. `tag` must outlive the sink.
 */
struct ets_etdump_sink ets_android_log_sink(const char *tag);

#ifdef __cplusplus
}
#endif

#endif
