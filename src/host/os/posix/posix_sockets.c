/* Sockets by POSIX. */
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE /* INADDR_LOOPBACK, SO_NOSIGPIPE */
#include "host/os/os_sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE instead */
#endif

const bool ets_os_has_local_sockets = true;

enum { MOST_EVENTS = 64 };

static bool set_up(int socket)
{
    const int flags = fcntl(socket, F_GETFL);
#ifdef SO_NOSIGPIPE
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

/* The socket if it is `fine`; else closes it, and keeps the reason. */
static ets_os_socket settle(int socket, bool is_fine)
{
    if (is_fine || socket < 0) return socket;
    const int code = errno;
    close(socket);
    errno = code;
    return -1;
}

ets_os_socket ets_os_listen(unsigned *port, int most_waiting)
{
    const int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)*port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    if (listening < 0) return -1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool is_fine = set_up(listening) &&
                         bind(listening, (struct sockaddr *)&address, sizeof address) == 0 &&
                         listen(listening, most_waiting) == 0 &&
                         getsockname(listening, (struct sockaddr *)&address, &size) == 0;
    if (is_fine) *port = ntohs(address.sin_port);
    return settle(listening, is_fine);
}

ets_os_socket ets_os_accept(ets_os_socket listening)
{
    const int taken = accept((int)listening, NULL, NULL);
    return settle(taken, taken < 0 || set_up(taken));
}

static int64_t sized(ssize_t size)
{
    if (size >= 0) return size;
    return errno == EAGAIN || errno == EINTR ? ETS_OS_LATER : -1;
}

int64_t ets_os_receive(ets_os_socket from, void *data, size_t size)
{
    return sized(recv((int)from, data, size, 0));
}

int64_t ets_os_send(ets_os_socket to, const void *data, size_t size)
{
    return sized(send((int)to, data, size, MSG_NOSIGNAL));
}

void ets_os_end_sending(ets_os_socket to)
{
    shutdown((int)to, SHUT_WR);
}

void ets_os_close_socket(ets_os_socket socket)
{
    close((int)socket);
}

bool ets_os_wait_for_events(struct ets_os_event *events, size_t count, int input,
                            bool *input_is_ready_out, int milliseconds)
{
    struct pollfd polled[MOST_EVENTS + 1];
    if (count > MOST_EVENTS) count = MOST_EVENTS;
    for (size_t i = 0; i < count; i++) {
        polled[i] = (struct pollfd){.fd = (int)events[i].socket,
                                    .events = events[i].sends ? POLLOUT : POLLIN};
    }
    polled[count] = (struct pollfd){.fd = input, .events = POLLIN};
    if (poll(polled, (nfds_t)count + 1, milliseconds) < 0) return false;
    for (size_t i = 0; i < count; i++) events[i].is_ready = polled[i].revents != 0;
    *input_is_ready_out = polled[count].revents != 0;
    return true;
}

bool ets_os_random(void *bytes, size_t size)
{
    FILE *random = fopen("/dev/urandom", "rb");
    if (random == NULL) return false;
    const bool is_whole = fread(bytes, 1, size, random) == size;
    fclose(random);
    return is_whole;
}
