/* An application that judges outputs on its own; here the output is all zeros. */
#include <stdio.h>

#include <etscope/verify.h>

int main(int count, char **words)
{
    static unsigned char bytes[1 << 20];
    static const float zeros[8];
    struct ets_output_verdict verdict;
    struct ets_case_verdict result;
    struct ets_error error;
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    if (file == NULL) return 2;
    const struct ets_bytes bundle = {bytes, fread(bytes, 1, sizeof bytes, file)};
    fclose(file);
    const struct ets_value output = {.kind = ETS_VALUE_TENSOR,
                                     .as.tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                                   .rank = 2,
                                                   .sizes = {2, 4},
                                                   .strides = {4, 1},
                                                   .data = zeros,
                                                   .data_bytes = sizeof zeros}};
    if (ets_verify_outputs(bundle, "forward", 0, &output, 1, NULL, 0, &verdict, 1, &result,
                           &error) != ETS_OK) {
        puts(error.message);
        return 1;
    }
    printf("output 0: %s, worst at element %llu of %llu\n", ets_output_result_name(verdict.verdict),
           (unsigned long long)verdict.closeness.worst_index,
           (unsigned long long)verdict.closeness.count);
    return 0;
}
