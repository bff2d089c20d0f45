/** Compared values as the document tells them, in the order of the graph. */
import type { ReportDocument } from "../../document/document";

export interface Statistics {
    min: number | null;
    mean: number | null;
    max: number | null;
    /** Elements that are NaN or infinite. */
    broken: number | null;
}

export interface Value {
    row: number;
    name: string;
    /** Nodes that the own error covers. */
    nodes: number;
    captured: string;
    instruction: number | null;
    handle: number | null;
    dtype: string | null;
    shape: string | null;
    source: string | null;
    module: string | null;
    finding: string;
    /** Why numbers are missing. */
    reason: string | null;
    own: number | null;
    total: number | null;
    threshold: number | null;
    snr: number | null;
    cosine: number | null;
    maxError: number | null;
    worstIndex: number | null;
    sameBits: number | null;
    device: Statistics;
    reference: Statistics;
}

export function valuesOf(document: ReportDocument): Value[] {
    const table = document.table("gap_values");
    const number = (name: string) => table.number(name);
    const text = (name: string) => table.text(name);
    const statistics = (start: string) => {
        const [min, mean, max] = [
            number(`${start}min`),
            number(`${start}mean`),
            number(`${start}max`),
        ];
        const broken = number(`${start}nan_inf`);
        return (row: number): Statistics => ({
            min: min(row),
            mean: mean(row),
            max: max(row),
            broken: broken(row),
        });
    };
    if (table.rows === 0) return [];
    const [name, captured, finding] = [text("name"), text("captured"), text("finding")];
    const [dtype, shape, source] = [text("dtype"), text("shape"), text("source")];
    const [module, reason, nodes] = [text("module"), text("reason"), number("nodes")];
    const [instruction, handle] = [number("instruction"), number("debug_handle")];
    const [own, total, threshold] = [
        number("own_error"),
        number("total_error"),
        number("threshold"),
    ];
    const [snr, maxError, worst] = [number("snr"), number("max_error"), number("worst_index")];
    const [bits, cosine] = [number("same_bits"), number("cosine")];
    const [device, reference] = [statistics(""), statistics("reference_")];
    return Array.from({ length: table.rows }, (_, row) => ({
        row,
        name: name(row) ?? "",
        nodes: nodes(row) ?? 1,
        captured: captured(row) ?? "",
        instruction: instruction(row),
        handle: handle(row),
        dtype: dtype(row),
        shape: shape(row),
        source: source(row),
        module: module(row),
        finding: finding(row) ?? "",
        reason: reason(row),
        own: own(row),
        total: total(row),
        threshold: threshold(row),
        snr: snr(row),
        cosine: cosine(row),
        maxError: maxError(row),
        worstIndex: worst(row),
        sameBits: bits(row),
        device: device(row),
        reference: reference(row),
    }));
}
