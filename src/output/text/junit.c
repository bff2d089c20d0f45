/* Writes verdicts as a JUnit XML file. */
#include "output/text/junit.h"
#include "host/output.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "output/text/xml_text.h"

static void put(struct ets_output *output, const char *text)
{
    ets_output_write(output, text, strlen(text));
}

static void put_text(struct ets_output *output, const char *text)
{
    ets_xml_put_text(output, (struct ets_text){text, strlen(text)});
}

static void put_attribute(struct ets_output *output, const char *name, const char *text)
{
    put(output, " ");
    put(output, name);
    put(output, "=\"");
    put_text(output, text);
    put(output, "\"");
}

static void put_seconds(struct ets_output *output, double seconds)
{
    char text[64];
    if (isnan(seconds)) return;
    snprintf(text, sizeof text, " time=\"%.6f\"", seconds);
    put(output, text);
}

static void put_place(struct ets_output *output, const struct ets_junit_case *each)
{
    char text[32];
    if (each->file == NULL) return;
    put_attribute(output, "file", each->file);
    snprintf(text, sizeof text, " line=\"%u\"", (unsigned)each->line);
    put(output, text);
}

/* What stands between an element's start, whose tag is open yet, and its end. */
static void put_content(struct ets_output *output, const char *name, const char *text)
{
    put(output, ">");
    put_text(output, text);
    put(output, "</");
    put(output, name);
    put(output, ">\n");
}

static void put_result(struct ets_output *output, const struct ets_junit_case *each)
{
    static const char *const names[] = {NULL, "failure", "error", "skipped"};
    const char *name = names[each->result];
    put(output, "      <");
    put(output, name);
    if (each->type != NULL) put_attribute(output, "type", each->type);
    if (each->message != NULL) put_attribute(output, "message", each->message);
    if (each->details == NULL || each->result == ETS_JUNIT_SKIPPED) put(output, "/>\n");
    else put_content(output, name, each->details);
}

static void put_case(struct ets_output *output, const struct ets_junit_case *each)
{
    put(output, "    <testcase");
    put_attribute(output, "classname", each->class_name);
    put_attribute(output, "name", each->name);
    put_place(output, each);
    put_seconds(output, each->seconds);
    if (each->result == ETS_JUNIT_PASS && each->output == NULL) {
        put(output, "/>\n");
        return;
    }
    put(output, ">\n");
    if (each->result != ETS_JUNIT_PASS) put_result(output, each);
    if (each->output != NULL) {
        put(output, "      <system-out");
        put_content(output, "system-out", each->output);
    }
    put(output, "    </testcase>\n");
}

void ets_junit_write(const char *suite_name, const struct ets_junit_case *cases, size_t count,
                     struct ets_output *output)
{
    size_t counts[4] = {0};
    double seconds = 0;
    char text[160];
    for (size_t i = 0; i < count; i++) {
        counts[cases[i].result]++;
        seconds += cases[i].seconds; /* NaN where one of them has none */
    }
    snprintf(text, sizeof text, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", count,
             counts[ETS_JUNIT_FAILURE], counts[ETS_JUNIT_ERROR]);
    put(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put(output, text);
    put_seconds(output, seconds);
    put(output, ">\n  <testsuite");
    put_attribute(output, "name", suite_name);
    put(output, text);
    snprintf(text, sizeof text, " skipped=\"%zu\"", counts[ETS_JUNIT_SKIPPED]);
    put(output, text);
    put_seconds(output, seconds);
    put(output, ">\n");
    for (size_t i = 0; i < count; i++) put_case(output, &cases[i]);
    put(output, "  </testsuite>\n</testsuites>\n");
}
