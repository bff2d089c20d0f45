/* What has arrived of a stream: a pipe, a serial device, standard input, or a file that grows. */
#ifndef ETSCOPE_CLI_REPORT_STREAM_INPUT_H
#define ETSCOPE_CLI_REPORT_STREAM_INPUT_H

#include <stdbool.h>

#include "etscope/base.h"

struct stream_input {
    const char *path;
    int descriptor;
    bool is_file;   /* it may grow: its end is not the stream's */
    bool has_ended; /* nothing more will come */
    uint8_t *bytes;
    size_t size, room;
};

/* "-" is standard input. Returns an exit code; close it even after a failure. */
int stream_input_open(const char *path, struct stream_input *input);
/* Reads what is there without waiting for more. Returns an exit code. */
int stream_input_read(struct stream_input *input);
/* The descriptor to wait for; -1: to be asked again after a while. */
int stream_input_waits_for(const struct stream_input *input);
void stream_input_close(struct stream_input *input);

#endif
