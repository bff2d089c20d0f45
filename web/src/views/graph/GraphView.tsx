/** The model as boxes in boxes: what flows where, and what it costs. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { BlockChoice } from "../../parts/BlockChoice";
import { Choice } from "../../parts/Choice";
import { Empty } from "../../parts/Empty";
import { type Key, NEXT_MATCH, useKeys } from "../../parts/keys";
import { startWorker } from "../../parts/worker";
import { DIFFERENCE_TABLES } from "../../state/differences";
import { type Page, PageContext, useFilter, usePage, useParam } from "../../state/page";
import type { Selection } from "../../state/selection";
import { plural } from "../../text/format";
import type { View } from "../view";
import "./graph.css";
import { GraphList } from "./GraphList";
import { type Camera, GraphPicture, LEAST_ZOOM, useSize, zoomAt } from "./GraphPicture";
import { comparisonOf } from "./changes";
import { stepOf } from "./heat";
import { kernelsOf, MOST_SHARED } from "./kernels";
import script from "worker:./layout.worker";
import { Layouts } from "./layouts";
import { type Links, makeLinks } from "./links";
import {
    availableMetrics,
    findSharers,
    makeMetric,
    type Metric,
    METRIC_TABLES,
    type MetricName,
    timesOf,
} from "./metrics";
import { delegatesOf, type GraphModel, hasGraph, hasWeights, nodesOf, readGraph } from "./model";
import { briefShape } from "./paint";
import { savePng, saveSvg } from "./save";
import {
    type Direction,
    makeScene,
    mostOf,
    neighbour,
    planOf,
    type Scene,
    type Words,
} from "./scene";
import {
    type Box,
    buildTree,
    hottestPath,
    openAlike,
    openAll,
    openBox,
    outwards,
    type Shown,
    type Tree,
} from "./tree";
import { describeBox, detailOf } from "./words";

export const graphView: View = {
    id: "graph",
    title: "Graph",
    isOfTimes: true,
    takes: ["--etrecord", "--program"],
    needs: [],
    loads: [
        ...["edges", "graph_ends", "node_arguments", "instructions", "value_uses"],
        ...METRIC_TABLES,
        ...DIFFERENCE_TABLES,
    ],
    isThere: hasGraph,
    component: GraphOfBlock,
    shows: ["operator", "node", "module", "line"],
};

const METRICS = [
    {
        value: "time",
        title: "time",
        hint: "share of a run: of a module or node what is reported, as in Summary; what a delegate call does not report is in the call's box",
    },
    { value: "memory", title: "memory", hint: "bytes that its nodes write" },
    { value: "error", title: "error", hint: "largest error of the values that it computes" },
    { value: "change", title: "change", hint: "what became slower, faster or another kernel" },
    { value: "backend", title: "backend", hint: "where it runs" },
] as const;

const FORMS = [
    { value: "picture", title: "picture" },
    { value: "list", title: "list", hint: "the same as a table" },
] as const;

function GraphOfBlock() {
    const page = usePage();
    const [isBoth] = useParam("both", "no");
    const compared = comparisonOf(page);
    if (isBoth !== "yes" || compared === null) return <GraphOfSide />;
    return (
        <div class="graph-sides">
            <Side block={compared.before} title="before" />
            <Side block={compared.after} title="after" />
        </div>
    );
}

/** The graph of one of two blocks: for all in it, that block is the one that is shown. */
function Side({ block, title }: { block: number | null; title: "before" | "after" }) {
    const page = usePage();
    const own = useMemo((): Page => {
        const value = page.operators.blocks[block ?? -1] ?? null;
        return Object.create(page, { block: { value } }) as Page;
    }, [page, block]);
    return (
        <section aria-label={title}>
            <PageContext.Provider value={own}>
                <GraphOfSide side={title} />
            </PageContext.Provider>
        </section>
    );
}

function GraphOfSide({ side = null }: { side?: "before" | "after" | null }) {
    const page = usePage();
    const { block } = page;
    const [weights] = useParam("weights", "no");
    const model = useMemo(() => readGraph(page, weights === "yes"), [page, block?.id, weights]);
    if (model === null || model.nodes.length === 0) {
        return (
            <Empty title="Graph has nothing to show">
                <p>Neither a record nor a program of this report has the method's graph.</p>
            </Empty>
        );
    }
    return <GraphOfModel key={`${block?.id} ${weights}`} model={model} side={side} />;
}

