/** A picture with all around it: runs, lanes, keys, selection, and the table of what is seen. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../../parts/keys";
import { type Page, useFilter, useMembers, usePage } from "../../state/page";
import { writeSelection } from "../../state/selection";
import { sayTime } from "../../text/format";
import { around, lengthOf, parseSpan, reveal, writeSpan } from "./axis";
import { AlignedPicture } from "./aligned_picture";
import { setAligned } from "./aligned_runs";
import { AlignedTable } from "./AlignedTable";
import { Camera } from "./camera";
import { LaneCanvas, moved, type Place, zoomed } from "./LaneCanvas";
import { OperatorRuns } from "./OperatorRuns";
import type { Picture } from "./picture";
import { RangeTable } from "./RangeTable";
import { RunsStrip } from "./RunsStrip";
import { TimePicture } from "./time_picture";
import type { Span } from "./track";
import { TreePicture } from "./tree_picture";

const STEP = 0.2; /* of what is seen */
const CLOSER = 0.6;
/** The page says the name of what is selected; the time and the run follow it. */
const AFTER_NAME_MS = 100;

interface Props {
    picture: Picture;
    /** What it is called in the help and by screen readers. */
    label?: string;
    /** Parameter of the address that holds what part of it is seen. */
    param?: string;
    /** Stands below, in place of the table of what is seen; false: the keys are the picture's. */
    table?: (ownKeys: boolean) => ComponentChildren;
}

