/* Compares the instructions of a prompt's first run with those of decode. */
#include "views/first_use.h"

#include <math.h>

#include "base/text.h"
#include "inspect/patterns.h"
#include "inspect/time_details.h"
#include "views/operator_rows.h"
#include "views/sentence_numbers.h"

#define ALLOWED 3.0     /* times what decode takes for as many tokens */
#define LEAST_SHARE 0.1 /* of the run */

/* Decode of the same method. A trace that names no method has blocks of one only. */
static bool is_its_decode(const struct ets_block *prompt, const struct ets_block *other)
{
    const char *const method = prompt->method != NULL ? prompt->method : "";
    return other->stage == ETS_STAGE_DECODE && ets_text_equal(other->name, prompt->name) &&
           ets_text_is(ets_text_of(other->method != NULL ? other->method : ""), method);
}

/* The largest time of each instruction of chain 0 in decode, by its number; 0: it is not there. */
static bool find_in_decode(struct ets_arena *arena, const struct ets_inspection *inspection,
                           const struct ets_block *prompt, double *most, uint32_t count)
{
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        const struct ets_block *block = ets_inspection_block(inspection, row->block);
        if (!is_its_decode(prompt, block) || !ets_row_is_instruction(inspection, row)) continue;
        if (row->chain != 0 || row->instruction < 0 || (uint32_t)row->instruction >= count)
            continue;
        double *ticks = ets_arena_alloc_array(arena, block->run_count, sizeof *ticks);
        if (ticks == NULL) return false;
        ets_inspection_row_ticks(inspection, i, ETS_NO_INDEX, ticks);
        for (uint32_t run = 0; run < block->run_count; run++) {
            most[row->instruction] = fmax(most[row->instruction], ticks[run]);
        }
    }
    return true;
}

static uint32_t count_instructions(const struct ets_inspection *inspection,
                                   const struct ets_block *block)
{
    int32_t last = -1;
    for (uint32_t i = 0; i < block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, block->first_row + i);
        if (row->chain == 0 && row->instruction > last) last = row->instruction;
    }
    return (uint32_t)(last + 1);
}

/* Ticks of each row in the block's first run. */
static bool find_in_first_run(struct ets_arena *arena, const struct ets_inspection *inspection,
                              uint32_t row, double *ticks_out)
{
    const uint32_t runs =
        ets_inspection_block(inspection, ets_inspection_row(inspection, row)->block)->run_count;
    double *ticks = ets_arena_alloc_array(arena, runs, sizeof *ticks);
    if (ticks == NULL) return false;
    ets_inspection_row_ticks(inspection, row, ETS_NO_INDEX, ticks);
    *ticks_out = ticks[0];
    return true;
}

static void say(struct ets_text_builder *text, const struct ets_row *row, double ticks,
                uint32_t tokens, double in_decode, double tick_ns)
{
    const struct ets_text name =
        row->backend != NULL ? ets_text_of(row->backend) : ets_row_operator(row);
    ets_add_text(text, "instruction %d (%.*s) took ", (int)row->instruction, ETS_TEXT(name));
    ets_add_time(text, (struct ets_span){ticks, ticks}, tick_ns);
    ets_add_text(text, " for %u tokens, but at most ", tokens);
    ets_add_time(text, (struct ets_span){in_decode, in_decode}, tick_ns);
    ets_add_text(text,
                 " for a token of decode: most of it is not the prompt's work, but perhaps "
                 "the first use in the process, or a pause of the machine; a second prompt in the "
                 "process tells them apart");
}

bool ets_add_first_use(struct ets_arena *arena, const struct ets_inspection *inspection,
                       uint32_t block, double tick_ns, struct ets_text_builder *text)
{
    const struct ets_block *prompt = ets_inspection_block(inspection, block);
    const uint32_t whole = ets_inspection_total_row(inspection, block);
    if (prompt->stage != ETS_STAGE_PREFILL) return true;
    const uint32_t tokens = ets_inspection_run(inspection, prompt->first_run)->tokens;
    const uint32_t count = count_instructions(inspection, prompt);
    double *most = ets_arena_alloc_array(arena, (size_t)count + 1, sizeof *most);
    double total, worst = 0;
    uint32_t worst_row = ETS_NO_INDEX;
    if (tokens == 0 || whole == ETS_NO_INDEX) return true;
    if (most == NULL || !find_in_first_run(arena, inspection, whole, &total)) return false;
    for (uint32_t i = 0; i < count; i++) most[i] = 0;
    if (!find_in_decode(arena, inspection, prompt, most, count)) return false;
    for (uint32_t i = prompt->first_row; i < prompt->first_row + prompt->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        double ticks;
        if (row->chain != 0 || !ets_row_is_instruction(inspection, row) || row->instruction < 0)
            continue;
        if (!find_in_first_run(arena, inspection, i, &ticks)) return false;
        const double known = most[row->instruction];
        if (known == 0 || ticks <= ALLOWED * tokens * known) continue;
        if (ticks < LEAST_SHARE * total || ticks <= worst) continue;
        worst = ticks;
        worst_row = i;
    }
    if (worst_row == ETS_NO_INDEX) return true;
    const struct ets_row *row = ets_inspection_row(inspection, worst_row);
    say(text, row, worst, tokens, most[row->instruction], tick_ns);
    return true;
}
