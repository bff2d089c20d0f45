/** Shapes of what nodes take and give, as far as the record's graph tells them. */
import { Name } from "../parts/Name";
import type { Page } from "../state/page";
import type { ReportDocument } from "../document/document";
import { show } from "../text/show";
import type { Fact } from "./facts";

/** What `shapesOf` reads. */
export const SHAPE_TABLES = ["edges", "graph_ends"] as const;

export interface Value {
    name: string;
    shape: string;
}

export interface Flows {
    input: Value[];
    weight: Value[];
    output: Value[];
}

/** What crosses the border of these nodes; each value once. */
export function flowsOf(document: ReportDocument, nodes: ReadonlySet<number>): Flows {
    const found = { input: new Map(), weight: new Map(), output: new Map() } as Record<
        keyof Flows,
        Map<string, Value>
    >;
    const add = (kind: keyof Flows, name: string | null, shape: string | null) => {
        if (name !== null && shape !== null) found[kind].set(name, { name, shape });
    };
    const edges = document.table("edges");
    const [from, to] = [edges.number("from"), edges.number("to")];
    const [value, shape] = [edges.text("value"), edges.text("shape")];
    for (let row = 0; row < edges.rows; row++) {
        const [gives, takes] = [nodes.has(from(row) ?? -1), nodes.has(to(row) ?? -1)];
        if (gives !== takes) add(gives ? "output" : "input", value(row), shape(row));
    }
    const ends = document.table("graph_ends");
    const [node, kind] = [ends.number("node"), ends.text("kind")];
    const [name, shapeOfEnd] = [ends.text("name"), ends.text("shape")];
    for (let row = 0; row < ends.rows; row++) {
        const of = kind(row);
        if (!nodes.has(node(row) ?? -1)) continue;
        if (of === "input" || of === "weight" || of === "output")
            add(of, name(row), shapeOfEnd(row));
    }
    return {
        input: [...found.input.values()],
        weight: [...found.weight.values()],
        output: [...found.output.values()],
    };
}

const TITLES = { input: "takes", weight: "weights", output: "gives" } as const;
const MOST = 12;

export function shapeFacts(page: Page, nodes: ReadonlySet<number>): Fact[] {
    const { document } = page;
    if (nodes.size === 0 || !SHAPE_TABLES.every((name) => document.isLoaded(name))) return [];
    const flows = flowsOf(document, nodes);
    return (["input", "weight", "output"] as const).flatMap((kind) => {
        const values = flows[kind];
        if (values.length === 0) return [];
        const more = values.length > MOST ? ` (${MOST} of ${values.length})` : "";
        return {
            name: `${TITLES[kind]}${more}`,
            value: (
                <ul class="shapes">
                    {values.slice(0, MOST).map(({ name, shape }) => (
                        <li key={name}>
                            <Name text={shape} />{" "}
                            <span class="muted">
                                <Name text={name} longest={60} />
                            </span>
                        </li>
                    ))}
                </ul>
            ),
            text: values.map(({ name, shape }) => `${show(shape)} ${show(name)}`).join(", "),
        };
    });
}
