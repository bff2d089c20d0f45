#include "random_choices.hpp"

std::string random_choices::bytes(uint32_t size)
{
    std::string text;
    while (text.size() < size) text += static_cast<char>(bits());
    return text;
}

std::string random_choices::text(uint32_t most, bool is_plain)
{
    static const char *const pieces[] = {"a",
                                         "conv_",
                                         "::",
                                         " ",
                                         "\"",
                                         "\\",
                                         "/",
                                         "\n",
                                         "\t",
                                         "\r",
                                         "\x01",
                                         "\x1f",
                                         "\x7f",
                                         "\xc3\xa9",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "native_call_add.out",
                                         "'",
                                         ",",
                                         "%s"};
    std::string text;
    for (uint32_t left = below(most + 1); left > 0; left--) {
        if (is_plain || !once_in(3)) text += pieces[below(sizeof pieces / sizeof *pieces)];
        else text += static_cast<char>(1 + below(255));
    }
    return text;
}

double random_choices::real(bool is_plain)
{
    if (is_plain || once_in(2)) return (static_cast<double>(below(2000000)) - 1000000) / 8;
    const uint64_t pattern = once_in(3) ? UINT64_C(0x7ff) << 52 | below(2) : bits();
    double value;
    memcpy(&value, &pattern, sizeof value);
    return value;
}

given::tensor random_choices::tensor(bool is_plain)
{
    static const uint8_t types[] = {0,  1,  2,  3,  4,  5,  6,  7,  11, 12, 13, 14,
                                    15, 22, 23, 24, 25, 26, 27, 28, 29, 16, 17};
    given::tensor tensor;
    tensor.scalar_type = types[below(is_plain ? 21 : 23)]; /* upstream's Python spells two anew */
    for (uint32_t rank = once_in(16) ? 16 : below(5); rank > 0; rank--) {
        tensor.sizes.push_back(once_in(24) ? 0 : 1 + below(tensor.sizes.size() < 5 ? 3 : 1));
        tensor.strides.push_back(1);
    }
    int64_t stride = once_in(5) ? 2 : 1;
    for (size_t i = tensor.sizes.size(); i-- > 0;) {
        tensor.strides[i] = stride;
        stride *= tensor.sizes[i] == 0 ? 1 : tensor.sizes[i];
        if (once_in(16)) stride++;
    }
    return tensor;
}

ets_tensor borrow(const given::tensor &tensor)
{
    ets_tensor to = {};
    to.scalar_type = static_cast<ets_scalar_type>(tensor.scalar_type);
    to.rank = static_cast<uint32_t>(tensor.sizes.size());
    for (uint32_t i = 0; i < to.rank; i++) {
        to.sizes[i] = tensor.sizes[i];
        to.strides[i] = tensor.strides[i];
    }
    to.data = tensor.bytes.empty() ? nullptr : tensor.bytes.data();
    to.data_bytes = tensor.bytes.size();
    return to;
}