export function PictureView(props: Props) {
    const { label = "Timeline", param = "t" } = props;
    const page = usePage();
    const { picture } = props;
    const inTime = picture instanceof TimePicture ? picture : null;
    const aligned = picture instanceof AlignedPicture ? picture : null;
    /* Has the runs; null: times per run. */
    const timed = inTime ?? aligned?.base ?? null;
    const unit = page.block?.unit ?? "ns";
    const times = useMemo(() => timed?.runs.map(lengthOf) ?? [], [timed]);
    const [isFocused, setFocused] = useState(false);
    const redraws = useRef<{ lanes?: () => void; runs?: () => void }>({});
    const camera = useCamera(page, picture, param, () => {
        redraws.current.lanes?.();
        redraws.current.runs?.();
    });
    const { cursor, setCursor } = useCursor(page, picture, camera);
    const members = useMembers();
    const filter = useFilter();
    const isDim = (ref: number): boolean => {
        const ids = idsOf(picture, ref);
        if (ids.length === 0) return false;
        if (members !== null && !ids.some((id) => members.has(id))) return true;
        return filter !== null && !ids.some((id) => filter(id));
    };
    const { selection } = page;
    const range = inTime !== null && selection?.kind === "range" ? selection : null;

    const pick = (place: Place | null, isWalk = false) => {
        if (place === null) return page.select(null);
        const track = picture.lanes[place.lane]!.track;
        const ref = track.refs[place.item]!;
        setCursor(place);
        selectItem(page, picture, ref, isWalk);
        const said = picture.describe(ref).join(", ");
        setTimeout(() => page.announce(said), AFTER_NAME_MS);
    };
    const fitTo = (place: Place) => {
        const track = picture.lanes[place.lane]!.track;
        camera.glide(around({ from: track.starts[place.item]!, to: track.ends[place.item]! }));
    };
    /* What is selected; then its run; then all. */
    const fit = () => {
        const steps = [
            range && around(range),
            cursor && around(spanOf(picture, cursor)),
            inTime && inTime.around(runOf(page, inTime)),
            around(picture.extent),
        ].filter((span) => span !== null);
        const now = writeSpan(camera.target);
        const at = steps.findIndex((span) => writeSpan(span) === now);
        camera.glide(steps[(at + 1) % steps.length]!);
    };
    const walk = (delta: number) => {
        const from = cursor ?? firstSeen(picture, camera.target);
        const track = picture.lanes[from.lane]?.track;
        if (track === undefined || track.length === 0) return;
        const item = cursor === null ? from.item : from.item + delta;
        const place = { lane: from.lane, item: Math.max(0, Math.min(track.length - 1, item)) };
        pick(place, true);
        camera.jump(reveal(camera.target, spanOf(picture, place)));
    };
    /* To the longest item at the same time. */
    const changeLane = (delta: number) => {
        if (cursor === null) return walk(0);
        const span = spanOf(picture, cursor);
        const lane = cursor.lane + delta;
        const item = picture.lanes[lane]?.track.longestIn(span) ?? -1;
        if (item >= 0) pick({ lane, item }, true);
    };
    const stepRun = (delta: number) => {
        if (inTime === null) return;
        const now = runOf(page, inTime);
        const next = Math.max(0, Math.min(inTime.runs.length - 1, now + delta));
        const by = inTime.runs[next]!.from - inTime.runs[now]!.from;
        page.setRun(page.runsOfMatrix(inTime.matrix)[next] ?? null);
        camera.jump(moved(camera.target, by));
    };
    const pan = (share: number) =>
        camera.glide(moved(camera.target, share * lengthOf(camera.target)));
    useKeys(label, [
        { keys: ["w", "+"], label: "closer", run: () => camera.glide(zoomed(camera, CLOSER)) },
        { keys: ["s", "-"], label: "farther", run: () => camera.glide(zoomed(camera, 1 / CLOSER)) },
        { keys: ["a"], label: "left", run: () => pan(-STEP) },
        { keys: ["d"], label: "right", run: () => pan(STEP) },
        { keys: ["f"], label: "fit the selection, the run, all", run: fit },
        { keys: [","], label: "previous event", run: () => walk(-1) },
        { keys: ["."], label: "next event", run: () => walk(1) },
        ...(inTime === null
            ? []
            : [
                  { keys: ["["], label: "previous run", run: () => stepRun(-1) },
                  { keys: ["]"], label: "next run", run: () => stepRun(1) },
              ]),
        ...(isFocused
            ? [
                  { keys: ["ArrowLeft"], label: "previous event", run: () => walk(-1) },
                  { keys: ["ArrowRight"], label: "next event", run: () => walk(1) },
                  { keys: ["ArrowUp"], label: "what encloses it", run: () => changeLane(-1) },
                  { keys: ["ArrowDown"], label: "what is inside", run: () => changeLane(1) },
                  { keys: ["Enter"], label: "fit the selection", run: fit },
              ]
            : []),
    ]);

    return (
        <>
            {timed !== null && timed.runs.length > 1 && (
                <RunsStrip
                    times={times}
                    unit={unit}
                    chosen={page.runsOfMatrix(timed.matrix).indexOf(page.run ?? -1)}
                    shown={() => aligned?.chosen ?? runsIn(timed, camera.span)}
                    hint={
                        aligned === null
                            ? "Drag to show some of the runs, click to show one"
                            : "Click a run to show it with the others, or to leave it out"
                    }
                    onBrush={(first, last) => {
                        if (aligned !== null) return toggleRun(page, aligned, first);
                        const [from, to] = [timed.runs[first]!.from, timed.runs[last]!.to];
                        const runs = page.runsOfMatrix(timed.matrix);
                        if (first === last) page.setRun(runs[first] ?? null);
                        camera.glide(around({ from, to }));
                    }}
                    onReady={(redraw) => {
                        redraws.current.runs = redraw;
                    }}
                />
            )}
            <LaneCanvas
                label={`${label}, ${picture.lanes.length} lanes. Arrow keys move from event to event; the table below lists the same operators.`}
                picture={picture}
                unit={unit}
                camera={() => camera}
                isDim={isDim}
                cursor={cursor}
                range={range}
                isFocused={isFocused}
                onPick={pick}
                onFit={(place) => (place === null ? fit() : fitTo(place))}
                onRange={
                    inTime === null
                        ? null
                        : ({ from, to }) => {
                              const [low, high] = [Math.round(from), Math.round(to)];
                              if (low === high) return;
                              page.select({ kind: "range", from: low, to: high });
                              const time = { lower: high - low, upper: high - low };
                              page.announce(`range of ${sayTime(time, unit)}`);
                          }
                }
                onFocus={setFocused}
                onReady={(redraw) => {
                    redraws.current.lanes = redraw;
                }}
            />
            {inTime !== null && selection?.kind === "operator" && (
                <OperatorRuns
                    picture={inTime}
                    operator={selection.id}
                    run={cursor === null ? -1 : runOf(page, inTime)}
                    onRun={(run) => {
                        page.setRun(page.runsOfMatrix(inTime.matrix)[run] ?? null);
                        camera.glide(inTime.around(run));
                    }}
                />
            )}
            {props.table?.(!isFocused) ??
                (aligned !== null ? (
                    <AlignedTable picture={aligned} ownKeys={!isFocused} />
                ) : (
                    <RangeTable
                        picture={picture}
                        span={range ?? spanOfAddress(page, picture, param)}
                        isSelected={range !== null}
                        ownKeys={!isFocused}
                    />
                ))}
        </>
    );
}

/** Begins where the address says, and follows it. */
function useCamera(page: Page, picture: Picture, param: string, redraw: () => void): Camera {
    const text = page.store.get(param);
    const span = spanOfAddress(page, picture, param);
    const current = useRef(redraw);
    current.current = redraw;
    const camera = useMemo(
        () =>
            new Camera(
                span,
                picture.extent,
                () => current.current(),
                (seen) => page.store.set({ [param]: seen }),
            ),
        [picture],
    );
    useEffect(() => camera.follow(text === "" ? writeSpan(span) : text, span), [text]);
    useEffect(() => () => camera.stop(), [camera]);
    return camera;
}

/** What the address says; otherwise the chosen run, or the one nearest to the median. */
function spanOfAddress(page: Page, picture: Picture, param: string): Span {
    const wanted = parseSpan(page.store.get(param));
    if (wanted !== null && wanted.to > picture.extent.from && wanted.from < picture.extent.to)
        return wanted;
    if (!(picture instanceof TimePicture)) return picture.home;
    return picture.around(runOf(page, picture));
}

/**
 * The item that stands for the selection: the one that was picked, otherwise the first of the
 * operator in the run. What another view selects is brought into sight.
 */
