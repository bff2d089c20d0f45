/*
 * Advice as SARIF 2.1.0 (OASIS), which code hosts show at the lines of the model.
 *
 * A finding with source lines has these as locations; one without is shown without a place. A bad
 * finding is a warning, advice a note. `uriBaseId` of paths is SRCROOT.
 */
#ifndef ETSCOPE_OUTPUT_TEXT_ADVICE_SARIF_H
#define ETSCOPE_OUTPUT_TEXT_ADVICE_SARIF_H

#include "output/text/advice_text.h"

void ets_advice_write_sarif(const struct ets_advice_page *page, struct ets_output *output);

#endif
