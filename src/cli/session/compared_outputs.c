/* Keeps the outputs of one program, and compares those of another with them. */
#include "cli/session/compared_outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"

void cli_compared_outputs_close(struct cli_compared_outputs *outputs)
{
    ets_arena_reset(&outputs->arena);
    free(outputs->outputs);
}

static struct ets_bytes bytes_of(const struct ets_value *value)
{
    if (value->kind == ETS_VALUE_TENSOR) {
        return (struct ets_bytes){value->as.tensor.data, value->as.tensor.data_bytes};
    }
    return (struct ets_bytes){(const uint8_t *)&value->as, sizeof(int64_t)};
}

static int keep_output(struct cli_compared_outputs *kept, struct ets_bytes bytes)
{
    if (kept->count == kept->room) {
        const size_t room = kept->room == 0 ? 16 : 2 * kept->room;
        struct cli_kept_output *grown = realloc(kept->outputs, room * sizeof *grown);
        if (grown == NULL) return cli_complain(CLI_INTERNAL, "no memory for the outputs");
        kept->outputs = grown;
        kept->room = room;
    }
    void *copy = ets_arena_alloc(&kept->arena, bytes.size);
    if (copy == NULL) return cli_complain(CLI_INTERNAL, "no memory for the outputs");
    if (bytes.size > 0) memcpy(copy, bytes.data, bytes.size);
    kept->outputs[kept->count++] = (struct cli_kept_output){copy, bytes.size};
    return CLI_OK;
}

static void compare_output(struct cli_compared_outputs *kept, const char *method, size_t index,
                           struct ets_bytes bytes)
{
    const size_t at = kept->compared++;
    if (at < kept->count && kept->outputs[at].size == bytes.size &&
        (bytes.size == 0 || memcmp(kept->outputs[at].bytes, bytes.data, bytes.size) == 0)) {
        return;
    }
    if (kept->differing++ > 0) return;
    snprintf(kept->first_differing, sizeof kept->first_differing, "output %zu of %s", index,
             method);
}

int cli_compared_outputs_see(struct cli_compared_outputs *kept, const struct ets_engine *engine,
                             struct ets_engine_program *program, struct ets_engine_method *method,
                             const char *name, const char *path)
{
    struct ets_engine_method_info info;
    struct ets_error error;
    if (engine->method_info(program, name, &info, &error) != ETS_OK) return cli_fail(path, &error);
    for (size_t i = 0; i < info.output_count; i++) {
        struct ets_value value;
        if (engine->method_get_output(method, i, &value, &error) != ETS_OK) {
            return cli_fail(path, &error);
        }
        if (kept->is_kept) {
            compare_output(kept, name, i, bytes_of(&value));
        } else {
            const int code = keep_output(kept, bytes_of(&value));
            if (code != CLI_OK) return code;
        }
    }
    return CLI_OK;
}
