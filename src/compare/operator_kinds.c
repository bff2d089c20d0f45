/* Names operators alike that runtimes name differently. */
#include "compare/operator_kinds.h"

#include <string.h>

#include "base/text.h"
#include "inspect/names.h"
#include "operators/operator_traits.h"

/* Letters and digits of names in lower case, each list ended by a blank. */
static const struct {
    const char *kind, *names;
} kinds[] = {
    {"linear", " linear addmm gemm fullyconnected "},
    {"matmul", " matmul mm bmm batchmatmul batchmatrixmultiply "},
    {"conv", " conv conv1d conv2d conv3d convolution depthwiseconv2d "},
    {"conv_transpose", " convtranspose transposeconv deconvolution convtranspose2d "},
    {"max_pool", " maxpool maxpool2d maxpool2dwithindices maxpooling "},
    {"avg_pool", " avgpool averagepool avgpool2d averagepool2d averagepooling "},
    {"global_avg_pool", " globalaveragepool globalaveragepooling adaptiveavgpool2d "},
    {"batch_norm", " batchnorm batchnormalization nativebatchnormlegitnotraining "},
    {"layer_norm", " layernorm layernormalization nativelayernorm "},
    {"clamp", " clamp clip hardtanh relu6 clampmin clampmax "},
    {"sigmoid", " sigmoid logistic "},
    {"sub", " sub subtract "},
    {"mul", " mul multiply "},
    {"div", " div divide "},
    {"neg", " neg negate "},
    {"sum", " sum reducesum "},
    {"mean", " mean reducemean "},
    {"amax", " amax reducemax "},
    {"amin", " amin reducemin "},
    {"cat", " cat concat concatenate concatenate2 concatenation "},
    {"split", " split splitv splitwithsizes evensplit "},
    {"slice", " slice stridedslice staticslice "},
    {"gather", " gather embedding indexselect embeddinglookup "},
    {"transpose", " transpose permute t statictranspose "},
    {"reshape", " reshape view staticreshape flatten squeeze unsqueeze expanddims "},
    {"expand", " expand broadcastto broadcast staticbroadcast "},
    {"pad", " pad constantpadnd staticconstantpad padv2 constantpad "},
    {"cast", " cast convert to todimorder "},
    {"copy", " copy identity clone clonedimorder "},
    {"where", " where selectv2 "},
    {"quantize", " quantize quantizelinear quantizepertensor quantizeperchannel "},
    {"dequantize", " dequantize dequantizelinear dequantizepertensor dequantizeperchannel "},
};

/* Without "aten::" before it, and without " (NC, F32) GEMM #1", "_copy" and ".out" behind it. */
static struct ets_text trim(struct ets_text name)
{
    for (size_t i = name.size; i-- > 1;) {
        if (name.data[i] != ':' || name.data[i - 1] != ':') continue;
        name = (struct ets_text){name.data + i + 1, name.size - i - 1};
        break;
    }
    for (size_t i = 1; i < name.size; i++) {
        if (name.data[i] != ' ' || (name.data[i + 1 < name.size ? i + 1 : i] != '(' &&
                                    name.data[i + 1 < name.size ? i + 1 : i] != '#')) {
            continue;
        }
        name.size = i;
    }
    return ets_operator_base_name(name);
}

static const char *find_kind(const char *letters, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (const char *at = kinds[i].names; (at = strstr(at, letters)) != NULL; at++) {
            if (at[-1] == ' ' && at[size] == ' ') return kinds[i].kind;
        }
    }
    return NULL;
}

bool ets_operator_kind(struct ets_arena *arena, struct ets_text name, struct ets_text *kind_out)
{
    static const char fused[] = "fused";
    const struct ets_text base = trim(name);
    char *letters = ets_arena_alloc(arena, base.size + 1);
    size_t size = 0;
    if (letters == NULL) return false;
    for (size_t i = 0; i < base.size; i++) {
        const char c = base.data[i];
        if (c >= 'A' && c <= 'Z') letters[size++] = (char)(c + 'a' - 'A');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters[size++] = c;
    }
    if (size > sizeof fused - 1 && memcmp(letters, fused, sizeof fused - 1) == 0) {
        letters += sizeof fused - 1;
        size -= sizeof fused - 1;
    }
    *kind_out = size == 0 ? name : (struct ets_text){letters, size};
    const char *kind = size == 0 || size > 40 ? NULL : find_kind(letters, size);
    if (kind != NULL) *kind_out = (struct ets_text){kind, strlen(kind)};
    return true;
}
