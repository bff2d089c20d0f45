/* Text inside of XML. */
#ifndef ETSCOPE_OUTPUT_TEXT_XML_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_XML_TEXT_H

#include "etscope/base.h"
#include "etscope/file.h"

/* Text of an element or attribute; what XML cannot hold becomes "?". */
void ets_xml_put_text(struct ets_output *output, struct ets_text text);

#endif
