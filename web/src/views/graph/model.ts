/** The graph of a method: nodes and edges of its record, or instructions and values of its program. */
import type { ReportDocument } from "../../document/document";
import { listOf } from "../../state/joins";
import type { Page } from "../../state/page";
import type { Selection } from "../../state/selection";

export type NodeKind = "node" | "input" | "output" | "weight";

export interface GraphNode {
    /** Inputs, outputs and weights of the graph are drawn as nodes, too. */
    kind: NodeKind;
    /** In the table `nodes`; null: it is an instruction, or no node. */
    id: number | null;
    name: string;
    op: string;
    /** Path of its module; "": the model itself. */
    module: string;
    type: string;
    /** "file:line", or null. */
    line: string | null;
    /** Branch of a condition or loop, or null. */
    branch: string | null;
    /** "stride [2,2], groups 32"; of an input, output or weight its shape. */
    arguments: string;
}

export interface GraphEdge {
    from: number;
    to: number;
    /** "float32 [1,16]", or "". */
    shape: string;
    bytes: number | null;
}

/** Nodes are numbered by their place in `nodes`, the order of execution. */
export interface GraphModel {
    nodes: GraphNode[];
    edges: GraphEdge[];
    /** Of each operator that has any. */
    nodesOfOperator: Map<number, number[]>;
}

/** The graph of the block's method; null: neither record nor program has it. */
export function readGraph(page: Page, hasWeights = false): GraphModel | null {
    return readRecord(page, hasWeights) ?? readProgram(page);
}

/** Whether there are weights to be shown. */
export function hasWeights(page: Page): boolean {
    const ends = page.document.table("graph_ends");
    const kind = ends.textOrNone("kind");
    for (let row = 0; row < ends.rows; row++) if (kind(row) === "weight") return true;
    return false;
}

export const hasGraph = (document: ReportDocument): boolean =>
    (document.has("nodes") && document.has("edges")) ||
    (document.has("instructions") && document.has("value_uses"));

function readRecord(page: Page, hasWeights: boolean): GraphModel | null {
    const table = page.document.table("nodes");
    const links = page.document.table("edges");
    if (table.rows === 0 || links.rows === 0) return null;
    const method = table.text("method");
    const record = table.numberOrNone("record");
    const graph = table.textOrNone("graph");
    const wanted = listOf(page.block?.method ?? null);
    const traceRecord = page.document.table("traces").numberOrNone("record");
    const own = traceRecord(page.block?.trace ?? 0);
    const all = Array.from({ length: table.rows }, (_, id) => id).filter(
        (id) => own === null || record(id) === null || record(id) === own,
    );
    const known = all.find((id) => wanted.includes(method(id) ?? "")) ?? all[0];
    if (known === undefined) return null;
    const ids = all.filter((id) => method(id) === method(known) && record(id) === record(known));
    const main = graph(ids[0] as number);
    const name = table.text("name");
    const op = table.text("op");
    const module = table.text("module");
    const type = table.textOrNone("module_type");
    const file = table.text("file");
    const line = table.number("line");
    const said = argumentsOf(page.document);
    const ofTable = ids.map(
        (id): GraphNode => ({
            kind: "node",
            id,
            name: name(id) ?? "",
            op: op(id) ?? "",
            module: module(id) ?? "",
            type: type(id) ?? "",
            line: file(id) === null ? null : `${file(id)}:${line(id)}`,
            branch: graph(id) === main ? null : graph(id),
            arguments: said.get(id) ?? "",
        }),
    );
    const { nodes, number, edges } = withEnds(page.document, ofTable, hasWeights);
    const from = links.number("from");
    const to = links.number("to");
    const shape = links.text("shape");
    const bytes = links.number("bytes");
    for (let row = 0; row < links.rows; row++) {
        const source = number.get(from(row) as number);
        const target = number.get(to(row) as number);
        if (source === undefined || target === undefined) continue;
        edges.push({ from: source, to: target, shape: shape(row) ?? "", bytes: bytes(row) });
    }
    const nodesOfOperator = new Map<number, number[]>();
    for (const operator of page.blockOperators) {
        const found = page.joins
            .nodesOfOperator(operator)
            .map((id) => number.get(id))
            .filter((node) => node !== undefined);
        if (found.length > 0) nodesOfOperator.set(operator, found);
    }
    return { nodes, edges, nodesOfOperator };
}

