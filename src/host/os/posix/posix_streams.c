/* Standard streams and terminals by POSIX. */
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "host/os/os_streams.h"

#include <langinfo.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

void ets_os_prepare_streams(void) {}

bool ets_os_is_terminal(enum ets_os_stream stream)
{
    return isatty((int)stream);
}

unsigned ets_os_terminal_width(enum ets_os_stream stream)
{
    struct winsize size;
    return ioctl((int)stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool ets_os_shows_utf8(void)
{
    return strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
