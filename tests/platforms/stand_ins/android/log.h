/* Stands in for the NDK's header: what platforms/android uses of it. */
#ifndef STAND_IN_ANDROID_LOG_H
#define STAND_IN_ANDROID_LOG_H

enum { ANDROID_LOG_INFO = 4 };

int __android_log_write(int prio, const char *tag, const char *text);

#endif
