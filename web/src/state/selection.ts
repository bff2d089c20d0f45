/**
 * What is selected: one thing, which all views show. In the address:
 *
 *     sel=operator:65  sel=node:12  sel=module:blocks.0  sel=line:models/zoo.py:28
 *     sel=value:5      sel=run:4    sel=range:1200..8800   sel=operators:3,12,40
 */
export type Selection =
    | { kind: "operator" | "node" | "value" | "run"; id: number }
    | { kind: "operators"; ids: readonly number[] }
    | { kind: "module" | "line"; name: string }
    | { kind: "range"; from: number; to: number };

export function writeSelection(selection: Selection | null): string {
    if (selection === null) return "";
    if (selection.kind === "range") return `range:${selection.from}..${selection.to}`;
    if (selection.kind === "operators") return `operators:${selection.ids.join(",")}`;
    return `${selection.kind}:${"name" in selection ? selection.name : selection.id}`;
}

/** Null for what is no selection. */
export function parseSelection(text: string): Selection | null {
    const at = text.indexOf(":");
    const kind = text.slice(0, at);
    const rest = text.slice(at + 1);
    switch (kind) {
        case "operator":
        case "node":
        case "value":
        case "run":
            return /^\d{1,15}$/.test(rest) ? { kind, id: Number(rest) } : null;
        case "operators":
            return /^\d{1,15}(,\d{1,15}){0,999}$/.test(rest)
                ? { kind, ids: rest.split(",").map(Number) }
                : null;
        case "module":
        case "line":
            return rest === "" ? null : { kind, name: rest };
        case "range": {
            const match = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/.exec(rest);
            return match === null ? null : { kind, from: Number(match[1]), to: Number(match[2]) };
        }
        default:
            return null;
    }
}
