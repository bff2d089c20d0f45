/** Lays out one box: its children in rows, with few crossings. */
import { graphlib, layout } from "@dagrejs/dagre";
import type { Cell, LayoutRequest, Rows } from "./rows";

function rowsOf(request: LayoutRequest): Rows {
    const graph = new graphlib.Graph({ multigraph: false });
    graph.setGraph({ rankdir: "TB", nodesep: 20, ranksep: 34, edgesep: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    request.sizes.forEach((size, i) => {
        graph.setNode(String(i), { ...size });
    });
    for (const [from, to] of request.links) graph.setEdge(String(from), String(to));
    layout(graph);
    const rows = new Map<number, Cell[]>();
    const put = (y: number, cell: Cell) => {
        const key = Math.round(y);
        const row = rows.get(key);
        if (row === undefined) rows.set(key, [cell]);
        else row.push(cell);
    };
    request.sizes.forEach((_, child) => {
        const { x, y } = graph.node(String(child)) as unknown as { x: number; y: number };
        put(y, { child, link: null, x });
    });
    const levels = [...rows.keys()];
    request.links.forEach(([from, to], link) => {
        const { points } = graph.edge(String(from), String(to)) as unknown as {
            points: { x: number; y: number }[];
        };
        for (const { x, y } of points.slice(1, -1)) {
            const level = levels.find((key) => Math.abs(key - y) <= 1);
            if (level !== undefined) put(level, { child: null, link, x });
        }
    });
    return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row.sort((a, b) => a.x - b.x));
}

addEventListener("message", (event: MessageEvent<LayoutRequest>) => {
    postMessage(rowsOf(event.data));
});
