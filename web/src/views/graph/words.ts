/** What a box is called in words: in its picture, for a pointer that rests on it, for a screen reader. */
import { formatShare, plural } from "../../text/format";
import type { Metric } from "./metrics";
import type { GraphModel } from "./model";
import { briefShape } from "./paint";
import { isEnd } from "./scene";
import type { Box } from "./tree";

const MOST_LETTERS = 36;

/** Arguments that most nodes have with these values say nothing. */
const USUAL =
    /^(dilation \[1(, ?1)*\]|(output_)?padding \[0(, ?0)*\]|stride \[1(, ?1)*\]|groups 1|transposed false|alpha 1|ceil_mode false|eps .*|momentum .*|memory_format .*|dim_order .*|count_include_pad .*|beta 1|device cpu|pin_memory false|layout .*)$/;

/** The third line of a box, or "". */
export function detailOf(model: GraphModel, box: Box): string {
    if (box.note !== "") return box.note;
    const node = model.nodes[box.node ?? -1];
    if (node !== undefined && isEnd(box)) return briefShape(node.arguments);
    if (box.kind !== "node" && box.kind !== "kernel") return "";
    const nodes =
        box.node !== null ? [node] : box.children.map(({ node }) => model.nodes[node ?? -1]);
    for (const each of nodes) {
        const said = (each?.arguments ?? "").split(/, (?=[a-z_]+ )/);
        const brief = said
            .filter((text) => text !== "" && !USUAL.test(text))
            .join(", ")
            .replace(/\[(\d+(?:, \d+)*)\]/g, (_, sizes: string) => sizes.replaceAll(", ", "×"));
        if (brief !== "" && !/quantize/.test(each?.op ?? "")) return cutAt(brief);
    }
    return cutAt(lastStepsOf(box.module ?? ""));
}

/** "ln.1" of "blocks.0.ln.1", but "features.0.2" of itself: "0.2" would be a number. */
function lastStepsOf(module: string): string {
    const steps = module.split(".");
    let from = Math.max(0, steps.length - 2);
    while (from > 0 && /^\d+$/.test(steps[from] ?? "")) from--;
    return steps.slice(from).join(".");
}

const cutAt = (text: string): string =>
    text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;

const KINDS = new Map<string, string>([
    ["module", "module"],
    ["delegate", "delegate call"],
    ["stack", "equal boxes one after the other"],
    ["turn", "one of several equal steps"],
    ["part", "part of a long list"],
    ["branch", "branch"],
    ["kernel", "nodes of one kernel"],
    ["node", "node"],
    ["input", "input"],
    ["output", "output"],
    ["weight", "weight"],
]);

export function describeBox(model: GraphModel, box: Box, metric: Metric): string {
    const shared = metric.shared(box);
    const said =
        shared === null
            ? metric.say(box)
            : `${shared.nodes} nodes share ${formatShare(shared.range)} of a run; the trace does not tell them apart`;
    const node = model.nodes[box.node ?? -1];
    const facts = [
        KINDS.get(box.kind) ?? "",
        box.note,
        box.module ?? (box.kind === "node" ? (node?.module ?? "") : ""),
        box.node === null ? plural(box.size, "node") : "",
        said,
        node?.arguments ?? "",
    ];
    return `${box.title}: ${facts.filter(Boolean).join(", ")}`;
}
