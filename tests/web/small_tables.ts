/** A small trace: a run with kernels in wrappers and a delegate call. */
import type { Tables, Type, Value } from "./encode";

interface Operator {
    name: string;
    event?: string;
    parent: number | null;
    instruction?: number;
    time: number;
    calls?: number;
    step?: number;
    clock?: string;
    backend?: string;
    kernel?: string;
    source?: string;
    module?: string;
}

const OPERATORS: Operator[] = [
    { name: "Method::execute", parent: null, time: 10000 },
    { name: "aten::add.out", event: "OPERATOR_CALL", parent: 0, instruction: 0, time: 1100 },
    {
        name: "add.out",
        parent: 1,
        instruction: 0,
        time: 1000,
        kernel: "aten::add.out",
        source: "a.py:1",
        module: "net",
    },
    {
        name: "DELEGATE_CALL",
        event: "DELEGATE_CALL",
        parent: 0,
        instruction: 1,
        time: 6000,
        backend: "XnnpackBackend",
        source: "a.py:2, b.py:1",
        module: "net.l1",
    },
    {
        name: "Fully Connected #1",
        parent: 3,
        instruction: 1,
        time: 3000,
        calls: 2,
        step: 1000,
        backend: "XnnpackBackend",
        source: "a.py:2",
        module: "net.l1",
    },
    {
        name: "Softmax #1",
        parent: 3,
        instruction: 1,
        time: 500,
        clock: "unknown",
        backend: "XnnpackBackend",
        source: "a.py:3",
    },
    { name: "mul.out", parent: 0, instruction: 2, time: 800, kernel: "aten::mul.out" },
];

const RUNS = 10;

/** Tables and their types, for `encodeTables`; `rename` changes names, as a hostile file would. */
export function smallTables(
    rename = (name: string): string => name,
): [Tables, Record<string, Type>] {
    const of = (get: (operator: Operator, id: number) => Value): Value[] => OPERATORS.map(get);
    const text = (get: (operator: Operator) => string | undefined): Value[] =>
        of((operator) => {
            const value = get(operator);
            return value === undefined ? null : rename(value);
        });
    const time = of((operator) => operator.time);
    const tables: Tables = {
        traces: { id: [0], unit: ["ns"] },
        blocks: {
            id: [0],
            trace: [0],
            name: ["Execute"],
            method: [rename("forward")],
            runs: [RUNS],
            whole: [0],
        },
        runs: {
            id: Array.from({ length: RUNS }, (_, i) => i),
            number: Array.from({ length: RUNS }, (_, i) => i + 1),
            block: Array.from({ length: RUNS }, () => 0),
            events: Array.from({ length: RUNS }, () => OPERATORS.length),
            partial: Array.from({ length: RUNS }, () => 0),
            time: Array.from({ length: RUNS }, (_, i) => (i === 0 ? 40000 : 10000 + i)),
            phase: Array.from({ length: RUNS }, (_, i) => (i === 0 ? "warm-up" : "steady")),
            outlier: Array.from({ length: RUNS }, (_, i) => (i === 7 ? 1 : 0)),
        },
        operators: {
            id: of((_, id) => id),
            block: of(() => 0),
            parent: of((operator) => operator.parent),
            name: text((operator) => operator.name),
            event: of((operator) => operator.event ?? operator.name),
            kernel: text((operator) => operator.kernel),
            backend: text((operator) => operator.backend),
            source: text((operator) => operator.source),
            module: text((operator) => operator.module),
            tie: of(() => null),
            chain: of((operator) => (operator.instruction === undefined ? null : 0)),
            instruction: of((operator) => operator.instruction ?? null),
            calls: of((operator) => operator.calls ?? 1),
            runs: of(() => RUNS),
            clock: of((operator) => operator.clock ?? "trace"),
            resolution: of((operator) => operator.step ?? 0),
            ...Object.fromEntries(
                ["p50", "mid", "avg", "min", "max", "p10", "p90"].map((name) => [name, time]),
            ),
            total: of((operator) => operator.time * RUNS),
        },
        operator_nodes: { operator: [1, 3], node: [0, 1] },
        nodes: {
            id: [0, 1],
            name: ["aten_add_tensor", "aten_linear_default"].map(rename),
            op: ["aten.add.Tensor", "aten.linear.default"],
            file: ["a.py", "a.py"].map(rename),
            line: [1, 2],
            function: ["forward", "forward"],
            code: ["return x + y", "return self.l1(x)"].map(rename),
            module: ["net", "net.l1"].map(rename),
            method: ["forward", "forward"],
            debug_handle: [1, 2],
        },
    };
    const texts = ["kernel", "backend", "source", "module", "tie"];
    return [tables, Object.fromEntries(texts.map((name) => [`operators.${name}`, "text"]))];
}
