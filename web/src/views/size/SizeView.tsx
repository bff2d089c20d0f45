/** Size: where the bytes of the programs are, as a treemap with a list beside it. */
import { useMemo, useRef, useState } from "preact/hooks";
import { useCanvas } from "../../parts/canvas";
import { Choice } from "../../parts/Choice";
import { type Column, DataTable } from "../../parts/DataTable";
import { useKeys } from "../../parts/keys";
import { Legend } from "../../parts/Legend";
import { Name } from "../../parts/Name";
import { RangeBar } from "../../parts/RangeBar";
import { type Page, useParam, usePage } from "../../state/page";
import type { Selection } from "../../state/selection";
import { formatBytes, formatCount, formatShare } from "../../text/format";
import { shortPath, show } from "../../text/show";
import type { View } from "../view";
import { drawTiles, type Tile, tileAt, tilesOf } from "./tile_drawing";
import { type By, type Node, nodeAt, type Part, partsOf, treeOf } from "./parts";
import "./size.css";

export const sizeView: View = {
    id: "size",
    title: "Size",
    takes: ["--program"],
    needs: ["program_bytes"],
    loads: ["programs"],
    component: Size,
    shows: ["node", "module"],
};

const BYS: readonly { value: By; title: string }[] = [
    { value: "module", title: "module" },
    { value: "part", title: "kind" },
    { value: "dtype", title: "dtype" },
];
const COLOURS = ["delegate", "portable", "bar-5", "other", "bar-6", "bar-7", "bar-8", "mixed"];

function Size() {
    const page = usePage();
    const parts = useMemo(() => partsOf(page.document), [page]);
    const [byText, setBy] = useParam("sizeby", "module");
    const by = BYS.find(({ value }) => value === byText)?.value ?? "module";
    const root = useMemo(() => treeOf(parts, by, programNames(page)), [parts, by]);
    const [inside] = useParam("in");
    const [item, setItem] = useParam("part");
    const shown = useMemo(() => nodeAt(root, inside), [root, inside]) ?? root;
    const here = shown.part === null ? shown : root;
    const chosen = useMemo(() => (item === "" ? null : nodeAt(root, item)), [root, item]);
    const colours = useMemo(() => kindColours(root), [root]);
    const colourOf = (node: Node) => colours.get(node.kind) ?? "runtime";

    const choose = (node: Node, isWalk: boolean) => {
        setItem(node.path);
        page.select(selectionOf(page, node), undefined, isWalk);
    };
    const enter = (node: Node) => {
        if (node.children.length === 0) return;
        page.store.set({ in: node.path, part: node.children[0]?.path ?? null });
        page.announce(`${show(node.title)}: ${formatBytes(node.bytes)}`);
    };
    const leave = () => {
        page.store.set({ in: here.parent?.path ?? null, part: here.path });
        page.announce(show(here.parent?.title ?? ""));
    };
    useKeys(
        "Treemap",
        here.parent === null
            ? []
            : [{ keys: ["Escape", "Backspace"], label: "back to what encloses it", run: leave }],
    );
    return (
        <div class="size">
            <div class="size-tools">
                <Choice
                    label="By"
                    options={BYS}
                    value={by}
                    onChange={(value) => {
                        page.store.set({ in: null, part: null });
                        setBy(value);
                    }}
                />
                <Crumbs node={here} enter={enter} />
                <span class="muted">{saidOf(here, root)}</span>
                <Legend groups={[...colours].map(([title, colour]) => ({ title, colour }))} />
            </div>
            <div class="size-panes">
                <Treemap
                    here={here}
                    chosen={chosen}
                    colourOf={colourOf}
                    choose={choose}
                    enter={enter}
                />
                <div class="size-list">
                    <DataTable
                        key={here.path}
                        label={`Parts of ${show(here.title)}`}
                        sortParam="sizesort"
                        columns={columnsOf(here, root, parts, colourOf)}
                        rows={here.children}
                        rowKey={(node) => node.path}
                        isSelected={(node) => node === chosen}
                        onSelect={choose}
                        onOpen={enter}
                    />
                </div>
            </div>
        </div>
    );
}

function programNames(page: Page): string[] {
    const table = page.document.table("programs");
    const path = table.text("path");
    return Array.from({ length: Math.max(1, table.rows) }, (_, row) =>
        shortPath(path(row) ?? "program"),
    );
}

