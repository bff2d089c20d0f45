/** The model as boxes in boxes: what flows where, and what it costs. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { BlockChoice } from "../../parts/BlockChoice";
import { Choice } from "../../parts/Choice";
import { Empty } from "../../parts/Empty";
import { type Key, useKeys } from "../../parts/keys";
import { startWorker } from "../../parts/worker";
import { type Page, useFilter, usePage, useParam } from "../../state/page";
import type { Selection } from "../../state/selection";
import { plural } from "../../text/format";
import type { View } from "../view";
import "./graph.css";
import { GraphList } from "./GraphList";
import { type Camera, describeBox, GraphPicture, useSize, zoomAt } from "./GraphPicture";
import script from "worker:./layout.worker";
import { Layouts } from "./layouts";
import { type Links, makeLinks } from "./links";
import {
    availableMetrics,
    findSharers,
    makeMetric,
    METRIC_TABLES,
    type MetricName,
    timesOf,
} from "./metrics";
import { delegatesOf, type GraphModel, hasGraph, nodesOf, readGraph } from "./model";
import { type Direction, makeScene, neighbour, requestOf, type Scene } from "./scene";
import { type Box, buildTree, hottestPath, openBox, openBoxes, outwards, type Tree } from "./tree";

export const graphView: View = {
    id: "graph",
    title: "Graph",
    isOfTimes: true,
    takes: ["--etrecord", "--program"],
    needs: [],
    loads: ["edges", "instructions", "value_uses", ...METRIC_TABLES],
    isThere: hasGraph,
    component: GraphOfBlock,
    shows: ["operator", "node", "module", "line"],
};

const METRICS = [
    {
        value: "time",
        title: "time",
        hint: "share of a run: of a module what is reported, as in Summary; hatched: how much more calls that hold parts of it may add",
    },
    { value: "memory", title: "memory", hint: "bytes that its nodes write" },
    { value: "error", title: "error", hint: "largest error of the values of its source lines" },
    { value: "backend", title: "backend", hint: "where it runs" },
] as const;

const FORMS = [
    { value: "picture", title: "picture" },
    { value: "list", title: "list", hint: "the same as a table" },
] as const;

function GraphOfBlock() {
    const page = usePage();
    const { block } = page;
    const model = useMemo(() => readGraph(page), [page, block?.id]);
    if (model === null || model.nodes.length === 0) {
        return (
            <Empty title="Graph has nothing to show">
                <p>Neither a record nor a program of this report has the method's graph.</p>
            </Empty>
        );
    }
    return <GraphOfModel key={block?.id} model={model} />;
}

function GraphOfModel(props: { model: GraphModel }) {
    const { model } = props;
    const page = usePage();
    const [by, setBy] = useParam("colour", "time");
    const [form, setForm] = useParam("form", "picture");
    /* Its worker starts while the tree is built. */
    const layouts = useMemo(() => new Layouts(() => startWorker(script)), [model]);
    useEffect(() => () => layouts.close(), [layouts]);
    const tree = useMemo(
        () =>
            buildTree(model, delegatesOf(page, model), (operator, nodes) => {
                const name = page.operators.backend(operator) ?? "delegate";
                const instruction = page.operators.instruction(operator);
                const call = instruction === null ? name : `${name} #${instruction}`;
                const all = model.nodesOfOperator.get(operator)?.length ?? nodes;
                return nodes < all ? `part of ${call}` : call;
            }),
        [model],
    );
    const links = useMemo(() => makeLinks(model, tree), [tree]);
    const sharers = useMemo(() => findSharers(model.nodesOfOperator), [model]);
    const times = useMemo(() => timesOf(page, model, tree, sharers), [tree]);
    const known = useMemo(() => availableMetrics(page, model), [model]);
    const name = known.find((metric) => metric === by) ?? known[0] ?? "time";
    const metric = useMemo(() => makeMetric(name, page, model, tree, times, sharers), [tree, name]);
    const [open, setOpen] = useState<ReadonlySet<string>>(() => {
        const heat = (box: Box) => times.get(box)?.lower ?? 0;
        return hottestPath(tree.root, heat).reduce<ReadonlySet<string>>((set, id) => {
            const box = tree.boxes.get(id);
            return box === undefined ? set : openBox(tree.root, set, box);
        }, new Set());
    });
    const [cursor, setCursor] = useState<string | null>(null);
    const { scene, isWaiting } = useScene(tree, open, links, layouts);
    const search = useSearch(page, model, tree);
    const selected = useMemo(
        () => boxesOf(tree, nodesOf(page, model, page.selection)),
        [tree, page.store.get("sel")],
    );
    const area = useRef<HTMLDivElement>(null);
    const size = useSize(area);
    const [camera, setCamera] = useCamera(scene, size);

    const own = useRef("");
    const choose = (box: Box | null, isWalk = false) => {
        setCursor(box?.id ?? null);
        const selection = box === null ? null : selectionOf(model, box);
        if (box !== null) page.announce(describeBox(box, metric));
        page.select(selection, undefined, isWalk);
        own.current = page.store.get("sel");
    };
    const toggle = (box: Box) => {
        if (box.children.length === 0) return;
        keepInPlace(scene, box, setCamera);
        const next = new Set(open);
        setOpen(next.delete(box.id) ? next : openBox(tree.root, open, box));
        setCursor(box.id);
    };
    const reveal = (box: Box) => {
        if (box.parent !== null) setOpen((before) => openBox(tree.root, before, box.parent as Box));
        setCursor(box.id);
    };
    /* What was selected elsewhere is brought into sight. */
    const key = page.store.get("sel");
    useEffect(() => {
        if (key === own.current) return;
        own.current = key;
        const nodes = nodesOf(page, model, page.selection);
        const first = nodes === null ? undefined : tree.leaves[Math.min(...nodes)];
        if (nodes === null || first === undefined) return;
        const common = [...outwards(first)].find(
            (box) => [...nodes].every((node) => isIn(tree.leaves[node], box)) && box.parent,
        );
        reveal(common ?? first);
    }, [key]);
    useInSight(scene, cursor, size, setCamera);

    const stepTo = (direction: Direction) => {
        const from = scene?.byId.get(cursor ?? "");
        const first = scene?.boxes.find(({ box }) => box.parent === tree.root)?.box ?? null;
        const next =
            scene === null || from === undefined ? first : neighbour(scene, from, direction);
        if (next !== null) choose(next, true);
    };
    const zoom = (factor: number) =>
        setCamera((before) => zoomAt(before, factor, size.width / 2, size.height / 2));
    const keys: Key[] = [
        ...(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] as const).map((direction) => ({
            ...{ keys: [direction], label: `box ${direction.slice(5).toLowerCase()}` },
            run: () => stepTo(direction),
        })),
        {
            ...{ keys: ["Enter"], label: "open the box; again: its first one" },
            run: () => {
                const box = tree.boxes.get(cursor ?? "");
                if (box === undefined) return;
                if (!open.has(box.id)) toggle(box);
                else if (box.children[0] !== undefined) choose(box.children[0], true);
            },
        },
        {
            ...{ keys: ["Escape"], label: "close the box, or the one around it" },
            run: () => {
                const at = tree.boxes.get(cursor ?? "");
                const shut = at !== undefined && open.has(at.id) ? at : (at?.parent ?? null);
                if (shut === null || shut.kind === "root") choose(null);
                else {
                    toggle(shut);
                    choose(shut, true);
                }
            },
        },
        { keys: ["n"], label: "next match of the search", run: () => search.next(cursor, reveal) },
        { keys: ["f"], label: "fit", run: () => setCamera(() => fit(scene, size, true)) },
        { keys: ["+", "="], label: "zoom in", run: () => zoom(1.25) },
        { keys: ["-"], label: "zoom out", run: () => zoom(0.8) },
    ];
    const isPicture = form !== "list";
    return (
        <div class="graph">
            {isPicture && <GraphKeys keys={keys} />}
            <div class="graph-tools">
                <BlockChoice />
                {known.length > 0 && (
                    <Choice
                        label="Colour"
                        options={METRICS.filter(({ value }) => known.includes(value))}
                        value={name}
                        onChange={setBy}
                    />
                )}
                <Choice
                    label="As"
                    options={FORMS}
                    value={isPicture ? "picture" : "list"}
                    onChange={setForm}
                />
                {known.length > 0 && <Legend by={name} />}
                <span class="spacer" />
                <span class="muted" role="status">
                    {isWaiting && "laying out… "}
                    {isPicture &&
                        scene?.hasFallback &&
                        "too large to lay out: in order of execution · "}
                    {search.count !== null && `${plural(search.count, "node")} found · `}
                    {plural(model.nodes.length, "node")}
                </span>
                {isPicture && (
                    <button type="button" onClick={() => setCamera(() => fit(scene, size, true))}>
                        Fit
                    </button>
                )}
            </div>
            {isPicture ? (
                <div class="graph-picture-area" ref={area}>
                    {scene !== null && (
                        <GraphPicture
                            {...{ scene, metric, by: name, cursor, camera, setCamera }}
                            selected={(box) => isMarked(box, selected, open)}
                            matches={(box) => search.matches.get(box) ?? 0}
                            onSelect={(box) => choose(box)}
                            onToggle={toggle}
                            label="Graph: arrow keys go between boxes, Enter opens, Escape closes; the list says the same in text"
                        />
                    )}
                </div>
            ) : (
                <GraphList
                    {...{ root: tree.root, open, links, metric }}
                    metricTitle={METRICS.find(({ value }) => value === name)?.title ?? name}
                    selected={(box) => isMarked(box, selected, open)}
                    matches={(box) => search.matches.get(box) ?? 0}
                    isSearched={search.count !== null}
                    onSelect={choose}
                    onToggle={toggle}
                />
            )}
        </div>
    );
}

