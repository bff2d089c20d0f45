/* What the tests of pools and differences share: dumps of a few operators over several runs. */
#ifndef ETSCOPE_TESTS_COMPARE_SUPPORT_H
#define ETSCOPE_TESTS_COMPARE_SUPPORT_H

#include "test_inspect_support.h"

#include "compare/pool_parts.h"
#include "etscope/experimental/difference.h"

enum { MOST_OPERATORS = 12, MOST_RUNS = 40 };

/* An operator of a made program: run r takes `ticks` + r % `jitter` (0: none). */
struct made_operator {
    const char *name;
    uint64_t ticks, jitter;
};

/* Runs named Execute of the operators, which Method::execute encloses with 7 ticks of its own. */
static inline struct ets_bytes make_program(const struct made_operator *operators, uint32_t count,
                                            uint32_t runs)
{
    static struct made_event events[MOST_RUNS][MOST_OPERATORS + 1];
    static struct made_run made[MOST_RUNS];
    assert_true(count <= MOST_OPERATORS && runs <= MOST_RUNS);
    for (uint32_t r = 0; r < runs; r++) {
        uint64_t now = 1000 * (uint64_t)(r + 1) * 1000;
        const uint64_t start = now;
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t jitter = operators[i].jitter;
            const uint64_t ticks = operators[i].ticks + (jitter > 0 ? (r * 7 + i) % jitter : 0);
            events[r][i] = (struct made_event)CALL(operators[i].name, (int32_t)i, now, now + ticks);
            now += ticks;
        }
        events[r][count] = (struct made_event)FRAMEWORK("Method::execute", start, now + 7);
        made[r] = (struct made_run){"Execute", -1, events[r], count + 1, 0};
    }
    return make_dump(made, runs);
}

static inline struct made inspect_program(const struct made_operator *operators, uint32_t count,
                                          uint32_t runs)
{
    struct made made = {.dump = make_program(operators, count, runs)};
    made.inspection = inspect(made.dump, (struct ets_inspect_options){0});
    return made;
}

static inline struct ets_pool *open_pool(const struct ets_inspection *const *inspections,
                                         uint32_t count)
{
    struct ets_pool *pool = NULL;
    assert_int_equal(ets_pool_open(inspections, count, NULL, &pool, NULL), ETS_OK);
    return pool;
}

/* Two inspections, compared. */
struct compared {
    const struct ets_inspection *inspections[2];
    struct ets_pool *pools[2];
    struct ets_difference *difference;
};

static inline void compare(const struct ets_inspection *before, const struct ets_inspection *after,
                           struct compared *out)
{
    const struct ets_difference_options options = {.least_change = 0.01};
    out->inspections[0] = before;
    out->inspections[1] = after;
    out->pools[0] = open_pool(&out->inspections[0], 1);
    out->pools[1] = open_pool(&out->inspections[1], 1);
    assert_int_equal(
        ets_difference_open(out->pools[0], out->pools[1], &options, &out->difference, NULL),
        ETS_OK);
}

static inline void compared_close(struct compared *compared)
{
    ets_difference_close(compared->difference);
    ets_pool_close(compared->pools[0]);
    ets_pool_close(compared->pools[1]);
}

enum { MOST_RECORDINGS = 20 };

/* Several recordings a side, compared. */
struct recorded {
    struct made made[2][MOST_RECORDINGS];
    uint32_t count;
    struct compared compared;
};

/*
 * Records each side `recordings` times, of `runs` runs. Recording k of both takes up to `spread`
 * ticks more for each operator.
 */
static inline void compare_recordings(const struct made_operator *const sides[2],
                                      const uint32_t counts[2], uint32_t runs, uint32_t recordings,
                                      uint64_t spread, struct recorded *out)
{
    const struct ets_difference_options options = {.least_change = 0.01};
    out->count = recordings;
    for (int s = 0; s < 2; s++) {
        const struct ets_inspection *inspections[MOST_RECORDINGS];
        assert_true(recordings <= MOST_RECORDINGS);
        for (uint32_t k = 0; k < recordings; k++) {
            struct made_operator operators[MOST_OPERATORS];
            for (uint32_t i = 0; i < counts[s]; i++) {
                operators[i] = sides[s][i];
                operators[i].ticks += (k * 5 + i + 3 * (uint32_t)s) % (spread + 1);
            }
            operators[0].jitter += k + 1; /* no two are equal */
            out->made[s][k] = inspect_program(operators, counts[s], runs);
            inspections[k] = out->made[s][k].inspection;
        }
        out->compared.pools[s] = open_pool(inspections, recordings);
    }
    assert_int_equal(ets_difference_open(out->compared.pools[0], out->compared.pools[1], &options,
                                         &out->compared.difference, NULL),
                     ETS_OK);
}

static inline void recorded_close(struct recorded *recorded)
{
    compared_close(&recorded->compared);
    for (int s = 0; s < 2; s++) {
        for (uint32_t k = 0; k < recorded->count; k++) made_close(&recorded->made[s][k]);
    }
}

/* The first line that has an operator `name` on either side. */
static inline const struct ets_difference_line *find_line(const struct compared *compared,
                                                          const char *name)
{
    for (uint32_t i = 0; i < ets_difference_line_count(compared->difference); i++) {
        const struct ets_difference_line *line = ets_difference_line(compared->difference, i);
        const struct ets_difference_side *sides[] = {&line->after, &line->before};
        for (int s = 0; s < 2; s++) {
            for (uint32_t k = 0; k < sides[s]->operator_count; k++) {
                const struct ets_text text =
                    sides[s]->block->operators[sides[s]->operators[k]].name;
                if (text.size == strlen(name) && memcmp(text.data, name, text.size) == 0) {
                    return line;
                }
            }
        }
    }
    fail_msg("no line has %s", name);
    return NULL;
}

#endif
