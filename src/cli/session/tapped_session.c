/* Runs a program whose delegates hand out the values within, and compares it with the original. */
#include "cli/session/tapped_session.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/session/compared_outputs.h"
#include "dump/extra_taps.h"
#include "dump/reported_operators.h"
#include "rewrite/taps.h"

struct cli_tapped {
    struct ets_arena arena;
    struct ets_payload_store store;
    struct ets_taps taps;
    struct ets_bytes program;
    const struct ets_program *original;
    uint32_t value_count, call_count;
    struct cli_compared_outputs outputs;
    struct ets_bytes plain_trace;
};

uint32_t cli_tapped_count(const struct cli_tapped *tapped)
{
    return tapped->value_count;
}

struct ets_bytes cli_tapped_program(const struct cli_tapped *tapped)
{
    return tapped->program;
}

void cli_tapped_close(struct cli_tapped *tapped)
{
    if (tapped == NULL) return;
    ets_arena_reset(&tapped->arena);
    cli_compared_outputs_close(&tapped->outputs);
    free(tapped);
}

/* Says of which delegates nothing can be had, one sentence for each backend. */
static void tell_others(const struct cli_tapped *tapped)
{
    const struct ets_taps *taps = &tapped->taps;
    for (uint32_t i = 0; i < taps->delegate_count; i++) {
        const struct ets_tap_delegate *delegate = &taps->delegates[i];
        if (!delegate->is_first_refused) continue;
        cli_note("values within %.*s cannot be captured: %s", ETS_TEXT(delegate->backend),
                 delegate->reason);
    }
}

static void choose(struct cli_tapped *tapped)
{
    struct ets_taps *taps = &tapped->taps;
    for (uint32_t d = 0; d < taps->delegate_count; d++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < taps->delegates[d].count; i++) {
            struct ets_tap *tap = &taps->items[taps->delegates[d].first + i];
            tap->is_chosen = tap->state == ETS_TAP_POSSIBLE;
            count += tap->is_chosen;
        }
        tapped->value_count += count;
        tapped->call_count += count > 0;
    }
}

