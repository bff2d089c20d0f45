/* Reasons of the Windows API as errno. */
#ifndef ETSCOPE_HOST_OS_WINDOWS_WINDOWS_ERROR_H
#define ETSCOPE_HOST_OS_WINDOWS_WINDOWS_ERROR_H

int ets_os_error(void); /* of the last call of this thread that failed */

#endif