/** Registers the keys while the picture is there: the list has its own. */
function GraphKeys(props: { keys: readonly Key[] }) {
    useKeys("Graph", props.keys);
    return null;
}

function Legend(props: { by: MetricName }) {
    const entries =
        props.by === "backend"
            ? [
                  ["backend", "delegate"],
                  ["portable", "portable"],
                  ["mixed", "several"],
              ]
            : [
                  ["heat", `more ${props.by}`],
                  ...(props.by === "time" ? [["possible", "possible"]] : []),
                  ["delegate", "in a delegate call"],
              ];
    return (
        <span class="graph-legend muted">
            {entries.map(([of, title]) => (
                <span key={of}>
                    <i data-of={of} />
                    {title}
                </span>
            ))}
        </span>
    );
}

function selectionOf(model: GraphModel, box: Box): Selection | null {
    if (box.node !== null) {
        const id = model.nodes[box.node]?.id ?? null;
        if (id !== null) return { kind: "node", id };
        for (const [operator, nodes] of model.nodesOfOperator) {
            if (nodes.includes(box.node)) return { kind: "operator", id: operator };
        }
        return null;
    }
    if (box.kind === "delegate" && box.delegate !== null)
        return { kind: "operator", id: box.delegate };
    return box.kind === "module" && box.module ? { kind: "module", name: box.module } : null;
}