function useCursor(page: Page, picture: Picture, camera: Camera) {
    const [picked, setCursor] = useState<Place | null>(null);
    const { selection } = page;
    const operator = selection?.kind === "operator" ? selection.id : -1;
    const line = selection?.kind === "line" ? selection.name : null;
    const timed = timedOf(picture);
    const run = timed === null ? 0 : runOf(page, timed);
    const cursor = useMemo(() => {
        if (line !== null) return findLine(picture, line, picked);
        if (operator < 0) return null;
        if (picked !== null) {
            const ref = picture.lanes[picked.lane]?.track.refs[picked.item];
            const isSame = ref !== undefined && picture.operator(ref) === operator;
            const isSameRun = timed === null || timed.run(ref ?? 0) === run;
            if (isSame && isSameRun) return picked;
        }
        return picture instanceof TimePicture || picture instanceof AlignedPicture
            ? picture.find(operator, run)
            : findIn(picture, operator);
    }, [picture, picked, operator, line, run]);
    useEffect(() => {
        if (cursor === null) return;
        const shown = reveal(camera.target, spanOf(picture, cursor));
        if (shown !== camera.target && cursor !== picked) camera.glide(shown);
    }, [cursor]);
    return { cursor, setCursor };
}

/** Of a picture of lines: the one that was picked, or the first of that name. */
function findLine(picture: Picture, name: string, picked: Place | null): Place | null {
    if (!(picture instanceof TreePicture)) return null;
    const isIt = (ref: number | undefined) => picture.nodes[ref ?? -1]?.line === name;
    if (picked !== null && isIt(picture.lanes[picked.lane]?.track.refs[picked.item])) return picked;
    for (const [lane, { track }] of picture.lanes.entries()) {
        const item = track.refs.findIndex(isIt);
        if (item >= 0) return { lane, item };
    }
    return null;
}

function findIn(picture: Picture, operator: number): Place | null {
    let merged: Place | null = null;
    for (const [lane, { track }] of picture.lanes.entries()) {
        for (let item = 0; item < track.length; item++) {
            const ids = idsOf(picture, track.refs[item]!);
            if (ids[0] === operator) return { lane, item };
            if (ids.includes(operator)) merged ??= { lane, item };
        }
    }
    return merged;
}

const idsOf = (picture: Picture, ref: number): number[] =>
    picture instanceof TreePicture
        ? (picture.nodes[ref]?.operators ?? [])
        : [picture.operator(ref)];

/** The picture of all runs in time; null: times per run. */
function timedOf(picture: Picture): TimePicture | null {
    if (picture instanceof AlignedPicture) return picture.base;
    return picture instanceof TimePicture ? picture : null;
}

/** Shows a run beside the others, or no longer. */
function toggleRun(page: Page, aligned: AlignedPicture, run: number): void {
    const { chosen, base } = aligned;
    const others = chosen.filter((each) => each !== run);
    const next = others.length < chosen.length ? others : [...chosen, run];
    setAligned(page, base, next);
}

function selectItem(page: Page, picture: Picture, ref: number, isWalk: boolean): void {
    const module = picture instanceof TreePicture ? picture.nodes[ref]?.module : null;
    if (module != null) return page.select({ kind: "module", name: module }, undefined, isWalk);
    const line = picture instanceof TreePicture ? picture.nodes[ref]?.line : undefined;
    if (line != null) return page.select({ kind: "line", name: line }, undefined, isWalk);
    if (line === null) return; /* on no line */
    const id = picture.operator(ref);
    if (id < 0) return;
    const sel = writeSelection({ kind: "operator", id });
    const timed = timedOf(picture);
    const run =
        timed === null
            ? page.store.get("run")
            : String(page.runsOfMatrix(timed.matrix)[timed.run(ref)] ?? "");
    page.store.set({ sel, run }, page.store.view, isWalk);
}

/** The chosen run as a number of the picture, or the one nearest to the median. */
function runOf(page: Page, picture: TimePicture): number {
    const chosen = page.runsOfMatrix(picture.matrix).indexOf(page.run ?? -1);
    return chosen >= 0 && chosen < picture.runs.length ? chosen : picture.medianRun;
}

function runsIn(picture: TimePicture, span: Span): number[] {
    const found = [picture.firstRunTo(span.from)];
    for (let next = found[0]! + 1; (picture.runs[next]?.from ?? Infinity) < span.to; next++)
        found.push(next);
    return found;
}

function spanOf(picture: Picture, place: Place): Span {
    const track = picture.lanes[place.lane]!.track;
    return { from: track.starts[place.item]!, to: track.ends[place.item]! };
}

/** In the lane with the most items, where the keyboard begins. */
function firstSeen(picture: Picture, span: Span): Place {
    const most = picture.lanes.reduce(
        (best, lane, i) => (lane.track.length > picture.lanes[best]!.track.length ? i : best),
        0,
    );
    const track = picture.lanes[most]?.track;
    return {
        lane: most,
        item: Math.min(track?.firstFrom(span.from) ?? 0, (track?.length ?? 1) - 1),
    };
}
