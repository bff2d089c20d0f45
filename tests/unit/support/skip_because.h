/* Skipping a test with its reason, which `make test` repeats at its end. Behind cmocka.h. */
#ifndef ETSCOPE_TEST_SKIP_BECAUSE_H
#define ETSCOPE_TEST_SKIP_BECAUSE_H

#define SKIP_BECAUSE(reason)                     \
    do {                                         \
        print_message("skipping: " reason "\n"); \
        skip();                                  \
    } while (0)

#define NO_ENGINE "there is no engine (make engine)"
#define NO_RECORDS "this build cannot read or write ETRecords and .npz files"

#endif