/** A colour for each kind of bytes, the largest first. */
function kindColours(root: Node): Map<string, string> {
    const bytes = new Map<string, number>();
    const visit = (node: Node) => {
        if (node.part !== null) bytes.set(node.kind, (bytes.get(node.kind) ?? 0) + node.bytes);
        for (const child of node.children) visit(child);
    };
    visit(root);
    const order = [...bytes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return new Map(order.map(([kind], i) => [kind, COLOURS[i] ?? "runtime"]));
}

function saidOf(here: Node, root: Node): string {
    const share = here.bytes / Math.max(1, root.bytes);
    const part = here === root ? "" : `, ${formatShare({ lower: share, upper: share })} of all`;
    const twice =
        here.duplicateBytes > 0
            ? `; ${formatBytes(here.duplicateBytes)} are there twice (hatched)`
            : "";
    return `${formatBytes(here.bytes)}${part}${twice}`;
}

/** Node by its debug handle, or the module; null: nothing in the graph has its name. */
function selectionOf(page: Page, node: Node): Selection | null {
    const handle = node.part?.handle ?? null;
    if (node.part !== null && handle !== null) {
        const nodes = page.document.table("nodes");
        const [handles, method] = [nodes.number("debug_handle"), nodes.text("method")];
        for (let id = 0; id < nodes.rows; id++) {
            const isOf = node.part.method === null || method(id) === node.part.method;
            if (handles(id) === handle && isOf) return { kind: "node", id };
        }
    }
    return node.module ? { kind: "module", name: node.module } : null;
}

function Crumbs(props: { node: Node; enter: (node: Node) => void }) {
    const path: Node[] = [];
    for (let node: Node | null = props.node; node !== null; node = node.parent) path.unshift(node);
    return (
        <nav aria-label="Place in the treemap" class="crumbs">
            {path.map((node, i) => (
                <span key={node.path}>
                    {i > 0 && <span class="muted"> › </span>}
                    {node === props.node ? (
                        <b>
                            <Name text={node.title} longest={40} />
                        </b>
                    ) : (
                        <button type="button" class="link" onClick={() => props.enter(node)}>
                            <Name text={node.title} longest={40} />
                        </button>
                    )}
                </span>
            ))}
        </nav>
    );
}

function Treemap(props: {
    here: Node;
    chosen: Node | null;
    colourOf: (node: Node) => string;
    choose: (node: Node, isWalk: boolean) => void;
    enter: (node: Node) => void;
}) {
    const { here, chosen } = props;
    const [hovered, setHovered] = useState<Node | null>(null);
    const tiles = useRef<Tile[]>([]);
    const { ref } = useCanvas((surface) => {
        tiles.current = tilesOf(here, surface.width, surface.height);
        drawTiles(surface, tiles.current, { colourOf: props.colourOf, selected: chosen, hovered });
    });
    const at = (event: MouseEvent) =>
        tileAt(tiles.current, event.offsetX, event.offsetY)?.node ?? null;
    /* inside a sum the click belongs to the sum: what it holds is chosen there */
    const open = (node: Node) => {
        let top = node;
        while (top.parent !== null && top.parent !== here) top = top.parent;
        if (top.children.length > 0) props.enter(top);
        else props.choose(node, false);
    };
    const shown = hovered ?? chosen;
    return (
        <div class="size-map">
            <canvas
                role="img"
                aria-label={`Treemap of ${show(here.title)}; the list beside it tells the same`}
                ref={ref}
                onMouseMove={(event) => setHovered(at(event))}
                onMouseLeave={() => setHovered(null)}
                onClick={(event) => {
                    const node = at(event);
                    if (node !== null) open(node);
                }}
            />
            <p class="size-status">
                {shown === null ? (
                    <span class="muted hint">
                        A click opens what a rectangle holds; <kbd>Esc</kbd> goes back.
                    </span>
                ) : (
                    <>
                        <b>
                            <Name text={shown.title} longest={60} />
                        </b>{" "}
                        {formatBytes(shown.bytes)} ({formatCount(shown.bytes)} B),{" "}
                        {show(shown.kind)}
                        {shown.module ? `, module ${show(shown.module)}` : ""}
                    </>
                )}
            </p>
        </div>
    );
}

function columnsOf(
    here: Node,
    root: Node,
    parts: readonly Part[],
    colourOf: (node: Node) => string,
): Column<Node>[] {
    const most = here.children[0]?.bytes ?? 0;
    const columns: (Column<Node> | false)[] = [
        {
            key: "name",
            title: "name",
            width: "auto",
            value: (node) => node.title,
            cell: (node) => (
                <span class="swatched">
                    <span class="swatch" style={{ background: `var(--${colourOf(node)})` }} />
                    <Name text={node.title} longest={60} />
                    {node.children.length > 0 && <span class="muted"> ›</span>}
                </span>
            ),
        },
        {
            key: "bytes",
            title: "bytes",
            width: "84px",
            align: "right",
            value: (node) => node.bytes,
            copies: { size_bytes: (node) => node.bytes },
            cell: (node) => (
                <span title={`${formatCount(node.bytes)} B`}>{formatBytes(node.bytes)}</span>
            ),
        },
        {
            key: "share",
            title: "share of all",
            width: "140px",
            value: (node) => node.bytes / Math.max(1, root.bytes),
            cell: (node) => {
                const part = node.bytes / Math.max(1, root.bytes);
                return (
                    <span class="share">
                        <RangeBar range={{ lower: node.bytes, upper: node.bytes }} of={most} />
                        <span class="number size-share">
                            {formatShare({ lower: part, upper: part })}
                        </span>
                    </span>
                );
            },
        },
        here.children.some((node) => node.part?.shape) && {
            key: "shape",
            title: "dtype and shape",
            width: "150px",
            hideBelow: 460,
            value: (node: Node) => `${node.part?.dtype ?? ""} ${node.part?.shape ?? ""}`.trim(),
            cell: (node: Node) => (
                <Name text={`${node.part?.dtype ?? ""} ${node.part?.shape ?? ""}`} longest={40} />
            ),
        },
        here.duplicateBytes > 0 && {
            key: "twice",
            title: "there twice",
            hint: "bytes that are saved if the same data is kept once",
            width: "170px",
            value: (node: Node) => node.duplicateBytes,
            copies: { duplicate_bytes: (node: Node) => node.duplicateBytes },
            cell: (node: Node) => twiceOf(node, parts),
        },
    ];
    return columns.filter((column) => column !== false);
}

function twiceOf(node: Node, parts: readonly Part[]) {
    if (node.duplicateBytes === 0) return null;
    const same = node.part?.sameAs == null ? null : parts[node.part.sameAs];
    return (
        <>
            {formatBytes(node.duplicateBytes)}
            {same && (
                <>
                    , as <Name text={same.name ?? `part ${same.id}`} longest={40} />
                </>
            )}
        </>
    );
}
