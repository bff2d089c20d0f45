/* Finds what a page could not tell. */
#include "output/page/page_parts.h"

bool ets_page_missing(const struct ets_page_source *source, int i,
                      struct ets_page_missing *missing_out)
{
    const bool is_refused = i == ETS_MISSING_DEBUG_BUFFER && source->gap_reason != NULL;
    missing_out->of = ets_missing_without((enum ets_missing_file)i);
    missing_out->option = source->missing_options[i];
    if (is_refused) missing_out->of.sentence = source->gap_reason;
    return missing_out->option != NULL;
}
