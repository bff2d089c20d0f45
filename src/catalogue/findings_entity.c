/* What to look at next and what to change: the columns of findings. */
#include "catalogue/entities.h"

static const struct ets_finding *of(const struct ets_entity_row *row)
{
    return row->item;
}

/* The findings that a row is among. */
static const struct ets_studied_findings *among(const struct ets_entity_row *row)
{
    return &row->study->findings[row->parent];
}

static double tick_of(const struct ets_entity_row *row)
{
    return row->trace == NULL ? 1 : row->trace->tick;
}

static struct ets_datum get_id(const struct ets_entity_row *row)
{
    return ets_datum_count(row->number);
}

static struct ets_datum get_trace(const struct ets_entity_row *row)
{
    return ets_datum_index(among(row)->trace, 0);
}

static struct ets_datum get_program(const struct ets_entity_row *row)
{
    return ets_datum_index(among(row)->program, 0);
}

static struct ets_datum get_kind(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->kind);
}

static struct ets_datum get_severity(const struct ets_entity_row *row)
{
    return ets_datum_string(ets_severity_name(of(row)->severity));
}

static struct ets_datum get_sentence(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->sentence);
}

static struct ets_datum get_action(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->action);
}

static struct ets_datum get_share(const struct ets_entity_row *row)
{
    return ets_datum_bounds(of(row)->share.lower, of(row)->share.upper);
}

static struct ets_datum get_saving(const struct ets_entity_row *row)
{
    const struct ets_span ticks = of(row)->saving.ticks;
    return ets_datum_bounds(ticks.lower * tick_of(row), ticks.upper * tick_of(row));
}

/* A saving that is no time, or was not measured, has nothing that goes away. */
static struct ets_datum get_away(const struct ets_entity_row *row)
{
    const double ticks = of(row)->saving.away;
    return ticks > 0 ? ets_datum_real(ticks * tick_of(row)) : ets_datum_nothing();
}

static struct ets_datum get_away_share(const struct ets_entity_row *row)
{
    const struct ets_saving *saving = &of(row)->saving;
    return saving->away > 0 ? ets_datum_real(saving->away_part) : ets_datum_nothing();
}

static struct ets_datum get_saved(const struct ets_entity_row *row)
{
    const uint64_t bytes = of(row)->saving.bytes;
    return bytes == 0 ? ets_datum_nothing() : ets_datum_count(bytes);
}

static struct ets_datum get_basis(const struct ets_entity_row *row)
{
    return ets_datum_string(ets_saving_basis_name(of(row)->saving.basis));
}

static struct ets_datum get_confidence(const struct ets_entity_row *row)
{
    return ets_datum_string(ets_confidence_name(of(row)->confidence));
}

static struct ets_datum get_method(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->method);
}

static struct ets_datum get_block(const struct ets_entity_row *row)
{
    return ets_datum_index(of(row)->block, row->trace == NULL ? 0 : row->trace->first_block);
}

static struct ets_datum get_operator(const struct ets_entity_row *row)
{
    return ets_datum_index(of(row)->row, row->trace == NULL ? 0 : row->trace->first_operator);
}

static struct ets_datum get_place(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->place);
}

static struct ets_datum get_module(const struct ets_entity_row *row)
{
    return ets_datum_text(ets_finding_module(of(row)));
}

static struct ets_datum get_source(const struct ets_entity_row *row)
{
    const struct ets_finding *finding = of(row);
    struct ets_text *places =
        ets_arena_alloc_array(row->scratch, (size_t)finding->frame_count + 1, sizeof *places);
    for (uint32_t i = 0; places != NULL && i < finding->frame_count; i++) {
        places[i] = finding->frames[i]->place;
    }
    return ets_datum_texts(places, finding->frame_count);
}

static struct ets_datum get_source_lines(const struct ets_entity_row *row)
{
    return ets_datum_integer(of(row)->frame_count);
}

