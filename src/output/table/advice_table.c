/* Findings as rows. */
#include "output/table/advice_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/study_advice.h"

struct line {
    struct ets_table *table;
    const struct ets_advice_page *page;
    const struct ets_finding *of;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_kind(const struct line *line)
{
    ets_table_put_string(line->table, line->of->kind);
}

static void put_severity(const struct line *line)
{
    ets_table_put_string(line->table, ets_severity_name(line->of->severity));
}

static void put_sentence(const struct line *line)
{
    ets_table_put_text(line->table, line->of->sentence);
}

static void put_action(const struct line *line)
{
    ets_table_put_text(line->table, line->of->action);
}

static void put_share(const struct line *line)
{
    if (isnan(line->of->share.lower)) ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, line->of->share.lower, line->of->share.upper);
}

static void put_saving(const struct line *line)
{
    const struct ets_span ticks = line->of->saving.ticks;
    const double tick = line->page->tick_ns > 0 ? line->page->tick_ns : 1;
    if (isnan(ticks.upper)) ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, ticks.lower * tick, ticks.upper * tick);
}

static void put_bytes(const struct line *line)
{
    if (line->of->saving.bytes == 0) ets_table_put_nothing(line->table);
    else ets_table_put_count(line->table, line->of->saving.bytes);
}

static void put_basis(const struct line *line)
{
    ets_table_put_string(line->table, ets_saving_basis_name(line->of->saving.basis));
}

static void put_confidence(const struct line *line)
{
    ets_table_put_string(line->table, ets_confidence_name(line->of->confidence));
}

static void put_method(const struct line *line)
{
    ets_table_put_text(line->table, line->of->method);
}

static void put_module(const struct line *line)
{
    ets_table_put_text(line->table, ets_finding_module(line->of));
}

static void put_source(const struct line *line)
{
    enum { MOST = 64 };
    struct ets_text places[MOST];
    uint32_t count = 0;
    for (; count < line->of->frame_count && count < MOST; count++) {
        places[count] = line->of->frames[count]->place;
    }
    ets_table_put_list(line->table, places, count);
}

static void put_instructions(const struct line *line)
{
    enum { MOST = 256 };
    char digits[MOST][12];
    struct ets_text numbers[MOST];
    uint32_t count = 0;
    for (; count < line->of->instruction_count && count < MOST; count++) {
        const int size =
            snprintf(digits[count], sizeof digits[count], "%u", line->of->instructions[count]);
        numbers[count] = (struct ets_text){digits[count], (size_t)size};
    }
    ets_table_put_list(line->table, numbers, count);
}

static void put_evidence(const struct line *line)
{
    ets_table_put_text(line->table, line->of->evidence);
}

static void put_doubt(const struct line *line)
{
    ets_table_put_string(line->table, line->of->doubt);
}

static void put_check(const struct line *line)
{
    ets_table_put_string(line->table, line->page->checks[line->of->check]);
}

static void put_view(const struct line *line)
{
    ets_table_put_string(line->table, line->of->view);
}

static const struct field fields[] = {
    {{.name = "kind"}, put_kind},
    {{.name = "severity"}, put_severity},
    {{.name = "sentence"}, put_sentence},
    {{.name = "action"}, put_action},
    {{.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1}, put_share},
    {{.name = "saving", .kind = ETS_COLUMN_TIME, .has_bounds = 1}, put_saving},
    {{.name = "saved", .kind = ETS_COLUMN_BYTES}, put_bytes},
    {{.name = "basis"}, put_basis},
    {{.name = "confidence"}, put_confidence},
    {{.name = "method"}, put_method},
    {{.name = "module"}, put_module},
    {{.name = "source", .kind = ETS_COLUMN_LIST}, put_source},
    {{.name = "instructions", .kind = ETS_COLUMN_NUMBERS}, put_instructions},
    {{.name = "evidence"}, put_evidence},
    {{.name = "doubt"}, put_doubt},
    {{.name = "check"}, put_check},
    {{.name = "view"}, put_view},
};

void ets_advice_table_fill(struct ets_table *table, const struct ets_advice_page *page)
{
    const size_t count = sizeof fields / sizeof *fields;
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, count, page->tick_ns > 0);
    for (uint32_t i = 0; i < page->count; i++) {
        const struct line line = {table, page, page->findings[i]};
        ets_table_add_row(table, 0);
        for (size_t k = 0; k < count; k++) fields[k].put(&line);
    }
}

enum ets_status ets_advice_table_of(struct ets_table *table,
                                    const struct ets_study_sources *sources, int all,
                                    struct ets_error *error)
{
    static const char *const no_checks[ETS_CHECK_COUNT] = {NULL};
    struct ets_study study;
    struct ets_study_advice advice;
    enum ets_status status = ets_study_init(&study, sources, ets_table_allocator(table), error);
    /* Whoever joined the sources has decided whether they belong together. */
    if (status == ETS_OK) status = ets_study_coverage(&study, true, &advice.coverage, error);
    if (status == ETS_OK) status = ets_study_advise(&study, all, &advice, error);
    if (status == ETS_OK) {
        const struct ets_advice_page page = {.checks = no_checks,
                                             .findings = advice.shown,
                                             .count = advice.count,
                                             .tick_ns = advice.tick_ns};
        ets_table_add_lead(table, ets_text_of(advice.headline));
        ets_advice_table_fill(table, &page);
    }
    ets_study_reset(&study);
    return status;
}
