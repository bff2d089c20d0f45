/** Times per run as trees: merged by name and left heavy, by call, or by module. */
import type { ReportDocument } from "../../document/document";
import { backendOf, barKind } from "../../state/filter";
import { type Block, type Operators, partOf } from "../../state/operators";
import { formatShare, type Range, sayTime } from "../../text/format";
import { show, showName } from "../../text/show";
import { around } from "./axis";
import { type Lane, MOST_LANES, type Picture, type Row } from "./picture";
import { LONGEST_PLACE, shortName } from "./time_picture";
import { type Span, Track } from "./track";

export interface TreeNode {
    name: string;
    /** Operators that it stands for; the first is selected. */
    operators: number[];
    module: string | null;
    /** A source line that it stands for. */
    line?: string | null;
    /** Instead of that of its operators. */
    colour?: string;
    time: Range;
    children: TreeNode[];
}

export class TreePicture implements Picture {
    readonly lanes: Lane[] = [];
    readonly extent: Span;
    readonly home: Span;
    readonly nodes: TreeNode[] = [];
    private readonly whole: number;

    constructor(
        private readonly operators: Operators,
        private readonly block: Block,
        roots: readonly TreeNode[],
        title: string,
    ) {
        const levels: { starts: number[]; ends: number[]; refs: number[] }[] = [];
        const place = (node: TreeNode, start: number, depth: number): number => {
            const ref = this.nodes.push(node) - 1;
            const level = (levels[depth] ??= { starts: [], ends: [], refs: [] });
            const at = level.starts.push(start) - 1;
            level.refs.push(ref);
            let inside = start;
            for (const child of node.children) {
                if (depth + 1 < MOST_LANES) inside = place(child, inside, depth + 1);
            }
            level.ends[at] = Math.max(start + node.time.lower, inside);
            return level.ends[at];
        };
        let end = 0;
        for (const root of roots) end = place(root, end, 0);
        this.whole = roots.reduce((sum, root) => sum + root.time.lower, 0);
        levels.forEach(({ starts, ends, refs }, depth) => {
            this.lanes.push({
                title: depth === 0 ? title : "",
                note: "",
                track: new Track(
                    Float64Array.from(starts),
                    Float64Array.from(ends),
                    Int32Array.from(refs),
                ),
                ground: null,
                free: "",
                isDerived: false,
            });
        });
        this.extent = { from: 0, to: Math.max(end, 1) };
        this.home = around(this.extent);
    }

    operator(ref: number): number {
        return this.nodes[ref]?.operators[0] ?? -1;
    }

    name(ref: number): string {
        return this.titleOf(
            ref,
            shortName(this.operators, this.operator(ref), this.nodes[ref]!.name),
        );
    }

    colour(ref: number): string {
        const own = this.nodes[ref]!.colour;
        const id = this.operator(ref);
        return own ?? (id < 0 ? "other" : barKind(this.operators, id));
    }

    describe(ref: number): string[] {
        const node = this.nodes[ref]!;
        const said = [
            show(this.name(ref)),
            `${sayTime(node.time, this.block.unit)} per run, ${formatShare(this.share(node))}`,
        ];
        if (node.line !== undefined) {
            if (node.line !== null) said.push(showName(node.line, LONGEST_PLACE));
            return said;
        }
        if (node.operators.length !== 1) return said;
        const id = this.operator(ref);
        for (const place of [this.operators.module(id), this.operators.source(id)]) {
            if (place !== null && place !== "") said.push(showName(place, LONGEST_PLACE));
        }
        return said;
    }

    origin(): { at: number; title: string } {
        return { at: 0, title: "time per run" };
    }

    isDense(): boolean {
        return false;
    }

