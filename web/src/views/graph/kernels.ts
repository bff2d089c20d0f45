/** What is measured: nodes that one kernel computes are one box. */
import type { Operators } from "../../state/operators";
import type { GraphModel } from "./model";

/** Nodes that several kernels compute together are one box up to here: beyond, it tells nothing. */
export const MOST_SHARED = 8;

/** For each node the number of its kernel, or -1: none, or which one is not known. */
export function kernelsOf(
    model: GraphModel,
    operators: Pick<Operators, "event" | "children">,
): number[] {
    const own = model.nodes.map((): number[] => []);
    const isInner = (operator: number): boolean =>
        operators.event(operator) !== "DELEGATE_CALL" &&
        !(operators.children.get(operator) ?? []).some((id) => model.nodesOfOperator.has(id));
    for (const [operator, nodes] of model.nodesOfOperator)
        if (isInner(operator)) for (const node of nodes) own[node]?.push(operator);
    const groups = new Map<string, number[]>();
    own.forEach((kernels, node) => {
        const key = kernels.join(" ");
        if (kernels.length === 0) return;
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [node]);
        else group.push(node);
    });
    const found = model.nodes.map(() => -1);
    let number = 0;
    for (const nodes of groups.values()) {
        const kernels = own[nodes[0] as number]!;
        if (kernels.length > 1 && nodes.length > MOST_SHARED) continue;
        for (const node of nodes) found[node] = number;
        number++;
    }
    return found;
}

/** "aten.add.Tensor" without namespace and overload. */
export function shortOp(op: string): string {
    const parts = op.replace("::", ".").split(".");
    return (parts.length >= 3 ? parts[1] : parts[0]) as string;
}

const NAMES = new Map([
    ["convolution", "conv"],
    ["_native_batch_norm_legit_no_training", "batch_norm"],
    ["_native_batch_norm_legit", "batch_norm"],
    ["native_batch_norm", "batch_norm"],
    ["quantize_per_tensor", "quantize"],
    ["dequantize_per_tensor", "dequantize"],
    ["quantize_per_channel", "quantize"],
    ["dequantize_per_channel", "dequantize"],
    ["dequantize_per_channel_group", "dequantize"],
    ["dequantize_affine", "dequantize"],
    ["quantize_affine", "quantize"],
]);

/** "_softmax" is softmax, "view_copy" view: as one calls them. */
export function plainOp(op: string): string {
    const name = shortOp(op);
    return NAMES.get(name) ?? (name.replace(/^_+|^native_/, "").replace(/_copy$/, "") || name);
}

const MOST_NAMED = 3;

/** What computes nothing new. */
const MOVING =
    /^(de)?quantize|^(view|expand|permute|clone|alias|slice|select|unsqueeze|squeeze|transpose|t|to_dim_order|_?to|reshape)$/;

/** "conv + batch_norm + relu": what only moves numbers is left out beside others. */
export function kernelTitle(ops: readonly string[]): string {
    const names = ops.map(plainOp);
    const main = names.filter((name) => !MOVING.test(name));
    const shown = (main.length > 0 ? main : names)
        .filter((name, i, all) => name !== all[i - 1])
        .map((name) => (name === "batch_norm" ? "bn" : name));
    const more = shown.length - MOST_NAMED;
    return more <= 1
        ? shown.join(" + ")
        : `${shown.slice(0, MOST_NAMED).join(" + ")} + ${more} more`;
}
