/* Assigns work and errors to source lines: each counts at one line. */
#include "views/source_lines.h"
#include "record/record_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "host/text_builder.h"
#include "views/headroom.h"
#include "views/piece_lists.h"
#include "views/unplaced_work.h"

/* A list of numbers that grows. */
struct list {
    uint32_t *items;
    uint32_t count, capacity;
};

/* A place while work is being laid out. */
struct draft {
    struct ets_place place;
    uint32_t own, all;            /* first entries: counted here; called from here */
    uint32_t piece, node, passed; /* nodes of the piece that were called from here */
    uint32_t own_piece;           /* the piece that has it in `own` */
    struct list fused_here, counted_at, error_in; /* drafts */
};

struct layout {
    struct ets_arena *arena;
    const struct ets_work *work;
    const struct ets_delegation *delegations;
    struct ets_places *places;
    struct ets_key_table keys; /* of drafts: kind, number in `places` */
    struct draft *drafts;
    uint32_t draft_capacity;
    struct ets_piece_lists pieces;
    struct list touched; /* drafts of the piece at hand, */
    struct list own;     /* and those that are the innermost line of one of its nodes */
    uint32_t *rows;      /* [piece] scratch */
    uint32_t *piece_at;  /* [piece] the draft where it is counted */
};

static bool push(struct layout *l, struct list *list, uint32_t value)
{
    uint32_t *items =
        ets_arena_grow(l->arena, list->items, list->count, &list->capacity, sizeof value);
    if (items == NULL) return false;
    list->items = items;
    items[list->count++] = value;
    return true;
}

static bool push_once(struct layout *l, struct list *list, uint32_t value)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] == value) return true;
    }
    return push(l, list, value);
}

/* The draft of a place, which may be new; UINT32_MAX: no memory. */
static uint32_t find_place(struct layout *l, enum ets_place_kind kind, uint32_t of, bool *is_new)
{
    const uint64_t key = (uint64_t)kind << 32 | of;
    const uint32_t known = l->keys.count;
    const uint32_t number = of == ETS_NO_INDEX ? of : ets_key_table_add(&l->keys, &key);
    *is_new = number == known;
    if (number != known) return number; /* none, or one that was there */
    struct draft *drafts =
        ets_arena_grow(l->arena, l->drafts, number, &l->draft_capacity, sizeof *drafts);
    if (drafts == NULL) return UINT32_MAX;
    l->drafts = drafts;
    drafts[number] = (struct draft){.place = {.name = ets_places_name(l->places, kind, of),
                                              .file = ETS_NO_INDEX,
                                              .row = ETS_NO_INDEX},
                                    .piece = ETS_NO_INDEX,
                                    .own_piece = ETS_NO_INDEX};
    return number;
}

/* Work that is on no line, by the number of its name. */
static uint32_t find_name(struct layout *l, uint32_t name)
{
    bool is_new;
    return find_place(l, ETS_PLACE_NONE, name, &is_new);
}

static uint32_t find_line(struct layout *l, const struct ets_graph_frame *frame)
{
    bool is_new;
    const uint32_t line = ets_places_line(l->places, frame);
    const uint32_t number = find_place(l, ETS_PLACE_LINE, line, &is_new);
    if (number == UINT32_MAX || !is_new) return number;
    l->drafts[number].place.frame = frame;
    l->drafts[number].place.file = ets_places_file_of(l->places, line);
    return number;
}

/* Every line that a node of the piece was called from, and how many of its nodes each was. */
static bool pass_frames(struct layout *l, uint32_t piece, uint32_t index,
                        const struct ets_graph_node *node)
{
    const struct ets_graph_frame *user = ets_graph_user_frame(node);
    for (uint32_t i = 0; i < node->frame_count; i++) {
        const struct ets_graph_frame *frame = &node->frames[i];
        if (frame != user && !ets_graph_frame_is_user(frame)) continue;
        const uint32_t number = find_line(l, frame);
        if (number == UINT32_MAX) return false;
        struct draft *draft = &l->drafts[number];
        if (draft->piece != piece) {
            draft->piece = piece;
            draft->node = ETS_NO_INDEX;
            draft->passed = 0;
            if (!push(l, &l->touched, number)) {
                return false;
            }
        }
        if (draft->node != index) draft->passed++; /* once, however often it calls itself */
        draft->node = index;
        if (frame != user) continue;
        if (l->drafts[number].own_piece == piece) continue;
        l->drafts[number].own_piece = piece;
        if (!push(l, &l->own, number)) return false;
    }
    return true;
}

