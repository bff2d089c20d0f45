/*
 * Reads XML tag by tag, without memory: names and attributes of elements, and the text between
 * tags. No DTD is read, and no entity but the five of XML itself and numbers.
 *
 *     struct ets_xml xml = {.text = text};
 *     struct ets_text value;
 *     while (ets_xml_next(&xml)) {
 *         if (xml.kind == ETS_XML_OPEN && ets_text_is(xml.name, "layer") &&
 *             ets_xml_attribute(&xml, "name", &value)) use(value);
 *     }
 *     if (xml.is_broken) refuse(xml.at);
 *
 * Nothing here recurses: an element without content is an OPEN with `is_empty`, and no CLOSE.
 */
#ifndef ETSCOPE_FORMAT_XML_H
#define ETSCOPE_FORMAT_XML_H

#include <stdbool.h>
#include <stdint.h>

#include "etscope/base.h"

enum ets_xml_kind { ETS_XML_OPEN, ETS_XML_CLOSE };

struct ets_xml {
    struct ets_text text;
    size_t at;
    enum ets_xml_kind kind;
    struct ets_text name;
    struct ets_text attributes; /* of OPEN */
    struct ets_text before;     /* what stands between the tag before and this one */
    uint32_t depth;             /* of elements around this one */
    bool is_empty;              /* <name/> */
    bool is_broken;             /* ended by what is no XML, or by nesting beyond the limit */
};

enum { ETS_XML_MOST_NESTED = 64 };

/* The next tag. Comments, declarations and the like are passed over. false: the text has ended, or
 * is broken; also where elements remain open. */
bool ets_xml_next(struct ets_xml *xml);

/* As it stands in the file, with its entities. false: the element has no such attribute. */
bool ets_xml_attribute(const struct ets_xml *xml, const char *name, struct ets_text *value_out);

/* One attribute after the other; *at begins at 0. false: that was the last. */
bool ets_xml_next_attribute(const struct ets_xml *xml, size_t *at, struct ets_text *name_out,
                            struct ets_text *value_out);

/* Replaces entities: writes at most text.size bytes to `out`, and gives their number. What is no
 * entity stays. */
size_t ets_xml_unescape(struct ets_text text, char *out);

#endif
