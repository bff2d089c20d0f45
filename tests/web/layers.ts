/** A trace of a transformer of many layers: nodes, edges and an operator for each node. */
import { smallTables } from "./small_tables";
import type { Tables, Type, Value } from "./encode";

const OPS = [
    "native_layer_norm",
    "linear",
    "view_copy",
    "permute_copy",
    "bmm",
    "_softmax",
    "bmm",
    "view_copy",
    "linear",
    "add",
    "native_layer_norm",
    "linear",
    "gelu",
    "linear",
    "add",
];
const PARTS = [
    "ln1",
    "attn",
    "attn",
    "attn",
    "attn",
    "attn",
    "attn",
    "attn",
    "attn",
    "",
    "ln2",
    "mlp",
    "mlp",
    "mlp",
    "",
];

/** As `writePage` takes them. */
export function manyLayers(count: number): [Tables, { types: Record<string, Type> }] {
    const [tables, types] = smallTables();
    const all = Array.from({ length: count }, (_, i) => i);
    const kind = (i: number) => i % OPS.length;
    const module = (i: number) => {
        const layer = `layers.${Math.floor(i / OPS.length)}`;
        return PARTS[kind(i)] === "" ? layer : `${layer}.${PARTS[kind(i)]}`;
    };
    const edges: [number, number, number][] = all.slice(1).map((i) => [i - 1, i, 0]);
    for (const i of all) {
        /* residuals, and a mask that every layer takes */
        if (OPS[kind(i)] === "add" && i >= 9) edges.push([i - (kind(i) === 9 ? 9 : 4) - 1, i, 1]);
        if (OPS[kind(i)] === "_softmax") edges.push([0, i, 1]);
    }
    const inRange = edges.filter(([from]) => from >= 0);
    const filled = (value: Value): Value[] => all.map(() => value);
    const operators = tables.operators as Record<string, Value[]>;
    const grown = Object.fromEntries(
        Object.entries(operators).map(([name, values]) => [
            name,
            [values[0] as Value, ...filled(values[2] as Value)],
        ]),
    );
    const time = [10_000 * count, ...all.map((i) => 100 + ((i * 7919) % 1000))];
    for (const name of ["p50", "mid", "avg", "min", "max", "p10", "p90", "total"])
        grown[name] = time;
    const grownTables: Tables = {
        ...tables,
        operators: {
            ...grown,
            id: [0, ...all.map((i) => i + 1)],
            parent: [null, ...filled(0)],
            name: ["Method::execute", ...all.map((i) => `${OPS[kind(i)]}.out`)],
            module: [null, ...all.map(module)],
            backend: [null, ...filled(null)],
            chain: [null, ...filled(0)],
            instruction: [null, ...all],
        },
        operator_nodes: { operator: all.map((i) => i + 1), node: all },
        nodes: {
            id: all,
            name: all.map((i) => `aten_${OPS[kind(i)]}_${i}`),
            op: all.map((i) => `aten.${OPS[kind(i)]}.default`),
            file: filled("net.py"),
            line: all.map(kind),
            function: filled("forward"),
            code: filled("y = f(x)"),
            module: all.map(module),
            method: filled("forward"),
            debug_handle: all.map((i) => i + 1),
        },
        edges: {
            from: inRange.map(([from]) => from),
            to: inRange.map(([, to]) => to),
            argument: inRange.map(([, , argument]) => argument),
            value: inRange.map(([from]) => `v${from}`),
            shape: inRange.map(() => "float32 [1,16,64]"),
            bytes: inRange.map(() => 4096),
        },
    };
    return [grownTables, { types }];
}
