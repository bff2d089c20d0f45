/* WASI preview 1 opens no sockets; it has random bytes. */
#define _DEFAULT_SOURCE /* getentropy */
#include "host/os/os_sockets.h"

#include <errno.h>
#include <unistd.h>

const bool ets_os_has_local_sockets = false;

enum { MOST_ENTROPY = 256 }; /* bytes that one call gives */

static int64_t refuse(void)
{
    errno = ENOSYS;
    return -1;
}

ets_os_socket ets_os_listen(unsigned *port, int most_waiting)
{
    (void)port;
    (void)most_waiting;
    return (ets_os_socket)refuse();
}

ets_os_socket ets_os_accept(ets_os_socket listening)
{
    (void)listening;
    return (ets_os_socket)refuse();
}

int64_t ets_os_receive(ets_os_socket from, void *data, size_t size)
{
    (void)from;
    (void)data;
    (void)size;
    return refuse();
}

int64_t ets_os_send(ets_os_socket to, const void *data, size_t size)
{
    (void)to;
    (void)data;
    (void)size;
    return refuse();
}

void ets_os_end_sending(ets_os_socket to)
{
    (void)to;
}

void ets_os_close_socket(ets_os_socket socket)
{
    (void)socket;
}

bool ets_os_wait_for_events(struct ets_os_event *events, size_t count, int input,
                            bool *input_is_ready_out, int milliseconds)
{
    (void)input;
    (void)milliseconds;
    for (size_t i = 0; i < count; i++) events[i].is_ready = false;
    *input_is_ready_out = true; /* a read neither waits nor fails */
    return true;
}

bool ets_os_random(void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const size_t part = size - done < MOST_ENTROPY ? size - done : MOST_ENTROPY;
        if (getentropy((unsigned char *)bytes + done, part) != 0) return false;
        done += part;
    }
    return true;
}
