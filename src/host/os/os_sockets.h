/* Sockets of the loopback address that never wait, and random bytes. `errno` holds reasons. */
#ifndef ETSCOPE_HOST_OS_SOCKETS_H
#define ETSCOPE_HOST_OS_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef intptr_t ets_os_socket; /* -1: none */

/* Listens on 127.0.0.1; `*port` 0 becomes the one that is free. */
ets_os_socket ets_os_listen(unsigned *port, int most_waiting);
ets_os_socket ets_os_accept(ets_os_socket listening);
/* Bytes; 0: the other side has ended; -1: lost; ETS_OS_LATER: try again when it is ready. */
enum { ETS_OS_LATER = -2 };
int64_t ets_os_receive(ets_os_socket from, void *data, size_t size);
int64_t ets_os_send(ets_os_socket to, const void *data, size_t size);
/* Says that nothing more will be sent. */
void ets_os_end_sending(ets_os_socket to);
void ets_os_close_socket(ets_os_socket socket);

struct ets_os_event {
    ets_os_socket socket; /* -1: not asked */
    bool sends;           /* waits until it can take bytes; else until it has some */
    bool is_ready;
};

/*
 * Waits until one is ready, or the descriptor `input` has bytes or an end (-1: none). false: a
 * signal came.
 */
bool ets_os_wait_for_events(struct ets_os_event *events, size_t count, int input,
                            bool *input_is_ready_out, int milliseconds);

/* Whether programs can meet at a socket in a folder, as those of ssh do to share a connection. */
extern const bool ets_os_has_local_sockets;

bool ets_os_random(void *bytes, size_t size);

#endif