/** Boxes with selected nodes in them, and how many. */
function boxesOf(tree: Tree, nodes: ReadonlySet<number> | null): Map<Box, number> {
    const found = new Map<Box, number>();
    for (const node of nodes ?? []) {
        for (const box of outwards(tree.leaves[node])) found.set(box, (found.get(box) ?? 0) + 1);
    }
    return found;
}

/**
 * An open box is marked where all in it is selected, a closed one where something is; not what is in
 * a marked box.
 */
function isMarked(box: Box, found: ReadonlyMap<Box, number>, open: ReadonlySet<string>): boolean {
    const isWhole = (of: Box) => found.get(of) === of.size;
    if (box.parent !== null && box.parent.kind !== "root" && isWhole(box.parent)) return false;
    return open.has(box.id) ? isWhole(box) : found.has(box);
}

function isIn(leaf: Box | undefined, box: Box): boolean {
    for (const outer of outwards(leaf)) if (outer === box) return true;
    return false;
}

/** Nodes that the filter box finds: by their names, or by their operators. */
function useSearch(page: Page, model: GraphModel, tree: Tree) {
    const filter = useFilter();
    const text = page.store.get("f").trim().toLowerCase();
    return useMemo(() => {
        const nodes = new Set<number>();
        if (filter !== null) {
            model.nodes.forEach(({ name, op, module, line }, i) => {
                if (`${name} ${op} ${module} ${line}`.toLowerCase().includes(text)) nodes.add(i);
            });
            for (const [operator, own] of model.nodesOfOperator) {
                if (filter(operator)) for (const node of own) nodes.add(node);
            }
        }
        const order = [...nodes].sort((a, b) => a - b);
        const next = (cursor: string | null, show: (box: Box) => void) => {
            const at = tree.boxes.get(cursor ?? "")?.node ?? -1;
            const node = order.find((candidate) => candidate > at) ?? order[0];
            const box = tree.leaves[node ?? -1];
            if (box !== undefined) show(box);
        };
        return { count: filter === null ? null : nodes.size, matches: boxesOf(tree, nodes), next };
    }, [page, model, tree, text]);
}