/** By id of the node: what it is called with beside tensors. */
function argumentsOf(document: ReportDocument): Map<number, string> {
    const table = document.table("node_arguments");
    const node = table.numberOrNone("node");
    const name = table.textOrNone("name");
    const value = table.textOrNone("value");
    const found = new Map<number, string>();
    for (let row = 0; row < table.rows; row++) {
        const id = node(row) as number;
        const text = `${name(row) ?? ""} ${value(row) ?? ""}`.trim();
        const before = found.get(id);
        found.set(id, before === undefined ? text : `${before}, ${text}`);
    }
    return found;
}

/** Inputs first, weights before the node that takes them first, outputs last. */
function withEnds(document: ReportDocument, own: readonly GraphNode[], hasWeights: boolean) {
    const table = document.table("graph_ends");
    const kind = table.textOrNone("kind");
    const name = table.textOrNone("name");
    const node = table.numberOrNone("node");
    const shape = table.textOrNone("shape");
    const bytes = table.numberOrNone("bytes");
    const byId = new Map(own.map((of) => [of.id as number, of]));
    const ends = new Map<string, { end: GraphNode; rows: number[] }>();
    for (let row = 0; row < table.rows; row++) {
        const user = byId.get(node(row) ?? -1);
        const of = kind(row) as NodeKind;
        if (user === undefined || (of === "weight" && !hasWeights)) continue;
        const key = `${of} ${user.branch} ${name(row)}`;
        const found = ends.get(key);
        if (found !== undefined) {
            found.rows.push(row);
            continue;
        }
        const title =
            of === "weight" ? (name(row) ?? "").split(".").slice(-2).join(".") : name(row);
        const end: GraphNode = {
            ...{ kind: of, id: null, name: name(row) ?? "", op: title ?? "", type: "", line: null },
            ...{ module: of === "weight" ? user.module : "", branch: user.branch },
            arguments: shape(row) ?? "",
        };
        ends.set(key, { end, rows: [row] });
    }
    const lists = [...ends.values()];
    const of = (wanted: NodeKind) => lists.filter(({ end }) => end.kind === wanted);
    const weightsOf = new Map<number, GraphNode[]>();
    for (const { end, rows } of of("weight")) {
        const first = node(rows[0] as number) as number;
        weightsOf.set(first, [...(weightsOf.get(first) ?? []), end]);
    }
    const nodes = [
        ...of("input").map(({ end }) => end),
        ...own.flatMap((each) => [...(weightsOf.get(each.id as number) ?? []), each]),
        ...of("output").map(({ end }) => end),
    ];
    const place = new Map(nodes.map((each, i) => [each, i]));
    const number = new Map(own.map((each) => [each.id as number, place.get(each) as number]));
    const edges: GraphEdge[] = lists.flatMap(({ end, rows }) =>
        rows.map((row) => {
            const [at, user] = [
                place.get(end) as number,
                number.get(node(row) as number) as number,
            ];
            const [from, to] = end.kind === "output" ? [user, at] : [at, user];
            return { from, to, shape: shape(row) ?? "", bytes: bytes(row) };
        }),
    );
    return { nodes, number, edges };
}

