/*
 * Advice as text for people: the answer, then each finding with what to do, where, what it rests
 * on, what it saves and how to check it.
 *
 *     1  4 kernels compute the same result in every run, 10.2 % of a run
 *        do     keep the result in a buffer
 *        where  models/net.py:20, module attention
 *        saves  12..14 us of a run: the measured time of what goes away
 *        check  etscope diff before.etdp after.etdp
 */
#ifndef ETSCOPE_OUTPUT_TEXT_ADVICE_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_ADVICE_TEXT_H

#include "advice/findings.h"
#include "host/output.h"

/* What is told about one trace or program. */
struct ets_advice_page {
    const char *const *checks; /* [ETS_CHECK_COUNT] the command that checks; NULL: none */
    const char *headline;
    bool is_undecided; /* nothing was found in what was read, and not all was */
    const struct ets_finding *const *findings; /* those to show, in their order */
    uint32_t count;
    uint32_t hidden;     /* findings that are not shown */
    const char *more;    /* the option that shows them */
    const char *missing; /* what was not examined, and what would; NULL: all was */
    double tick_ns;      /* 0: cycles */
};

/* What SARIF and JUnit XML call that something was not read. */
#define ETS_ADVICE_UNREAD "not_read"

/* Lines of at most `width` characters where words permit; 0: any. `is_colored`: what is found is
 * bold, what is wrong red, labels are dim. */
void ets_advice_write_text(const struct ets_advice_page *page, uint32_t width, bool is_colored,
                           struct ets_output *output);
/* The same as a list in Markdown. */
void ets_advice_write_markdown(const struct ets_advice_page *page, struct ets_output *output);

/* "4..14 us of a run: no more than this"; 0: nothing is known. */
size_t ets_saving_print(const struct ets_saving *saving, double tick_ns, char *text, size_t room);
/* "models/net.py:20 and 2 more lines, module attention, method forward"; 0: no place. */
size_t ets_finding_place_print(const struct ets_finding *finding, char *text, size_t room);

#endif