static struct ets_datum get_instructions(const struct ets_entity_row *row)
{
    return ets_datum_numbers(row->scratch, of(row)->instructions, of(row)->instruction_count);
}

static struct ets_datum get_evidence(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->evidence);
}

static struct ets_datum get_doubt(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->doubt);
}

static struct ets_datum get_check(const struct ets_entity_row *row)
{
    const char *const *checks = row->study->sources.checks;
    return ets_datum_string(checks == NULL ? NULL : checks[of(row)->check]);
}

static struct ets_datum get_view(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->view);
}

/* clang-format off */
static const struct ets_entity_column columns[] = {
    {"id", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "number of the finding, from 0: of a trace the bad first, then notes, then what is good; in these what takes the most time first", get_id},
    {"trace", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `traces`; null: about a program without a trace", get_trace},
    {"program", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `programs`; null: the trace has none", get_program},
    {"kind", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "name of the rule, such as between_operators, duplicates, lost_events", get_kind},
    {"severity", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "bad, note or good", get_severity},
    {"sentence", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "the finding in words", get_sentence},
    {"action", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "what to change; null: it is an observation", get_action},
    {"share", ETS_QUANTITY_SHARE, true, ETS_SEEN_BY_ALL, "part of a run of its method; null: not a time", get_share},
    {"saving", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "what a change saves of a run at least; null: not a time, or not known", get_saving},
    {"away", ETS_QUANTITY_TIME, false, ETS_SEEN_BY_ALL, "measured time of what goes away, in the median run; what takes its place takes time, too; null: not a time, or not known", get_away},
    {"away_share", ETS_QUANTITY_SHARE, false, ETS_SEEN_BY_ALL, "its part of that run", get_away_share},
    {"saved", ETS_QUANTITY_BYTES, false, ETS_SEEN_BY_ALL, "bytes that a change saves; null: not bytes", get_saved},
    {"basis", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "what the saving is known from: removed (measured time of what goes away), bound (no more than this), file or memory (bytes); null: none", get_basis},
    {"confidence", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "high (the files decide it), medium (so by the rules of a known version) or low (worth a try); null: an observation", get_confidence},
    {"method", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "the method it is about; null: all of them, or not known", get_method},
    {"block", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `blocks`; null: none, or several", get_block},
    {"operator", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `operators`; null: none, or several", get_operator},
    {"place", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "operator, module or line it is about; null: see the sentence", get_place},
    {"module", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "first module it is about; null: none, or not known", get_module},
    {"source", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_ALL, "source lines it is about, file:line", get_source},
    {"instructions", ETS_QUANTITY_NUMBERS, false, ETS_SEEN_BY_ALL, "instructions of the method that it is about", get_instructions},
    {"evidence", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "the numbers that it rests on", get_evidence},
    {"doubt", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "what would make it wrong; null: nothing known", get_doubt},
    {"check", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "a command that shows whether a change helped; null: only `advise` has one", get_check},
    {"view", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, "view of a report that shows it", get_view},
    {"source_lines", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_OLD_QUERIES, "how many source lines it is about", get_source_lines},
    {NULL, ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, NULL, NULL},
};
/* clang-format on */

static uint64_t count(const struct ets_study *study)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < study->findings_count; i++) all += study->findings[i].found.count;
    return all;
}

static bool find(struct ets_entity_row *row)
{
    const struct ets_study *study = row->study;
    uint64_t number = row->number;
    uint32_t i = 0;
    while (number >= study->findings[i].found.count) number -= study->findings[i++].found.count;
    const struct ets_studied_findings *found = &study->findings[i];
    row->parent = i;
    row->item = &found->found.items[number];
    row->trace = found->trace == ETS_NO_INDEX ? NULL : &study->traces[found->trace];
    return true;
}

const struct ets_entity ets_findings_entity = {
    .name = "findings",
    .meaning = "What to look at next, as a report begins with it.",
    .columns = columns,
    .prepare = ets_study_findings,
    .count = count,
    .find = find,
};