    rows(): Row[] {
        return this.nodes.map((node, key) => {
            const [one] = node.operators;
            const isOne = node.operators.length === 1 && one !== undefined;
            return {
                key,
                operator: this.operator(key),
                operators: node.operators,
                isModule: node.module !== null,
                module: node.module ?? (isOne ? this.operators.module(one) : null),
                name: this.titleOf(key, node.name),
                backend: one === undefined ? "" : backendOf(this.operators, one),
                calls: node.operators.reduce((sum, id) => sum + (this.operators.calls(id) ?? 1), 0),
                time: node.time,
                self: selfOf(node),
                share: this.share(node),
                source: isOne ? this.operators.source(one) : null,
                children: [],
            };
        });
    }

    private titleOf(ref: number, name: string): string {
        const { operators, line } = this.nodes[ref]!;
        return operators.length > 1 && line === undefined ? `${operators.length} x ${name}` : name;
    }

    private share(node: TreeNode): Range {
        return partOf(node.time, this.whole || 1);
    }
}

/** Without what it encloses; a coarser clock may tell more of that than of the whole. */
function selfOf(node: TreeNode): Range {
    const within = (bound: "lower" | "upper") =>
        node.children.reduce((sum, child) => sum + child.time[bound], 0);
    return {
        lower: Math.max(0, node.time.lower - within("upper")),
        upper: Math.max(0, node.time.upper - within("lower")),
    };
}

function rootsOf(operators: Operators, block: Block): number[] {
    return (operators.order.get(block.id) ?? []).filter((id) => !operators.parent.has(id));
}

const timeOf = (operators: Operators, id: number): Range =>
    operators.time(id, "mid") ?? { lower: 0, upper: 0 };

/** In order of execution. */
export function callTree(operators: Operators, block: Block): TreeNode[] {
    const nodeOf = (id: number): TreeNode => ({
        name: operators.name(id) ?? "",
        operators: [id],
        module: null,
        time: timeOf(operators, id),
        children: (operators.children.get(id) ?? [])
            .filter((child) => operators.isTimed(child))
            .map(nodeOf),
    });
    return rootsOf(operators, block)
        .filter((id) => operators.isTimed(id))
        .map(nodeOf);
}

/** Operators of the same name and place among the calls as one, the longest first. */
export function mergedTree(operators: Operators, block: Block): TreeNode[] {
    const merge = (nodes: readonly TreeNode[]): TreeNode[] => {
        const byName = new Map<string, TreeNode[]>();
        for (const node of nodes) {
            const key = node.name.replace(/ #\d+$/, "");
            const same = byName.get(key);
            if (same === undefined) byName.set(key, [node]);
            else same.push(node);
        }
        const merged = [...byName].map(([name, same]) => ({
            name: same.length === 1 ? same[0]!.name : name,
            operators: same
                .sort((a, b) => b.time.lower - a.time.lower)
                .flatMap((node) => node.operators),
            module: null,
            time: {
                lower: same.reduce((sum, node) => sum + node.time.lower, 0),
                upper: same.reduce((sum, node) => sum + node.time.upper, 0),
            },
            children: merge(same.flatMap((node) => node.children)),
        }));
        return merged.sort((a, b) => b.time.lower - a.time.lower);
    };
    return merge(callTree(operators, block));
}

/** By the table `modules`. */
export function moduleTree(document: ReportDocument, block: Block): TreeNode[] {
    const table = document.table("modules");
    const blockOf = table.numberOrNone("block");
    const parent = table.numberOrNone("parent");
    const path = table.textOrNone("path");
    const lower = table.numberOrNone("mid");
    const upper = table.numberOrNone("mid_upper");
    const known = new Map<number, TreeNode>();
    const roots: TreeNode[] = [];
    for (let row = 0; row < table.rows; row++) {
        if (blockOf(row) !== block.id) continue;
        const name = path(row) ?? "(no module)";
        const time = lower(row) ?? 0;
        const node = {
            name,
            operators: [],
            module: path(row),
            time: { lower: time, upper: upper(row) ?? time },
            children: [],
        };
        known.set(row, node);
        const above = known.get(parent(row) ?? -1); /* only earlier rows: no rings */
        (above?.children ?? roots).push(node);
    }
    return roots;
}
