/* Fills the table of `annotate`: source lines with their times, file by file. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "inspect/patterns.h"
#include "inspect/time_details.h"
#include "output/table/annotate_cells.h"
#include "output/table/roof_fields.h"
#include "output/table/source_text.h"

static void put_gap(const struct annotate_filler *f, struct ets_text file)
{
    if (f->options->lines == ETS_LINES_COUNTED) return;
    ets_annotate_put_line(f,
                          (struct annotate_line){.file = file, .code = {"...", 3}, .total = NAN});
}

static void add_heading(const struct annotate_filler *f, const struct ets_source_lines *work,
                        const struct ets_source_file *file)
{
    char text[512];
    const struct ets_block *block = f->block;
    size_t used = ets_print_text(text, sizeof text, "%.*s - %.*s", (int)file->name.size,
                                 file->name.data, (int)block->name.size, block->name.data);
    if (block->method != NULL && block->method_state == ETS_METHOD_FOUND) {
        used += ets_print_text(text + used, sizeof text - used, ", method %s", block->method);
    }
    used += ets_print_text(text + used, sizeof text - used, ", %u run%s", block->run_count,
                           block->run_count == 1 ? "" : "s");
    used += ets_chosen_runs_print(&f->runs, block->run_count, f->options->run, text + used,
                                  sizeof text - used);
    used += ets_print_share_of(f->runs.count, text + used, sizeof text - used);
    if (!isnan(work->total)) {
        const unsigned tenths = (unsigned)(1000 * file->time / work->total + 0.5);
        used += ets_print_text(text + used, sizeof text - used, ", %s%u.%u%% of the time",
                               file->is_least ? "at least " : "", tenths / 10, tenths % 10);
    }
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

/* The file's text where it is there and has the record's lines; false: no memory. */
static bool find_source(const struct annotate_filler *f, const struct ets_source_file *file,
                        const struct ets_place *places, struct ets_source_text *source_out)
{
    struct ets_bytes text;
    *source_out = (struct ets_source_text){.count = 0};
    if (f->options->source == NULL) return true;
    if (!f->options->source(f->options->source_context, file->name, &text)) return true;
    if (!ets_source_text_split(f->arena, text, source_out)) return false;
    const struct ets_graph_frame *frame =
        ets_source_text_difference(source_out, places, file->count);
    if (frame == NULL) {
        frame = ets_recorded_frames_difference(&f->recorded, file->name, source_out);
    }
    if (frame == NULL) return true;
    if (f->gaps->changed++ == 0) {
        f->gaps->first_changed = file->name;
        f->gaps->changed_line = frame->line;
        f->gaps->is_unknown = ets_source_text_compare(source_out, frame) == ETS_SOURCE_UNKNOWN;
    }
    *source_out = (struct ets_source_text){.count = 0};
    return true;
}

static void put_file_lines(const struct annotate_filler *f, const struct ets_source_file *file,
                           const struct ets_place *places, struct ets_source_text *source,
                           double total)
{
    for (uint32_t i = 0; i < file->count; i++) {
        if (ets_annotate_has_line(f, &places[i])) {
            ets_source_text_show(source, f->options, places[i].frame->line);
        }
    }
    bool is_gap = false;
    for (uint32_t i = 0, at = 0; i < source->count; i++) {
        while (at < file->count && places[at].frame->line < i + 1) at++;
        const bool is_known = at < file->count && places[at].frame->line == i + 1;
        if (!source->is_shown[i]) {
            is_gap = true;
            continue;
        }
        if (is_gap) put_gap(f, file->name);
        is_gap = false;
        ets_annotate_put_line(f, (struct annotate_line){.place = is_known ? &places[at] : NULL,
                                                        .file = file->name,
                                                        .code = source->lines[i],
                                                        .line = i + 1,
                                                        .total = total});
    }
    if (is_gap) put_gap(f, file->name);
}

/* What the record holds of the file. */
static void put_recorded_lines(const struct annotate_filler *f, const struct ets_source_file *file,
                               const struct ets_place *places, double total)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < file->count; i++) {
        const struct ets_graph_frame *frame = places[i].frame;
        if (f->options->lines == ETS_LINES_COUNTED && !ets_annotate_has_line(f, &places[i]))
            continue;
        if (frame->line > last + 1) put_gap(f, file->name);
        ets_annotate_put_line(f, (struct annotate_line){.place = &places[i],
                                                        .file = file->name,
                                                        .code = frame->code,
                                                        .line = frame->line,
                                                        .total = total});
        last = frame->line;
    }
    put_gap(f, file->name);
}