/* Work that no line is to have alone: of a call whose inside is not known, what nobody reported. */
static uint32_t find_elsewhere(struct layout *l, const struct ets_work_piece *piece)
{
    const struct ets_row *row = ets_inspection_row(l->work->inspection, piece->row);
    if (piece->is_rest) return find_name(l, ets_work_rest(l->arena, l->places, row));
    if (l->own.count == 0) {
        return find_name(l, ets_unplaced_work(l->arena, l->places, l->work, row, true));
    }
    const char *backend = ets_row_backend(row);
    const size_t room = strlen(backend) + 64;
    char *text = ets_arena_alloc(l->arena, room);
    struct ets_text_builder name = {text, room, 0};
    if (text == NULL) return UINT32_MAX;
    ets_add_text(&name, "(%s, instruction %d: %u lines)", backend, row->instruction, l->own.count);
    return find_name(l, ets_places_none(l->places, ets_built_text(&name)));
}

static bool count_at(struct layout *l, uint32_t index, uint32_t number, bool is_on_line)
{
    struct draft *draft = &l->drafts[number];
    const struct ets_work_piece *piece = &l->work->pieces[index];
    const struct ets_row *row = ets_inspection_row(l->work->inspection, piece->row);
    if (!ets_piece_lists_add(&l->pieces, &draft->own, index)) return false;
    draft->place.row = draft->place.is_counted || piece->is_rest ? ETS_NO_INDEX : piece->row;
    draft->place.is_counted = true;
    draft->place.saved += ets_headroom_of(l->work->headroom, piece);
    if (!piece->is_rest) draft->place.calls_per_run += row->calls_per_run;
    ets_work_add_cost(l->work->costs, piece, &draft->place.cost);
    draft->place.bytes_per_run +=
        is_on_line
            ? row->calls_per_run * ets_row_written_bytes(l->work->inspection, row, l->delegations)
            : NAN;
    ets_clock_error_add(&draft->place.own_error, piece->error);
    for (uint32_t i = 0; is_on_line && i < l->own.count; i++) {
        const uint32_t other = l->own.items[i];
        if (other == number) continue;
        if (!push_once(l, &draft->fused_here, other) ||
            !push_once(l, &l->drafts[other].counted_at, number)) {
            return false;
        }
    }
    return true;
}

static bool add_piece(struct layout *l, uint32_t index)
{
    const struct ets_work_piece *piece = &l->work->pieces[index];
    const struct ets_row *row = ets_inspection_row(l->work->inspection, piece->row);
    uint32_t traced = 0; /* nodes that have a stack trace */
    l->touched.count = l->own.count = 0;
    for (size_t i = 0; i < row->node_count; i++) {
        traced += row->nodes[i].node->frame_count > 0;
        if (!pass_frames(l, index, (uint32_t)i, row->nodes[i].node)) return false;
    }
    const bool is_call = ets_text_is(row->name, "DELEGATE_CALL") || row->tie == ETS_TIE_CALL;
    const bool is_on_line = !piece->is_rest && l->own.count > 0 && (l->own.count == 1 || !is_call);
    const uint32_t number = is_on_line ? l->own.items[0] : find_elsewhere(l, piece);
    if (number == UINT32_MAX || !count_at(l, index, number, is_on_line)) return false;
    l->piece_at[index] = number;
    for (uint32_t i = 0; i < l->touched.count; i++) {
        struct draft *draft = &l->drafts[l->touched.items[i]];
        const bool is_own = is_on_line && l->touched.items[i] == number;
        if (draft->passed < traced && !is_own) continue;
        if (!ets_piece_lists_add(&l->pieces, &draft->all, index)) return false;
        draft->place.is_caller = true;
        ets_clock_error_add(&draft->place.inclusive_error, piece->error);
    }
    return true;
}

/* The innermost line of the value's node, or else of the last node before it that has one. */
static const struct ets_graph_frame *frame_of(const struct ets_line_error *error)
{
    const struct ets_graph_frame *frame = ets_graph_user_frame(error->row->value->node);
    for (uint32_t i = error->node_count; frame == NULL && i-- > 0;) {
        frame = ets_graph_user_frame(error->nodes[i]);
    }
    return frame;
}

