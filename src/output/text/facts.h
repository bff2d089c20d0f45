/*
 * Writes facts from one description, as aligned lines for people or as members of a JSON document.
 *
 *     struct ets_facts facts;
 *     ets_facts_init(&facts, json, output);          one of the two is NULL
 *     ets_facts_line(&facts, "runs");                for people: "  runs           20 in 2 blocks"
 *     ets_facts_number(&facts, "run_count", 20);     as JSON: "run_count": 20
 *     ets_facts_words(&facts, " in %u blocks", 2);
 *     ets_facts_end(&facts);
 *
 * A value with a key becomes a member of the document; begin its objects and arrays with
 * `facts.json` (json_writer.h). A value within a line becomes part of that line. So a value without
 * a key is for people only, and a value outside all lines is for JSON only. To show a line only
 * sometimes, begin it under a condition and end it always.
 *
 * Lines are cut after about 500 bytes. Texts from files are escaped. Nothing is allocated; write
 * errors are reported by the output's commit.
 */
#ifndef ETSCOPE_OUTPUT_TEXT_FACTS_H
#define ETSCOPE_OUTPUT_TEXT_FACTS_H

#include "etscope/tensor.h"
#include "host/text_builder.h"
#include "output/text/json_writer.h"

enum { ETS_FACTS_WIDTH = 80, ETS_FACTS_LABEL = 15, ETS_FACTS_CHARS = 512 };

/* The key of a value that is an item of the open JSON array. */
#define ETS_FACTS_ITEM ""

/* The state of writing. It points into itself: do not copy it. */
struct ets_facts {
    struct ets_output *output;    /* NULL: as JSON */
    struct ets_json_writer *json; /* never NULL; writes nothing for people */
    struct ets_json_writer silence;
    struct ets_text_builder line, item;
    uint32_t width;  /* of the terminal, in columns; longer lines are wrapped; 0: none are */
    bool is_open;    /* a line is */
    bool is_labeled; /* that line has a label */
    uint32_t items;  /* of its list; the last one is open */
    char line_text[ETS_FACTS_CHARS], item_text[ETS_FACTS_CHARS];
};

void ets_facts_init(struct ets_facts *facts, struct ets_json_writer *json,
                    struct ets_output *output);
static inline bool ets_facts_are_json(const struct ets_facts *facts)
{
    return facts->output == NULL;
}

/* Begins the line "  label          "; what follows is appended. */
void ets_facts_line(struct ets_facts *facts, const char *label, ...) ETS_PRINTF(2, 3);
/* Begins a line with these words, without a label. */
void ets_facts_plain_line(struct ets_facts *facts, const char *words, ...) ETS_PRINTF(2, 3);
/* Ends the line or list, if there is one. */
void ets_facts_end(struct ets_facts *facts);

/*
 * Within a line: begins an item of a list that wraps at the width, "a, b, c".
 */
void ets_facts_item(struct ets_facts *facts);

/* A line of a label and a number. */
void ets_facts_number_line(struct ets_facts *facts, const char *label, const char *key,
                           uint64_t value);
/* Words for people. */
void ets_facts_words(struct ets_facts *facts, const char *words, ...) ETS_PRINTF(2, 3);
/* A paragraph for people, broken into lines at spaces; further lines are indented. */
void ets_facts_paragraph(struct ets_facts *facts, const char *text);

void ets_facts_text(struct ets_facts *facts, const char *key, struct ets_text text);
void ets_facts_string(struct ets_facts *facts, const char *key, const char *text);
void ets_facts_number(struct ets_facts *facts, const char *key, uint64_t value);
void ets_facts_integer(struct ets_facts *facts, const char *key, int64_t value);
void ets_facts_real(struct ets_facts *facts, const char *key, double value);
/* For people "1 run", "2 runs". */
void ets_facts_count(struct ets_facts *facts, const char *key, uint64_t value, const char *noun);
/* For people "1.5 KiB". */
void ets_facts_bytes(struct ets_facts *facts, const char *key, uint64_t bytes);
/* For people one of the two words. */
void ets_facts_bool(struct ets_facts *facts, const char *key, bool value, const char *yes,
                    const char *no);
/* For people "float32 [2, 16]", or "float32 [<=2, <=16]" where sizes are upper bounds; as JSON the
 * members scalar_type and sizes. */
void ets_facts_tensor(struct ets_facts *facts, const struct ets_tensor *tensor, bool is_bound);
/* A bundled or recorded value: a tensor's type or a number; as JSON an item, an object. */
void ets_facts_value(struct ets_facts *facts, const struct ets_value *value);

#endif
