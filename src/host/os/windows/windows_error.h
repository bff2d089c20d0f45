/* What the Windows API wants and gives: wide texts, and reasons that become errno. */
#ifndef ETSCOPE_HOST_OS_WINDOWS_WINDOWS_ERROR_H
#define ETSCOPE_HOST_OS_WINDOWS_WINDOWS_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

int ets_os_error(void); /* of the last call of this thread that failed */

enum { ETS_OS_WIDE = 4096 };

/* UTF-8 as UTF-16. NULL: errno, where it is no UTF-8 or too long; else `wide`. */
wchar_t *ets_os_wide(const char *text, wchar_t wide[ETS_OS_WIDE]);
/* UTF-16 as UTF-8; false: it is too long. */
bool ets_os_narrow(const wchar_t *wide, char *text, size_t room);

#endif
