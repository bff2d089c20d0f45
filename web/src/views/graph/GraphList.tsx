/** The graph as a list: the text equivalent of the picture. */
import { type Column, DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import { sorted } from "../../parts/virtual";
import type { Links } from "./links";
import type { Metric } from "./metrics";
import type { Box } from "./tree";

interface Props {
    root: Box;
    open: ReadonlySet<string>;
    links: Links;
    metric: Metric;
    metricTitle: string;
    selected: (box: Box) => boolean;
    matches: (box: Box) => number;
    isSearched: boolean;
    onSelect: (box: Box, isWalk: boolean) => void;
    onToggle: (box: Box) => void;
}

export function GraphList(props: Props) {
    const { metric } = props;
    /** What is open, siblings in order of execution or sorted. */
    const list = (order: (boxes: readonly Box[]) => readonly Box[]): Box[] => {
        const found: Box[] = [];
        const visit = (box: Box) => {
            for (const child of order(box.children)) {
                found.push(child);
                if (props.open.has(child.id)) visit(child);
            }
        };
        visit(props.root);
        return found;
    };
    const rows = list((boxes) => boxes);
    const ends = (box: Box, end: "from" | "to") =>
        props.links
            .get(box.parent?.id ?? "")
            .filter((link) => link[end === "from" ? "to" : "from"] === box)
            .map((link) => link[end].title)
            .join(", ");
    const text = (key: string, title: string, width: string, get: (box: Box) => string) => ({
        ...{ key, title, width, value: get },
        cell: (box: Box) => <Name text={get(box)} longest={60} />,
    });
    const columns: Column<Box>[] = [
        text("box", "module, call or node", "auto", (box) => box.title),
        {
            ...{ key: "nodes", title: "nodes", width: "60px", align: "right" as const },
            value: (box) => box.size,
            cell: (box) => box.size,
        },
        {
            ...{ key: "metric", title: props.metricTitle, width: "150px", align: "right" as const },
            value: (box) => metric.range(box)?.lower ?? null,
            cell: (box) => metric.say(box),
        },
        { ...text("from", "takes from", "22%", (box) => ends(box, "from")), hideBelow: 700 },
        { ...text("to", "gives to", "22%", (box) => ends(box, "to")), hideBelow: 700 },
    ];
    return (
        <div class="graph-list">
            <DataTable
                label="Graph"
                columns={columns}
                rows={rows}
                rowKey={(box) => box.id}
                sort={(value, descending) => list((boxes) => sorted(boxes, value, descending))}
                tree={{
                    level: (box) => box.depth - 1,
                    isOpen: (box) => (box.children.length > 0 ? props.open.has(box.id) : null),
                    toggle: props.onToggle,
                }}
                isSelected={props.selected}
                isDim={(box) => props.isSearched && props.matches(box) === 0}
                onSelect={props.onSelect}
            />
        </div>
    );
}