/** The scene of what is open; until its layouts are there, the one before. */
function useScene(tree: Tree, open: ReadonlySet<string>, links: Links, layouts: Layouts) {
    const [, setDone] = useState(0);
    const last = useRef<Scene | null>(null);
    const missing = useMemo(() => openBoxes(tree.root, open), [tree, open]).filter(
        (box) => layouts.get(box.id) === null,
    );
    useEffect(() => {
        let isStale = false;
        const work = missing.map((box) =>
            layouts.request(box.id, requestOf(box, links.get(box.id))),
        );
        if (work.length > 0) Promise.all(work).then(() => !isStale && setDone((n) => n + 1));
        return () => {
            isStale = true;
        };
    }, [layouts, open]);
    const isWaiting = missing.length > 0;
    const made = useMemo(
        () => (isWaiting ? null : makeScene(tree.root, open, links, layouts)),
        [tree, open, isWaiting],
    );
    if (made !== null) last.current = made;
    return { scene: last.current, isWaiting };
}

const MARGIN = 24;
const LEAST_READABLE = 0.6;

/** The whole scene, or what of it can be read, from the top. */
function fit(
    scene: Scene | null,
    size: { width: number; height: number },
    isWhole = false,
): Camera {
    if (scene === null || size.width === 0) return { x: MARGIN, y: MARGIN, zoom: 1 };
    const across = (size.width - 2 * MARGIN) / scene.width;
    const down = (size.height - 2 * MARGIN) / scene.height;
    const least = isWhole ? 0.08 : LEAST_READABLE;
    const zoom = Math.max(least, Math.min(1, across, isWhole ? down : 1));
    const left = (size.width - scene.width * zoom) / 2;
    return { zoom, x: isWhole ? left : Math.max(left, MARGIN), y: MARGIN };
}

/** Shows the first scene from its top. */
function useCamera(scene: Scene | null, size: { width: number; height: number }) {
    const state = useState<Camera | null>(null);
    const [camera, setCamera] = state;
    const isReady = scene !== null && size.width > 0;
    useEffect(() => {
        if (camera === null && isReady) setCamera(fit(scene, size));
    }, [isReady]);
    const update = (next: (camera: Camera) => Camera) =>
        setCamera((before) => next(before ?? fit(scene, size)));
    return [camera ?? fit(scene, size), update] as const;
}

/** What is opened or closed stays where it is on the screen: the rest moves. */
const kept = { id: "", x: 0, y: 0 };

function keepInPlace(
    scene: Scene | null,
    box: Box,
    setCamera: (next: (camera: Camera) => Camera) => void,
): void {
    const placed = scene?.byId.get(box.id);
    if (placed === undefined) return;
    setCamera((camera) => {
        Object.assign(kept, { id: box.id, x: placed.x, y: placed.y });
        return camera;
    });
}

/** Moves the picture where the box of the cursor is out of sight, or what was kept has moved. */
function useInSight(
    scene: Scene | null,
    cursor: string | null,
    size: { width: number; height: number },
    setCamera: (next: (camera: Camera) => Camera) => void,
): void {
    useEffect(() => {
        const placed = scene?.byId.get(cursor ?? "");
        if (placed === undefined || size.width === 0) return;
        setCamera((camera) => {
            let { x, y } = camera;
            const { zoom } = camera;
            if (kept.id === cursor) {
                x += (kept.x - placed.x) * zoom;
                y += (kept.y - placed.y) * zoom;
                kept.id = "";
            }
            const left = placed.x * zoom + x;
            const top = placed.y * zoom + y;
            const right = left + Math.min(placed.width * zoom, size.width - 2 * MARGIN);
            const bottom = top + Math.min(placed.height * zoom, size.height - 2 * MARGIN);
            if (right > size.width - MARGIN) x -= right - size.width + MARGIN;
            if (left < MARGIN) x += MARGIN - left;
            if (bottom > size.height - MARGIN) y -= bottom - size.height + MARGIN;
            if (top < MARGIN) y += MARGIN - top;
            return { x, y, zoom };
        });
    }, [scene, cursor]);
}
