/* Sockets by Winsock. */
#include "host/os/os_sockets.h"

/* Before windows.h. */
#include <winsock2.h>

#include <errno.h>
#include <io.h>
#include <ntsecapi.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

const bool ets_os_has_local_sockets = false;

enum { MOST_EVENTS = 64, SLICE_MS = 50 };

static bool start(void)
{
    static bool is_started;
    WSADATA data;
    if (!is_started) is_started = WSAStartup(MAKEWORD(2, 2), &data) == 0;
    return is_started;
}

static ets_os_socket settle(SOCKET socket, bool is_fine)
{
    u_long on = 1;
    if (socket == INVALID_SOCKET) {
        errno = EIO;
        return -1;
    }
    if (is_fine && ioctlsocket(socket, (long)FIONBIO, &on) == 0) return (ets_os_socket)socket;
    errno = WSAGetLastError() == WSAEADDRINUSE ? EADDRINUSE : EIO;
    closesocket(socket);
    return -1;
}

ets_os_socket ets_os_listen(unsigned *port, int most_waiting)
{
    const int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((u_short)*port)};
    int size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const SOCKET listening = start() ? socket(AF_INET, SOCK_STREAM, 0) : INVALID_SOCKET;
    if (listening == INVALID_SOCKET) return settle(listening, false);
    setsockopt(listening, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&on, sizeof on);
    const bool is_fine = bind(listening, (struct sockaddr *)&address, sizeof address) == 0 &&
                         listen(listening, most_waiting) == 0 &&
                         getsockname(listening, (struct sockaddr *)&address, &size) == 0;
    if (is_fine) *port = ntohs(address.sin_port);
    return settle(listening, is_fine);
}

ets_os_socket ets_os_accept(ets_os_socket listening)
{
    return settle(accept((SOCKET)listening, NULL, NULL), true);
}

static int64_t sized(int size)
{
    if (size >= 0) return size;
    return WSAGetLastError() == WSAEWOULDBLOCK ? ETS_OS_LATER : -1;
}

int64_t ets_os_receive(ets_os_socket from, void *data, size_t size)
{
    return sized(recv((SOCKET)from, data, size < INT_MAX ? (int)size : INT_MAX, 0));
}

int64_t ets_os_send(ets_os_socket to, const void *data, size_t size)
{
    return sized(send((SOCKET)to, data, size < INT_MAX ? (int)size : INT_MAX, 0));
}

void ets_os_end_sending(ets_os_socket to)
{
    shutdown((SOCKET)to, SD_SEND);
}

void ets_os_close_socket(ets_os_socket socket)
{
    closesocket((SOCKET)socket);
}

/* Files always have an answer; pipes have bytes, or have ended; a console is asked by its reader.
 */
static bool has_input(int input)
{
    const HANDLE file = (HANDLE)_get_osfhandle(input);
    DWORD bytes = 0;
    if (GetFileType(file) != FILE_TYPE_PIPE) return true;
    return !PeekNamedPipe(file, NULL, 0, NULL, &bytes, NULL) || bytes > 0;
}

static bool ask(struct ets_os_event *events, size_t count, int milliseconds)
{
    WSAPOLLFD polled[MOST_EVENTS];
    size_t numbers[MOST_EVENTS];
    ULONG asked = 0;
    for (size_t i = 0; i < count; i++) {
        events[i].is_ready = false;
        if (events[i].socket == -1 || asked == MOST_EVENTS) continue;
        numbers[asked] = i;
        polled[asked++] = (WSAPOLLFD){.fd = (SOCKET)events[i].socket,
                                      .events = events[i].sends ? POLLOUT : POLLRDNORM};
    }
    if (asked == 0) {
        Sleep((DWORD)milliseconds);
        return false;
    }
    const bool is_any = WSAPoll(polled, asked, milliseconds) > 0;
    for (ULONG i = 0; is_any && i < asked; i++) {
        events[numbers[i]].is_ready = polled[i].revents != 0;
    }
    return is_any;
}

/* WSAPoll knows sockets only, so the input is asked again and again. */
bool ets_os_wait_for_events(struct ets_os_event *events, size_t count, int input,
                            bool *input_is_ready_out, int milliseconds)
{
    *input_is_ready_out = false;
    for (;;) {
        *input_is_ready_out = input >= 0 && has_input(input);
        const int slice = *input_is_ready_out       ? 0
                          : milliseconds < SLICE_MS ? milliseconds
                                                    : SLICE_MS;
        const bool is_any = ask(events, count, slice);
        milliseconds -= slice;
        if (is_any || *input_is_ready_out || milliseconds <= 0) return true;
    }
}

bool ets_os_random(void *bytes, size_t size)
{
    return RtlGenRandom(bytes, (ULONG)size);
}