/* The error of a value is at one line; the others that went into it say where. */
static bool add_error(struct layout *l, const struct ets_line_error *error)
{
    const struct ets_graph_frame *frame = frame_of(error);
    const uint32_t number = frame == NULL
                                ? find_name(l, ets_places_none(l->places, error->names.items[0]))
                                : find_line(l, frame);
    if (number == UINT32_MAX) return false;
    struct ets_place *place = &l->drafts[number].place;
    if (ets_line_error_is_worse(error, place->error)) place->error = error;
    for (uint32_t i = 0; i < error->node_count; i++) {
        frame = ets_graph_user_frame(error->nodes[i]);
        if (frame == NULL) continue;
        const uint32_t other = find_line(l, frame);
        if (other == UINT32_MAX) return false;
        if (other != number && !push_once(l, &l->drafts[other].error_in, number)) return false;
    }
    return true;
}

/* The line with what is counted there, or with all that it calls: entries from `first` on. */
static bool offer_crowded(const struct layout *l, const struct ets_place *place, uint32_t first,
                          struct ets_span share, struct ets_repeated_line *line)
{
    const struct ets_repeated_line offered = {.frame = place->frame, .share = share};
    uint32_t count = 0;
    if (place->frame == NULL) return true;
    for (uint32_t i = first; i != 0; i = l->pieces.entries[i].next) {
        l->rows[count++] = l->work->pieces[l->pieces.entries[i].piece].row;
    }
    return ets_repeated_line_offer(l->arena, l->work->inspection, l->places, &offered, l->rows,
                                   count, line);
}

static int by_place(const void *a, const void *b)
{
    const struct ets_place *l = a, *r = b;
    const uint32_t left = l->frame == NULL ? 0 : l->frame->line;
    const uint32_t right = r->frame == NULL ? 0 : r->frame->line;
    if (l->file != r->file) return (l->file > r->file) - (l->file < r->file);
    if (left != right) return (left > right) - (left < right);
    return (l->self.middle < r->self.middle) - (l->self.middle > r->self.middle);
}

static int by_time(const void *a, const void *b)
{
    const struct ets_source_file *l = a, *r = b;
    if (l->time != r->time) return l->time < r->time ? 1 : -1;
    return (l->first > r->first) - (l->first < r->first);
}

static bool list_files(const struct layout *l, struct ets_source_lines *lines)
{
    lines->file_count = ets_places_file_count(l->places);
    lines->files = ets_arena_alloc_array(l->arena, lines->file_count, sizeof *lines->files);
    if (lines->files == NULL) return false;
    for (uint32_t i = 0; i < lines->count && lines->places[i].frame != NULL; i++) {
        struct ets_source_file *file = &lines->files[lines->places[i].file];
        if (file->count++ == 0) file->first = i;
        file->name = lines->places[i].frame->file;
        file->time += lines->places[i].self.middle;
        file->is_least |= lines->places[i].own_error.above > 0;
        lines->on_lines = i + 1;
    }
    if (lines->file_count > 0) {
        qsort(lines->files, lines->file_count, sizeof *lines->files, by_time);
    }
    for (uint32_t i = 0; i < lines->file_count; i++) {
        const struct ets_source_file *file = &lines->files[i];
        for (uint32_t k = 0; k < file->count; k++) lines->places[file->first + k].file = i;
    }
    return true;
}

/* The rest of the run is on no line, either. */
static void add_between(const struct layout *l, const struct ets_chosen_runs *runs, double *per_run,
                        struct ets_source_lines *lines)
{
    const uint32_t count = l->work->block->run_count;
    memset(per_run, 0, count * sizeof *per_run);
    for (uint32_t i = 0; i < l->work->count; i++) {
        ets_work_add(l->work, &l->work->pieces[i], per_run);
    }
    for (uint32_t i = 0; i < count; i++) per_run[i] = -per_run[i];
    if (!ets_work_add_total(l->work, per_run)) return;
    struct ets_place *place = &lines->places[lines->count++];
    *place = (struct ets_place){.name = ets_work_rest_name(l->work),
                                .file = ETS_NO_INDEX,
                                .draft = l->keys.count,
                                .row = ETS_NO_INDEX,
                                .is_counted = true,
                                .bytes_per_run = NAN};
    ets_chosen_runs_summarise(runs, per_run, &place->self);
}

