/* Random numbers, texts and tensors; the same of one seed on every machine. */
#ifndef ETSCOPE_TESTS_RANDOM_CHOICES_HPP
#define ETSCOPE_TESTS_RANDOM_CHOICES_HPP

#include <cstring>
#include <string>

#include "given_dump.hpp"

class random_choices
{
  public:
    explicit random_choices(uint64_t seed) : state_(seed * 2654435769u + 1)
    {
        for (int i = 0; i < 8; i++) (void)bits();
    }

    /* SplitMix64 */
    uint64_t bits()
    {
        uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        return z ^ (z >> 31);
    }

    uint32_t below(uint32_t limit)
    {
        return static_cast<uint32_t>(bits() % limit);
    }

    bool once_in(uint32_t times)
    {
        return below(times) == 0;
    }

    /* Small numbers, powers of two and their neighbours, and any. */
    uint64_t number()
    {
        switch (below(4)) {
        case 0: return below(4);
        case 1: return bits() >> below(64);
        case 2: return (UINT64_C(1) << below(64)) - below(2);
        default: return UINT64_MAX - below(3);
        }
    }

    std::string bytes(uint32_t size);

    /* UTF-8, quotes and control characters among it, without NUL. Not so if `is_plain` is false. */
    std::string text(uint32_t most, bool is_plain);

    /* A number that a few digits say, so that text formats pass it on; any if `is_plain` is false.
     */
    double real(bool is_plain);

    /* Of few elements, sometimes none, with or without gaps; it has neither bytes nor an offset. */
    given::tensor tensor(bool is_plain);

  private:
    uint64_t state_;
};

/* A tensor in C that borrows from `tensor`. */
ets_tensor borrow(const given::tensor &tensor);

#endif