function readProgram(page: Page): GraphModel | null {
    const steps = page.document.table("instructions");
    const uses = page.document.table("value_uses");
    if (steps.rows === 0 || uses.rows === 0) return null;
    const method = steps.text("method");
    const program = steps.number("program");
    const wanted = listOf(page.block?.method ?? null);
    const own = page.document.table("traces").numberOrNone("program")(page.block?.trace ?? 0);
    const all = Array.from({ length: steps.rows }, (_, row) => row).filter(
        (row) => own === null || program(row) === own,
    );
    const known = all.find((row) => wanted.includes(method(row) ?? "")) ?? all[0];
    if (known === undefined) return null;
    const rows = all.filter(
        (row) => method(row) === method(known) && program(row) === program(known),
    );
    const name = steps.text("name");
    const kind = steps.text("kind");
    const chain = steps.number("chain");
    const instruction = steps.number("instruction");
    const number = new Map(rows.map((row, i) => [`${chain(row)}:${instruction(row)}`, i]));
    const nodes = rows.map((row) => ({
        kind: "node" as const,
        id: null,
        name: `#${instruction(row)} ${name(row) ?? kind(row) ?? ""}`,
        op: name(row) ?? kind(row) ?? "",
        module: "",
        type: "",
        line: null,
        branch: null,
        arguments: "",
    }));
    const isOwn = (row: number): boolean =>
        uses.number("program")(row) === program(known) &&
        uses.text("method")(row) === method(known);
    const nodesOfOperator = new Map<number, number[]>();
    for (const operator of page.blockOperators) {
        const { operators } = page;
        if (operators.instruction(operator) === null) continue;
        const place = `${operators.chain(operator)}:${operators.instruction(operator)}`;
        const node = number.get(place);
        if (node !== undefined) nodesOfOperator.set(operator, [node]);
    }
    return { nodes, edges: readUses(page.document, isOwn, number), nodesOfOperator };
}

/** From what wrote a value last to what reads it. */
function readUses(
    document: ReportDocument,
    isOwn: (row: number) => boolean,
    number: ReadonlyMap<string, number>,
): GraphEdge[] {
    const uses = document.table("value_uses");
    const chain = uses.number("chain");
    const instruction = uses.number("instruction");
    const value = uses.number("value");
    const isOutput = uses.number("is_output");
    const sorted: { node: number; value: number; writes: boolean }[] = [];
    for (let row = 0; row < uses.rows; row++) {
        const node = number.get(`${chain(row)}:${instruction(row)}`);
        if (node === undefined || !isOwn(row)) continue;
        sorted.push({ node, value: value(row) as number, writes: isOutput(row) === 1 });
    }
    sorted.sort((a, b) => a.node - b.node || Number(a.writes) - Number(b.writes));
    const writer = new Map<number, number>();
    const edges: GraphEdge[] = [];
    for (const use of sorted) {
        const from = writer.get(use.value);
        if (use.writes) writer.set(use.value, use.node);
        else if (from !== undefined && from !== use.node)
            edges.push({ from, to: use.node, shape: "", bytes: null });
    }
    return edges;
}

/**
 * The delegate call that each node is in. A node that several calls or kernels may have come from
 * (they share its debug handle) is in none: which one has it is not known.
 */
export function delegatesOf(page: Page, model: GraphModel): Map<number, number> {
    const { operators } = page;
    const isCall = (operator: number) => operators.event(operator) === "DELEGATE_CALL";
    const owners = new Map<number, Set<number>>();
    for (const [operator, nodes] of model.nodesOfOperator) {
        let owner = operator;
        for (let at: number | undefined = operator; at !== undefined; at = operators.parent.get(at))
            if (isCall(at)) owner = at;
        for (const node of nodes) {
            owners.set(node, (owners.get(node) ?? new Set<number>()).add(owner));
        }
    }
    const found = new Map<number, number>();
    for (const [node, set] of owners) {
        const only = [...set][0] as number;
        if (set.size === 1 && isCall(only)) found.set(node, only);
    }
    for (const { from, to } of model.edges) {
        const call = found.get(to);
        if (model.nodes[from]?.kind === "weight" && call !== undefined) found.set(from, call);
    }
    return found;
}

/** Nodes of what is selected, or null: nothing that has nodes. */
export function nodesOf(
    page: Page,
    model: GraphModel,
    selection: Selection | null,
): ReadonlySet<number> | null {
    const where = (test: (node: GraphNode) => boolean) =>
        new Set(model.nodes.flatMap((node, i) => (test(node) ? [i] : [])));
    switch (selection?.kind) {
        case "node":
            return where(({ kind, id }) => kind === "node" && id === selection.id);
        case "module":
            return where(
                ({ module }) =>
                    module === selection.name || module.startsWith(`${selection.name}.`),
            );
        case "line":
            return where(({ line }) => line === selection.name);
        case "operator": {
            const own = page.operators.withInside(selection.id);
            return new Set(own.flatMap((id) => model.nodesOfOperator.get(id) ?? []));
        }
        default:
            return null;
    }
}
