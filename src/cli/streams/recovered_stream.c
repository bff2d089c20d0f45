/* Opens one stream of a capture: reads its frames into records. */
#include "cli/streams/recovered_stream.h"

#include <stdlib.h>

#include "cli/core/cli_text.h"

int recovered_stream_open(const char *path, struct ets_bytes bytes, struct recovered_stream *out)
{
    struct ets_error error;
    (void)ets_stream_reader_init(&out->capture, bytes);
    out->memory = malloc(out->capture.memory_bytes + 1);
    if (out->memory == NULL) {
        return cli_complain(CLI_INTERNAL, "%s: no memory for %zu bytes of records",
                            cli_path_name(path), out->capture.memory_bytes);
    }
    if (ets_trace_recover(&out->trace, &out->capture, out->memory, out->capture.memory_bytes,
                          &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    return CLI_OK;
}
