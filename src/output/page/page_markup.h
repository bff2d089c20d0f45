/* Markup of a page, and text in it. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_MARKUP_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_MARKUP_H

#include "etscope/base.h"
#include "host/output.h"

/* Markup, as it is. */
void ets_page_put(struct ets_output *output, const char *markup);
/* Text: markup becomes entities; what is not safe to print, visible escapes. */
void ets_page_put_shown(struct ets_output *output, struct ets_text text);

#endif
