#include "android/android_log.h"

#include <android/log.h>

#include "text/text_line.h"

static int write_line(void *context, const void *data, size_t size)
{
    char text[ETS_TEXT_LINE_LETTERS];
    if (ets_text_line_copy(text, data, size) != 0) return -1;
    return __android_log_write(ANDROID_LOG_INFO, context, text) < 0 ? -1 : 0;
}

struct ets_etdump_sink ets_android_log_sink(const char *tag)
{
    return (struct ets_etdump_sink){(void *)(uintptr_t)tag, write_line};
}
