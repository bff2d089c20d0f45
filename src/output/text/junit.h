/*
 * junit.h - results of checks as JUnit XML, which continuous integration systems read.
 *
 *     const struct ets_junit_case cases[] = {
 *         {.class_name = "forward", .name = "case 0, output 1", .seconds = 0.002},
 *         {.class_name = "forward", .name = "case 1, output 1", .result = ETS_JUNIT_FAILURE,
 *          .message = "3 of 10 elements are outside of the tolerance"},
 *     };
 *     ets_junit_write("model.bpte", cases, 2, output);
 *     status = ets_output_commit(output, &error);
 *
 * Texts are UTF-8; characters that XML cannot contain (control characters, other bytes) become '?'.
 */
#ifndef ETSCOPE_OUTPUT_TEXT_JUNIT_H
#define ETSCOPE_OUTPUT_TEXT_JUNIT_H

#include "etscope/file.h"
#include "host/output.h"

enum ets_junit_result {
    ETS_JUNIT_PASS = 0,
    ETS_JUNIT_FAILURE = 1, /* the check was made and its finding is negative */
    ETS_JUNIT_ERROR = 2,   /* the check could not be made */
    ETS_JUNIT_SKIPPED = 3  /* there was nothing to check */
};

struct ets_junit_case {
    const char *class_name, *name;
    const char *file; /* where the check is written; NULL: nowhere */
    uint32_t line;    /* there, from 1 */
    enum ets_junit_result result;
    const char *type;    /* of a failure or error, one word; NULL: none */
    const char *message; /* one line; NULL: none */
    const char *details; /* details of a failure or error, several lines; NULL: none */
    const char *output;  /* output of the check, whatever its result; NULL: none */
    double seconds;      /* NaN: not measured; the suite then has no time either */
};

/* Appends the document; write errors are reported by the output's commit. */
ETS_API void ets_junit_write(const char *suite_name, const struct ets_junit_case *cases,
                             size_t count, struct ets_output *output);

#endif