function GraphOfModel(props: { model: GraphModel; side: "before" | "after" | null }) {
    const { model, side } = props;
    const isFirst = side !== "after";
    const page = usePage();
    const [by, setBy] = useParam("colour", "time");
    const [form, setForm] = useParam("form", "picture");
    /* Its worker starts while the tree is built. */
    const layouts = useMemo(() => new Layouts(() => startWorker(script)), [model]);
    useEffect(() => () => layouts.close(), [layouts]);
    const tree = useMemo(() => treeOf(page, model), [model]);
    const words = useMemo((): Words => {
        const known = new Map<Box, string>();
        return (box) => {
            const said = known.get(box) ?? detailOf(model, box);
            known.set(box, said);
            return said;
        };
    }, [model]);
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
            return box === undefined ? set : openBox(set, box);
        }, new Set());
    });
    const [cursor, setCursor] = useState<string | null>(null);
    const [picks, setPicks] = useState<ReadonlyMap<Box, Box>>(new Map());
    const shown = useMemo((): Shown => {
        const heat = (box: Box) => times.get(box)?.lower ?? 0;
        return (box) =>
            box.kind === "stack" ? [picks.get(box) ?? mostOf(box.children, heat)] : box.children;
    }, [picks, times]);
    const { scene, isWaiting } = useScene(tree, open, shown, links, layouts, words);
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
        if (box !== null) page.announce(describeBox(model, box, metric));
        page.select(selection, undefined, isWalk);
        own.current = page.store.get("sel");
    };
    const toggle = (box: Box) => {
        if (box.children.length === 0) return;
        keepInPlace(scene, box, setCamera);
        const next = new Set(open);
        setOpen(next.delete(box.id) ? next : openBox(open, box));
        setCursor(box.id);
    };
    /** Of each stack that a box is in, the box that holds it is drawn. */
    const pickAround = (box: Box) => {
        const next = new Map(picks);
        for (const outer of outwards(box))
            if (outer.parent?.kind === "stack") next.set(outer.parent, outer);
        setPicks(next);
    };
    const pick = (box: Box) => {
        if (box.parent === null) return;
        const before = shown(box.parent)[0];
        if (before !== undefined) setOpen((own) => openAlike(own, before, box));
        keepInPlace(scene, box.parent, setCamera);
        pickAround(box);
        choose(box, true);
    };
    const reveal = (box: Box) => {
        pickAround(box);
        if (box.parent !== null) setOpen((before) => openBox(before, box.parent as Box));
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
        const { box } = from ?? {};
        if (box?.parent?.kind === "stack" && /Left|Right/.test(direction)) {
            const { children } = box.parent;
            const other = children[children.indexOf(box) + (direction === "ArrowLeft" ? -1 : 1)];
            if (other !== undefined) pick(other);
            return;
        }
        const next =
            scene === null || from === undefined ? first : neighbour(scene, from, direction);
        if (next !== null) choose(next, true);
    };
    const goToNext = () =>
        search.next(cursor, (box) => {
            reveal(box);
            choose(box, true);
        });
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
                else if (box.children.length > 0) choose(shown(box)[0] as Box, true);
            },
        },
        {
            ...{ keys: ["Escape"], label: "select nothing; again: close the box around" },
            run: () => {
                const at = tree.boxes.get(cursor ?? "");
                if (at !== undefined && !open.has(at.id) && page.selection !== null) {
                    choose(null);
                    setCursor(at.id);
                    return;
                }
                const shut = at !== undefined && open.has(at.id) ? at : (at?.parent ?? null);
                if (shut === null || shut.kind === "root") choose(null);
                else {
                    toggle(shut);
                    choose(shut, true);
                }
            },
        },
        { keys: [NEXT_MATCH], label: "next match of the search", run: () => goToNext() },
        { keys: ["f"], label: "fit", run: () => setCamera(() => fit(scene, size, true)) },
        { keys: ["+", "="], label: "zoom in", run: () => zoom(1.25) },
        { keys: ["-"], label: "zoom out", run: () => zoom(0.8) },
    ];
    const isPicture = form !== "list";
    const [weights, setWeights] = useParam("weights", "no");
    const setBoth = (isBoth: boolean) => {
        const colour = isBoth ? "change" : null;
        page.store.set({ both: isBoth ? "yes" : null, colour });
    };
    const isFresh = useRef(false);
    useEffect(() => {
        if (scene !== null && isFresh.current && !isWaiting) {
            isFresh.current = false;
            setCamera(() => fit(scene, size));
        }
    }, [scene, isWaiting]);
    const expand = () => {
        isFresh.current = true;
        if (cursor !== null) setCursor(null);
        setOpen((before) => openAll(tree, before));
    };
    const collapse = () => {
        setCursor(null);
        setOpen(new Set([tree.root.id]));
        isFresh.current = true;
    };
    const look = {
        ...{ metric, by: name, words, cursor },
        selected: (box: Box) => isMarked(box, selected, open),
        matches: (box: Box) => search.matches.get(box) ?? 0,
    };
    const save = (write: typeof saveSvg) => {
        const title = page.document.head.title.replace(/[^\w.-]+/g, "_") || "model";
        if (scene !== null && area.current !== null)
            write(scene, look, area.current, `${title}-graph`);
    };
    return (
        <div class="graph">
            {isPicture && isFirst && <GraphKeys keys={keys} />}
            <div class="graph-tools">
                {side === null ? <BlockChoice /> : <b>{side}</b>}
                {isFirst && (
                    <>
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
                        {comparisonOf(page) !== null && (
                            <label class="graph-check">
                                <input
                                    type="checkbox"
                                    checked={side !== null}
                                    onChange={(event) => setBoth(event.currentTarget.checked)}
                                />
                                side by side
                            </label>
                        )}
                        {hasWeights(page) && (
                            <label class="graph-check">
                                <input
                                    type="checkbox"
                                    checked={weights === "yes"}
                                    onChange={(event) =>
                                        setWeights(event.currentTarget.checked ? "yes" : null)
                                    }
                                />
                                weights
                            </label>
                        )}
                    </>
                )}
                {known.length > 0 && <Legend by={name} metric={metric} tree={tree} />}
                <span class="spacer" />
                <span class="muted" role="status">
                    {isWaiting && "laying out… "}
                    {search.count !== null && `${plural(search.count, "node")} found of `}
                    {plural(tree.root.size, "node")}
                </span>
                <span class="graph-buttons">
                    {isPicture && (search.count ?? 0) > 0 && (
                        <button type="button" onClick={goToNext}>
                            Next match
                        </button>
                    )}
                    <button type="button" onClick={expand}>
                        Expand all
                    </button>
                    <button type="button" onClick={collapse}>
                        Collapse all
                    </button>
                    {isPicture && (
                        <>
                            <button
                                type="button"
                                onClick={() => setCamera(() => fit(scene, size, true))}
                            >
                                Fit
                            </button>
                            <button type="button" onClick={() => save(saveSvg)}>
                                SVG
                            </button>
                            <button type="button" onClick={() => save(savePng)}>
                                PNG
                            </button>
                        </>
                    )}
                </span>
            </div>
            {isPicture ? (
                <div class="graph-picture-area" ref={area}>
                    {scene !== null && (
                        <GraphPicture
                            {...{ scene, look, size, camera, setCamera }}
                            describe={(box) => describeBox(model, box, metric)}
                            onSelect={(box) => choose(box)}
                            onToggle={toggle}
                            onPick={pick}
                            label="Graph: arrow keys go between boxes, Enter opens, Escape closes; the list says the same in text"
                        />
                    )}
                </div>
            ) : (
                <GraphList
                    {...{ root: tree.root, open, links, metric }}
                    metricTitle={METRICS.find(({ value }) => value === name)?.title ?? name}
                    selected={look.selected}
                    matches={look.matches}
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

/** How the graph of the block is cut into boxes. */
function treeOf(page: Page, model: GraphModel): Tree {
    const nameOfDelegate = (operator: number, nodes: number) => {
        const name = page.operators.backend(operator) ?? "delegate";
        const instruction = page.operators.instruction(operator);
        const call = instruction === null ? name : `${name} #${instruction}`;
        const all = model.nodesOfOperator.get(operator)?.length ?? nodes;
        return nodes < all ? `part of ${call}` : call;
    };
    const kernels = kernelsOf(model, page.operators);
    return buildTree(model, { delegateOf: delegatesOf(page, model), nameOfDelegate, kernels });
}

const KINDS_OF_CHANGES = [
    ["slower", "slower"],
    ["faster", "faster"],
    ["changed", "other kernels"],
    ["mixed", "several"],
] as const;

const KINDS_OF_PLACES = [
    ["delegate", "delegate"],
    ["portable", "portable"],
    ["runtime", "runtime"],
    ["mixed", "several"],
] as const;

/** The steps of the colours with their bounds, or what the colours of places mean. */
function Legend({ by, metric, tree }: { by: MetricName; metric: Metric; tree: Tree }) {
    if (metric.isKinds) {
        const all = by === "change" ? KINDS_OF_CHANGES : KINDS_OF_PLACES;
        const kinds = new Set([...tree.boxes.values()].map(metric.kind));
        return (
            <span class="graph-legend muted">
                {all
                    .filter(([kind]) => kinds.has(kind))
                    .map(([kind, title]) => (
                        <span key={kind}>
                            <i data-kind={kind} />
                            {title}
                        </span>
                    ))}
            </span>
        );
    }
    const said = metric.steps.map(metric.sayStep);
    return (
        <span class="graph-legend muted" aria-label={`Colours from: ${said.join(", ")}`} role="img">
            {metric.steps.map((bound, i) => (
                <span key={bound} class="step" data-step={stepOf(bound, metric.steps)}>
                    {said[i]}
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
    if (box.kind === "kernel") {
        const [first] = box.children;
        for (const [operator, nodes] of model.nodesOfOperator) {
            const isOwn = nodes.length === box.size && nodes.includes(first?.node ?? -1);
            if (isOwn) return { kind: "operator", id: operator };
        }
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
            const shapes = model.nodes.map(({ arguments: said }) => said);
            for (const { from, shape } of model.edges)
                if (shape !== "") shapes[from] += ` ${shape} ${briefShape(shape)}`;
            model.nodes.forEach(({ name, op, module, line }, i) => {
                const all = `${name} ${op} ${module} ${line} ${shapes[i]}`.toLowerCase();
                if (all.includes(text)) nodes.add(i);
            });
            /* A call is found by all that it holds, and what many nodes share may be of any of them. */
            for (const [operator, own] of model.nodesOfOperator) {
                const isCall = page.operators.event(operator) === "DELEGATE_CALL";
                if (isCall || own.length > MOST_SHARED || !filter(operator)) continue;
                for (const node of own) nodes.add(node);
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

/** The scene of what is open; until its layout is there, the one before. */
function useScene(
    tree: Tree,
    open: ReadonlySet<string>,
    shown: Shown,
    links: Links,
    layouts: Layouts,
    words: Words,
) {
    const [done, setDone] = useState<{ of: unknown; scene: Scene } | null>(null);
    const of = useMemo(() => ({ open, shown }), [open, shown]);
    useEffect(() => {
        let isStale = false;
        const plan = planOf(tree.root, open, shown, links, words);
        layouts.place(plan).then((placement) => {
            if (isStale) return;
            setDone({ of, scene: makeScene(tree.root, plan, placement, shown, links) });
        });
        return () => {
            isStale = true;
        };
    }, [layouts, of]);
    return { scene: done?.scene ?? null, isWaiting: done?.of !== of };
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
    const least = isWhole ? LEAST_ZOOM : LEAST_READABLE;
    const zoom = Math.max(least, Math.min(1, across, isWhole ? down : 1));
    const left = (size.width - scene.width * zoom) / 2;
    if (isWhole || left >= MARGIN) return { zoom, x: left, y: MARGIN };
    /* Too wide: what comes first is in the middle. */
    const { x: first = 0, width = 0 } = scene.boxes[0] ?? {};
    const middle = size.width / 2 - (first + width / 2) * zoom;
    return { zoom, x: Math.min(MARGIN, Math.max(middle, 2 * left - MARGIN)), y: MARGIN };
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
        const still = scene?.byId.get(kept.id);
        const [wasX, wasY] = [kept.x, kept.y];
        kept.id = "";
        if (size.width === 0 || (placed === undefined && still === undefined)) return;
        setCamera((camera) => {
            let { x, y } = camera;
            const { zoom } = camera;
            if (still !== undefined) {
                x += (wasX - still.x) * zoom;
                y += (wasY - still.y) * zoom;
            }
            if (placed === undefined) return { x, y, zoom };
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