/* Numbers of drafts become those of places. */
static struct ets_numbers renumber(const uint32_t *place_of, const struct list *drafts)
{
    for (uint32_t i = 0; i < drafts->count; i++) drafts->items[i] = place_of[drafts->items[i]];
    return (struct ets_numbers){drafts->items, drafts->count};
}

static uint32_t *renumber_pieces(const struct layout *l, const uint32_t *place_of)
{
    for (uint32_t i = 0; i < l->work->count; i++) l->piece_at[i] = place_of[l->piece_at[i]];
    return l->piece_at;
}

/* Files and their lines in order; lists say which places they mean. */
static bool sort_places(const struct layout *l, struct ets_source_lines *lines)
{
    uint32_t *place_of = ets_arena_alloc_array(l->arena, lines->count, sizeof *place_of);
    if (place_of == NULL) return false;
    if (lines->count > 0) qsort(lines->places, lines->count, sizeof *lines->places, by_place);
    for (uint32_t i = 0; i < lines->count; i++) place_of[lines->places[i].draft] = i;
    for (uint32_t i = 0; i < l->keys.count; i++) {
        const struct draft *draft = &l->drafts[i];
        struct ets_place *place = &lines->places[place_of[i]];
        place->fused_here = renumber(place_of, &draft->fused_here);
        place->counted_at = renumber(place_of, &draft->counted_at);
        place->error_in = renumber(place_of, &draft->error_in);
    }
    lines->place_of_piece = renumber_pieces(l, place_of);
    return true;
}

static bool finish(struct layout *l, const struct ets_chosen_runs *runs, bool with_callers,
                   struct ets_source_lines *lines)
{
    const uint32_t count = l->keys.count;
    const double whole = runs->whole;
    double *per_run = ets_arena_alloc_array(l->arena, l->work->block->run_count, sizeof *per_run);
    lines->places = ets_arena_alloc_array(l->arena, (size_t)count + 1, sizeof *lines->places);
    l->rows = ets_arena_alloc_array(l->arena, l->work->count, sizeof *l->rows);
    if (per_run == NULL || lines->places == NULL || l->rows == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct draft *draft = &l->drafts[i];
        struct ets_place *place = &lines->places[lines->count++];
        *place = draft->place;
        place->draft = i;
        ets_piece_lists_measure(&l->pieces, l->work, runs, draft->own, per_run, &place->self);
        ets_piece_lists_measure(&l->pieces, l->work, runs, draft->all, per_run, &place->inclusive);
        const struct ets_span own =
            ets_span_part(ets_span_of(place->self.middle, place->own_error, 1), whole);
        const struct ets_span all =
            ets_span_part(ets_span_of(place->inclusive.middle, place->inclusive_error, 1), whole);
        if (!offer_crowded(l, place, draft->own, own, &lines->crowded) ||
            (with_callers && !offer_crowded(l, place, draft->all, all, &lines->crowded))) {
            return false;
        }
    }
    if (!l->work->is_filtered) add_between(l, runs, per_run, lines);
    lines->total = l->work->total_row == ETS_NO_INDEX ? NAN : whole;
    return sort_places(l, lines) && list_files(l, lines);
}

bool ets_source_lines_collect(struct ets_arena *arena, const struct ets_work *work,
                              const struct ets_chosen_runs *runs,
                              const struct ets_delegation *delegations,
                              const struct ets_line_errors *errors, bool with_callers,
                              struct ets_source_lines *lines_out)
{
    struct layout l = {.arena = arena, .work = work, .delegations = delegations};
    *lines_out = (struct ets_source_lines){.count = 0};
    ets_key_table_init(&l.keys, arena, 1);
    l.places = ets_places_new(arena);
    l.piece_at = ets_arena_alloc_array(arena, work->count, sizeof *l.piece_at);
    if (!ets_piece_lists_init(&l.pieces, arena) || l.places == NULL || l.piece_at == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < work->count; i++) {
        if (!add_piece(&l, i)) return false;
    }
    for (uint32_t i = 0; errors != NULL && i < errors->count; i++) {
        if (!add_error(&l, &errors->items[i])) return false;
    }
    return finish(&l, runs, with_callers, lines_out);
}
