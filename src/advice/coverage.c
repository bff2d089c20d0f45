/* Counts the delegate calls of a program whose payloads nothing read. */
#include "advice/coverage.h"

#include "base/text.h"
#include "etscope/experimental/delegates.h"
#include "etscope/program.h"
#include "host/text_builder.h"
#include "inspect/inspection.h"
#include "payload/payload_store.h"

static void add_call(const struct ets_program *program, const struct ets_delegation_step *step,
                     struct ets_advice_calls *calls)
{
    struct ets_instruction call;
    struct ets_method method;
    struct ets_chain chain;
    ets_program_method(program, step->method, &method);
    if (method.chain_count == 0) return;
    ets_method_chain(&method, 0, &chain);
    ets_chain_instruction(&chain, step->instruction, &call);
    if (calls->count++ == 0) calls->backend = call.name; /* of the program */
    calls->has_others |= !ets_text_equal(calls->backend, call.name);
    calls->bytes += ets_payload_of(&chain, step->instruction).size;
}

/* Rules are of backends whose events payloads foretell; of these one unit names a node at least. */
static bool is_payload_read(const struct ets_delegation_step *step)
{
    if (ets_payload_knowledge(step->name) != ETS_PAYLOAD_FORETOLD && step->unit_count > 0) {
        return false;
    }
    for (uint32_t i = 0; i < step->unit_count; i++) {
        if (step->units[i].payload_node_count > 0) return true;
    }
    return step->unit_count == 0 && step->reason == NULL;
}

enum ets_status ets_advice_coverage_find(const struct ets_program *program,
                                         struct ets_etrecord *record, bool allows_mismatch,
                                         struct ets_arena *arena,
                                         struct ets_advice_coverage *coverage_out,
                                         struct ets_error *error)
{
    struct ets_delegation *delegation;
    *coverage_out = (struct ets_advice_coverage){.has_program = program != NULL};
    if (program == NULL) return ETS_OK;
    struct ets_delegation_options options = {
        .program = program, .record = record, .allocator = arena->allocator};
    enum ets_status status = ets_delegation_open(&options, &delegation, error);
    if (status == ETS_MISMATCH && allows_mismatch) {
        options.record = NULL; /* what it could tell is not of this program */
        status = ets_delegation_open(&options, &delegation, error);
    }
    if (status != ETS_OK) return status;
    coverage_out->program_bytes = program->bytes.size;
    coverage_out->has_record = options.record != NULL;
    for (uint32_t i = 0; i < ets_delegation_count(delegation); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(delegation, i);
        if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        coverage_out->call_count++;
        if (is_payload_read(step)) continue;
        add_call(program, step,
                 step->unit_count == 0 ? &coverage_out->unread : &coverage_out->named);
    }
    ets_delegation_close(delegation);
    return ETS_OK;
}

/* Longer names of backends are cut. */
enum { MOST_NAME = 64 };

/* "CoreMLBackend, 98 % of the program's bytes" */
static void add_backend(const struct ets_advice_coverage *coverage,
                        const struct ets_advice_calls *calls, struct ets_text_builder *line)
{
    const double share = (double)calls->bytes / (double)coverage->program_bytes;
    const size_t size = calls->backend.size < MOST_NAME ? calls->backend.size : MOST_NAME;
    ets_add_plain_text(line, "%.*s%s", (int)size, calls->backend.data,
                       calls->has_others ? " and others" : "");
    if (share > 0 && share <= 1) {
        ets_add_text(line, ", %.0f %% of the program's bytes", 100 * share);
    }
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
    if (coverage->unread.count == 0) return 0;
    ets_add_text(&line, "cannot say what to change: %u of %u delegate call%s %s not read (",
                 coverage->unread.count, coverage->call_count, coverage->call_count == 1 ? "" : "s",
                 coverage->unread.count == 1 ? "was" : "were");
    add_backend(coverage, &coverage->unread, &line);
    ets_add_text(&line, "); nothing was found in the rest");
    return line.used;
}

size_t ets_advice_named_print(const struct ets_advice_coverage *coverage, char *text, size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    if (room > 0) text[0] = '\0';
    if (coverage->named.count == 0) return 0;
    ets_add_text(&line,
                 " outside of %u delegate call%s, of which only the operators are known, from the "
                 "%s (",
                 coverage->named.count, coverage->named.count == 1 ? "" : "s",
                 coverage->has_record ? "ETRecord" : "program");
    add_backend(coverage, &coverage->named, &line);
    ets_add_text(&line, ")");
    return line.used;
}