static bool put_file(const struct annotate_filler *f, const struct ets_source_lines *work,
                     const struct ets_source_file *file)
{
    const struct ets_place *places = work->places + file->first;
    struct ets_source_text source;
    bool has_any = false;
    if (f->options->file != NULL && !ets_path_ends_with(file->name, f->options->file)) return true;
    for (uint32_t i = 0; i < file->count; i++) has_any |= ets_annotate_has_line(f, &places[i]);
    if (!has_any) return true;
    if (!find_source(f, file, places, &source)) return false;
    add_heading(f, work, file);
    if (source.lines != NULL) put_file_lines(f, file, places, &source, work->total);
    else put_recorded_lines(f, file, places, work->total);
    for (uint32_t i = 0; i < file->count; i++) {
        if (places[i].frame != work->crowded.frame) continue;
        char note[512];
        const size_t size = ets_repeated_line_print(&work->crowded, ets_table_words(f->table),
                                                    ETS_ADVICE_OPERATORS, note, sizeof note);
        if (size > 0) ets_table_add_note(f->table, (struct ets_text){note, size});
    }
    return true;
}

/* Holds the block against the machine's roof, and says how far it is. */
static bool find_headroom(struct annotate_filler *f, struct ets_work *work)
{
    const struct ets_headroom_options options = {f->options->machine, f->options->threads,
                                                 f->tick_ns};
    if (!f->has_roofs) return true;
    work->headroom = &f->headroom;
    return ets_headroom_find(f->arena, f->inspection, f->costs, &options, &f->runs, f->block_index,
                             &f->headroom) &&
           ets_roof_sentence_add(f->table, f->arena, f->inspection, &f->headroom, &f->runs,
                                 f->block_index, f->tick_ns);
}

static bool fill_block(struct annotate_filler *f)
{
    struct ets_work work;
    struct ets_line_errors errors;
    if (!ets_work_collect(f->arena, f->inspection, f->block_index, ETS_WORK_KNOWN,
                          &f->options->filter, &work)) {
        return false;
    }
    work.costs = f->costs;
    if (!ets_line_errors_collect(f->arena, f->inspection, f->options->gap, f->block_index,
                                 &f->options->filter, &errors)) {
        return false;
    }
    if (work.count == 0 && errors.count == 0) return true; /* loads, or nothing that matches */
    if (!ets_chosen_runs_find(f->arena, f->inspection, f->block_index, f->options->run,
                              f->options->steady, &f->runs) ||
        !find_headroom(f, &work) ||
        !ets_source_lines_collect(f->arena, &work, &f->runs, f->options->delegations, &errors,
                                  f->options->all_frames != 0, &f->work)) {
        return false;
    }
    const struct ets_source_lines *lines = &f->work;
    for (uint32_t i = 0; i < lines->file_count; i++) {
        if (!put_file(f, lines, &lines->files[i])) return false;
    }
    if (f->options->file != NULL || lines->on_lines == lines->count) return true;
    ets_table_add_section(f->table, (struct ets_text){"on no line", 10});
    for (uint32_t i = lines->on_lines; i < lines->count; i++) {
        ets_annotate_put_line(f, (struct annotate_line){.place = &lines->places[i],
                                                        .code = lines->places[i].name,
                                                        .total = lines->total});
    }
    return true;
}

enum ets_status ets_annotate_table_fill(struct ets_table *table,
                                        const struct ets_inspection *inspection,
                                        const struct ets_annotate_options *options,
                                        struct ets_annotate_gaps *gaps_out, struct ets_error *error)
{
    struct ets_arena arena, run_arena;
    struct ets_annotate_gaps gaps;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    ets_arena_init(&run_arena, ets_table_allocator(table), 0);
    struct annotate_filler f = {.table = table,
                                .inspection = inspection,
                                .options = options,
                                .gaps = gaps_out == NULL ? &gaps : gaps_out,
                                .arena = &arena};
    *f.gaps = (struct ets_annotate_gaps){.changed = 0};
    const enum ets_time_unit tick_unit = ets_inspection_tick_unit(inspection, NULL);
    if (tick_unit != ETS_UNIT_CYCLES) f.tick_ns = 1e9 / ets_time_unit_per_second(tick_unit);
    struct ets_costs costs;
    if (options->has_costs) {
        const enum ets_status status = ets_row_costs_find(&run_arena, inspection, &costs, error);
        if (status != ETS_OK) {
            ets_arena_reset(&run_arena);
            return status;
        }
        f.costs = &costs;
        f.has_roofs = options->machine != NULL && f.tick_ns > 0;
    }
    ets_annotate_add_columns(&f);
    bool ok = true;
    if (options->source != NULL) {
        ok = ets_recorded_frames_collect(&run_arena, inspection, &f.recorded);
    }
    for (uint32_t b = 0; ok && b < ets_inspection_block_count(inspection); b++) {
        const bool has_run = options->run == ETS_NO_INDEX ||
                             ets_inspection_run(inspection, options->run)->block == b;
        f.block = ets_inspection_block(inspection, b);
        f.block_index = b;
        if (!has_run || (options->block != ETS_NO_INDEX && options->block != b)) continue;
        if (!ets_row_filter_has_block(&options->filter, f.block)) continue;
        ok = fill_block(&f);
        ets_arena_reset(&arena);
    }
    ets_arena_reset(&run_arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the annotated source");
}
