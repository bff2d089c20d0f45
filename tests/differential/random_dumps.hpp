/*
 * Makes ETDumps of random calls of the tracer, and of random records for the writer. Both throw
 * std::runtime_error if etscope's reader does not find in them what was given.
 */
#ifndef ETSCOPE_TESTS_RANDOM_DUMPS_HPP
#define ETSCOPE_TESTS_RANDOM_DUMPS_HPP

#include "random_choices.hpp"

struct random_dump {
    std::string file, debug_buffer;
    given::runs content;
    const char *kind; /* for counts of what was made */
};

/*
 * Threads that take turns; a buffer with room for all, which is then found to the last field, or a
 * small one that stops, wraps or streams, of which each event is a given one or counted.
 */
random_dump dump_of_calls(random_choices *random, bool is_plain);

/* Any field with any value. Debug buffers are left out: offsets are any, too. */
random_dump dump_of_records(random_choices *random, bool is_plain);

[[noreturn]] void differ(const std::string &what, const std::string &wanted,
                         const std::string &found);
void require(bool is_true, const std::string &what);

#endif
