/** What flows between the children of a box: at each level of the tree a graph of its own. */
import { plural } from "../../text/format";
import { ranksOf } from "./layout/ranks";
import type { GraphModel } from "./model";
import type { Box, Tree } from "./tree";

export interface Link {
    from: Box;
    to: Box;
    /** Values that flow. */
    count: number;
    /** What a pointer that rests on it is told. */
    shapes: Set<string>;
    /** Drawn as a name at both ends, not as a line. */
    isStub: boolean;
}

/** A producer with more users is drawn as stubs. */
export const MOST_USERS = 8;
/** So is a link over more rows. */
const MOST_ROWS = 40;

/** Children of a box that take from outside of it, or give to there. */
export interface Crossings {
    into: ReadonlySet<Box>;
    out: ReadonlySet<Box>;
}

/** Links by id of the box that they are in: those of a box are made when they are asked for. */
export interface Links {
    get(box: string): readonly Link[];
    crossings(box: Box): Crossings;
}

export function makeLinks(model: GraphModel, tree: Tree): Links {
    const crossings = new Map<Box, { into: Set<Box>; out: Set<Box> }>();
    const edges = edgesByBox(model, tree, (box, way) => {
        const parent = box.parent as Box;
        const own = crossings.get(parent) ?? { into: new Set(), out: new Set() };
        own[way].add(box);
        crossings.set(parent, own);
    });
    const none = { into: new Set<Box>(), out: new Set<Box>() };
    const made = new Map<string, Link[]>();
    return {
        get: (id) => {
            let list = made.get(id);
            if (list === undefined) {
                const box = tree.boxes.get(id);
                list = box === undefined ? [] : linksIn(box, edges.get(box) ?? []);
                made.set(id, list);
            }
            return list;
        },
        crossings: (box) => crossings.get(box) ?? none,
    };
}

/** An edge between two children of a box. */
interface Way {
    from: Box;
    to: Box;
    shape: string;
}

function edgesByBox(
    model: GraphModel,
    tree: Tree,
    crosses: (box: Box, way: "into" | "out") => void,
): Map<Box, Way[]> {
    const found = new Map<Box, Way[]>();
    for (const edge of model.edges) {
        let from = tree.leaves[edge.from];
        let to = tree.leaves[edge.to];
        while (from !== undefined && to !== undefined && from.parent !== to.parent) {
            if (from.depth >= to.depth) {
                if (from.parent !== null) crosses(from, "out");
                from = from.parent ?? undefined;
            } else {
                if (to.parent !== null) crosses(to, "into");
                to = to.parent ?? undefined;
            }
        }
        if (from === undefined || to === undefined || from === to || from.parent === null) continue;
        const way = { from, to, shape: edge.shape };
        const list = found.get(from.parent);
        if (list === undefined) found.set(from.parent, [way]);
        else list.push(way);
    }
    return found;
}

function linksIn(box: Box, ways: readonly Way[]): Link[] {
    const found = new Map<string, Link>();
    for (const { from, to, shape } of ways) {
        const key = `${from.id}\n${to.id}`;
        const link = found.get(key) ?? { from, to, count: 0, shapes: new Set(), isStub: false };
        found.set(key, link);
        link.count++;
        if (shape !== "") link.shapes.add(shape);
    }
    const links = [...found.values()];
    markStubs(box.children, links);
    return links;
}

function markStubs(children: readonly Box[], links: Link[]): void {
    const users = new Map<Box, Link[]>();
    for (const link of links) {
        const own = users.get(link.from);
        if (own === undefined) users.set(link.from, [link]);
        else own.push(link);
    }
    for (const own of users.values()) {
        if (own.length > MOST_USERS) for (const link of own) link.isStub = true;
    }
    const place = new Map(children.map((box, i) => [box, i]));
    const lines = links.filter((link) => !link.isStub);
    const ends = lines.map(({ from, to }): [number, number] => [
        place.get(from) as number,
        place.get(to) as number,
    ]);
    const ranks = ranksOf(
        children.length,
        ends.filter(([from, to]) => from < to),
    );
    lines.forEach((link, i) => {
        const [from, to] = ends[i] as [number, number];
        if (ranks[to]! - ranks[from]! > MOST_ROWS) link.isStub = true;
    });
}

export function describeLink(link: Link): string {
    const shapes = [...link.shapes].slice(0, 4).join(", ");
    const values = plural(link.count, "value");
    return `${link.from.title} → ${link.to.title}: ${values}${shapes === "" ? "" : `, ${shapes}`}`;
}
