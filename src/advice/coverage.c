/* Counts the delegate calls of a program whose payloads nothing read. */
#include "advice/coverage.h"

#include "etscope/experimental/delegates.h"
#include "etscope/program.h"
#include "host/text_builder.h"
#include "inspect/inspection.h"

static void add_unread(const struct ets_program *program, const struct ets_delegation_step *step,
                       struct ets_advice_coverage *coverage)
{
    struct ets_instruction call;
    struct ets_method method;
    struct ets_chain chain;
    ets_program_method(program, step->method, &method);
    if (method.chain_count == 0) return;
    ets_method_chain(&method, 0, &chain);
    ets_chain_instruction(&chain, step->instruction, &call);
    if (coverage->unread_count++ == 0) coverage->backend = call.name; /* of the program */
    coverage->unread_bytes += ets_payload_of(&chain, step->instruction).size;
}

enum ets_status ets_advice_coverage_find(const struct ets_program *program,
                                         struct ets_etrecord *record, struct ets_arena *arena,
                                         struct ets_advice_coverage *coverage_out,
                                         struct ets_error *error)
{
    struct ets_delegation *delegation;
    *coverage_out = (struct ets_advice_coverage){.has_program = program != NULL};
    if (program == NULL) return ETS_OK;
    const struct ets_delegation_options options = {
        .program = program, .record = record, .allocator = arena->allocator};
    ETS_TRY(ets_delegation_open(&options, &delegation, error));
    coverage_out->program_bytes = program->bytes.size;
    for (uint32_t i = 0; i < ets_delegation_count(delegation); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(delegation, i);
        if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        coverage_out->call_count++;
        if (step->unit_count == 0 && step->reason != NULL) add_unread(program, step, coverage_out);
    }
    ets_delegation_close(delegation);
    return ETS_OK;
}

size_t ets_advice_coverage_print(const struct ets_advice_coverage *coverage, char *text,
                                 size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    if (room > 0) text[0] = '\0';
    if (!coverage->has_program) {
        ets_add_text(&line, "cannot say what to change: the program was not given");
        return line.used;
    }
    if (coverage->unread_count == 0) return 0;
    const double share = (double)coverage->unread_bytes / (double)coverage->program_bytes;
    ets_add_text(&line, "cannot say what to change: %u of %u delegate call%s %s not read (",
                 coverage->unread_count, coverage->call_count, coverage->call_count == 1 ? "" : "s",
                 coverage->unread_count == 1 ? "was" : "were");
    ets_add_plain_text(&line, "%.*s", ETS_TEXT(coverage->backend));
    if (share > 0 && share <= 1)
        ets_add_text(&line, ", %.0f %% of the program's bytes", 100 * share);
    ets_add_text(&line, "); nothing was found in the rest");
    return line.used;
}
