/*
 * Functions that compilers call if the processor cannot multiply, or shift 64 bits: Cortex-M0 and
 * RISC-V without M. Only for firmware that links neither compiler-rt nor libgcc. Build this with
 * -fno-builtin.
 */
#include <stdint.h>

#if defined(__arm__) || defined(__riscv)

/* By additions of 32 bits, as a multiplication would call itself. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint32_t low = 0, high = 0;
    uint32_t a_low = (uint32_t)a, a_high = (uint32_t)(a >> 32);
    uint32_t b_low = (uint32_t)b, b_high = (uint32_t)(b >> 32);
    while ((b_low | b_high) != 0) {
        if ((b_low & 1) != 0) {
            low += a_low;
            high += a_high + (low < a_low);
        }
        a_high = a_high << 1 | a_low >> 31;
        a_low <<= 1;
        b_low = b_low >> 1 | b_high << 31;
        b_high >>= 1;
    }
    return (uint64_t)high << 32 | low;
}

#if defined(__arm__)
uint64_t __aeabi_lmul(uint64_t a, uint64_t b);
uint64_t __aeabi_llsr(uint64_t value, int count);
uint64_t __aeabi_llsl(uint64_t value, int count);

uint64_t __aeabi_lmul(uint64_t a, uint64_t b)
{
    return multiply(a, b);
}

/* Shifts of halves by less than 32, which are instructions. */
uint64_t __aeabi_llsr(uint64_t value, int count)
{
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    if (count >= 32) {
        low = high >> (count - 32);
        high = 0;
    } else if (count > 0) {
        low = low >> count | high << (32 - count);
        high >>= count;
    }
    return (uint64_t)high << 32 | low;
}

uint64_t __aeabi_llsl(uint64_t value, int count)
{
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    if (count >= 32) {
        high = low << (count - 32);
        low = 0;
    } else if (count > 0) {
        high = high << count | low >> (32 - count);
        low <<= count;
    }
    return (uint64_t)high << 32 | low;
}
#else
uint32_t __mulsi3(uint32_t a, uint32_t b);
uint64_t __muldi3(uint64_t a, uint64_t b);

uint32_t __mulsi3(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (; b != 0; b >>= 1, a <<= 1) {
        if ((b & 1) != 0) product += a;
    }
    return product;
}

uint64_t __muldi3(uint64_t a, uint64_t b)
{
    return multiply(a, b);
}
#endif

#endif