static int make_program(struct cli_tapped *tapped, const char *path)
{
    static const struct ets_tap_options options = {.as_outputs = false};
    struct ets_error error;
    struct ets_rewritten rewritten;
    if (ets_taps_find(&tapped->arena, tapped->original, &tapped->store, &tapped->taps, &error) !=
        ETS_OK) {
        return cli_fail(path, &error);
    }
    choose(tapped);
    tell_others(tapped);
    if (ets_tapped_program(&tapped->arena, tapped->original, &tapped->taps, &options, &rewritten,
                           &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    const uint8_t *bytes = ets_rewritten_join(&rewritten, &tapped->arena);
    if (bytes == NULL) return cli_complain(CLI_INTERNAL, "%s: no memory for it", path);
    tapped->program = (struct ets_bytes){bytes, (size_t)rewritten.bytes};
    return CLI_OK;
}

int cli_tapped_open(const struct cli_session *session, struct cli_tapped **tapped_out)
{
    struct cli_tapped *tapped = calloc(1, sizeof *tapped);
    if (tapped == NULL) return cli_complain(CLI_INTERNAL, "no memory for %s", session->path);
    tapped->original = &session->model.program;
    ets_arena_init(&tapped->arena, NULL, 0);
    ets_arena_init(&tapped->outputs.arena, NULL, 0);
    ets_payload_store_init(&tapped->store, &tapped->arena, tapped->original);
    *tapped_out = tapped;
    return make_program(tapped, session->path);
}

/* Tells of one call, whose arguments are those of the program as it is, and the values behind. */
static bool tell_call(const struct cli_tapped *tapped, const struct ets_method *method,
                      const struct ets_instruction *instruction, struct ets_extra_growth *told)
{
    for (uint32_t d = 0; d < tapped->taps.delegate_count; d++) {
        const struct ets_tap_delegate *delegate = &tapped->taps.delegates[d];
        if (delegate->method != method->index || delegate->graph == NULL ||
            (int64_t)delegate->delegate != instruction->delegate_index) {
            continue;
        }
        uint8_t *ids = malloc(4 * (size_t)delegate->count + 1);
        uint32_t count = 0;
        for (uint32_t i = 0; ids != NULL && i < delegate->count; i++) {
            const struct ets_tap *tap = &tapped->taps.items[delegate->first + i];
            if (!tap->is_chosen) continue;
            ets_store_bytes(ids + 4 * (size_t)count++, delegate->graph->values[tap->value].id, 4);
        }
        const struct ets_call_taps call = {.method = method->name,
                                           .chain = instruction->chain_index,
                                           .instruction = instruction->instruction_id,
                                           .first_argument = delegate->graph->argument_count,
                                           .count = count,
                                           .ids = ids};
        const bool is_told = ids != NULL && (count == 0 || ets_call_taps_add(told, &call));
        free(ids);
        return is_told;
    }
    return true;
}

int cli_tapped_tell(const struct cli_tapped *tapped, struct ets_extra_growth *told)
{
    for (uint32_t m = 0; m < tapped->original->method_count; m++) {
        struct ets_method method;
        ets_program_method(tapped->original, m, &method);
        for (uint32_t c = 0; c < method.chain_count; c++) {
            struct ets_chain chain;
            ets_method_chain(&method, c, &chain);
            for (uint32_t i = 0; i < chain.instruction_count; i++) {
                struct ets_instruction instruction;
                ets_chain_instruction(&chain, i, &instruction);
                if (instruction.delegate_index < 0) continue;
                if (!tell_call(tapped, &method, &instruction, told)) {
                    return cli_complain(CLI_INTERNAL, "no memory for the trace");
                }
            }
        }
    }
    return CLI_OK;
}

int cli_tapped_see(struct cli_tapped *tapped, const struct cli_session *session,
                   struct ets_engine_method *method, const char *name)
{
    return cli_compared_outputs_see(&tapped->outputs, session->engine, session->program, method,
                                    name, session->path);
}

int cli_tapped_keep_plain(struct cli_tapped *tapped, struct ets_bytes trace)
{
    uint8_t *copy = ets_arena_alloc(&tapped->arena, trace.size);
    if (copy == NULL) return cli_complain(CLI_INTERNAL, "no memory for the trace");
    memcpy(copy, trace.data, trace.size);
    tapped->plain_trace = (struct ets_bytes){copy, trace.size};
    tapped->outputs.is_kept = true;
    return CLI_OK;
}

int cli_tapped_conclude(struct cli_tapped *tapped, struct ets_bytes trace, bool is_strict)
{
    char where[256];
    const bool has_operators =
        ets_same_reported_operators(tapped->plain_trace, trace, where, sizeof where);
    const bool has_all = tapped->outputs.compared == tapped->outputs.count;
    if (tapped->value_count == 0) {
        cli_note(
            "no value within a delegate was captured: the program has no call of XNNPACK with "
            "more than one operator");
        return CLI_OK;
    }
    if (tapped->outputs.differing == 0 && has_all && has_operators) {
        cli_note(
            "%u values from within %u delegate%s; outputs and operators are those of the "
            "program without them, bit for bit and by name",
            tapped->value_count, tapped->call_count, tapped->call_count == 1 ? "" : "s");
        return CLI_OK;
    }
    if (tapped->outputs.differing > 0) {
        cli_note(
            "the program that gives the values within computes something else: of %zu outputs %zu "
            "are not those of the program as it is, %s first",
            tapped->outputs.count, tapped->outputs.differing, tapped->outputs.first_differing);
    } else if (!has_all) {
        cli_note("only %zu of %zu outputs were compared with those of the program as it is",
                 tapped->outputs.compared, tapped->outputs.count);
    }
    if (!has_operators) {
        cli_note(
            "the program that gives the values within runs other operators than the program as "
            "it is: %s",
            where);
    }
    return is_strict ? CLI_NEGATIVE : CLI_OK;
}
