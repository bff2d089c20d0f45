/** Whole stacks: a flame graph, and the same lines as a tree. */
import { useMemo } from "preact/hooks";
import { rangeCopies, timeCopies } from "../../parts/copy";
import { type Column, DataTable } from "../../parts/DataTable";
import { Legend } from "../../parts/Legend";
import { Place } from "../../parts/Place";
import { RangeBar } from "../../parts/RangeBar";
import { useOpenTree } from "../../parts/tree";
import { type Page, useFilter, useMembers, usePage } from "../../state/page";
import { chooseUnit, formatShare, formatTime, largestOf, type TimeUnit } from "../../text/format";
import { showCode } from "../../text/show";
import { PictureView } from "../timeline/PictureView";
import { TreePicture } from "../timeline/tree_picture";
import { filtered, kindOf, nodesOf, type Stack, stacksOf } from "./stacks";
import "../timeline/timeline.css";
import "./source.css";

/** Lines of at least this part of a run are open at first. */
const OPEN_SHARE = 0.02;

export function StacksView() {
    const page = usePage();
    const { block, operators } = page;
    const filter = useFilter();
    const roots = useMemo(() => filtered(stacksOf(page), filter), [page, block, filter]);
    const picture = useMemo(
        () =>
            block === null || roots.length === 0
                ? null
                : new TreePicture(operators, block, nodesOf(roots), block.title),
        [roots],
    );
    const table = (ownKeys: boolean) => <StackTable roots={roots} ownKeys={ownKeys} />;
    if (picture === null) return table(true);
    return (
        <PictureView
            key={block?.id}
            picture={picture}
            label="Flame graph"
            param="flame"
            table={table}
        />
    );
}

function StackTable(props: { roots: readonly Stack[]; ownKeys: boolean }) {
    const page = usePage();
    const { roots } = props;
    const members = useMembers();
    const { rows, tree, sort } = useOpenTree(
        roots,
        ({ share }) => (share?.upper ?? 0) >= OPEN_SHARE,
    );
    const columns = useMemo(() => columnsOf(roots, page.block?.unit ?? "ns"), [roots]);
    return (
        <div class="range-table">
            <DataTable
                label="Stacks of source lines"
                sortParam="stacksort"
                columns={columns}
                rows={rows}
                rowKey={(stack) => stack.key}
                tree={tree}
                sort={sort}
                ownKeys={props.ownKeys}
                isSelected={(stack) => isChosen(page, stack)}
                isDim={(stack) =>
                    members !== null && !stack.operators.some((id) => members.has(id))
                }
                caption={
                    <Legend
                        groups={[
                            { title: "lines of the model", colour: "mixed" },
                            { title: "libraries", colour: "library" },
                            { title: "on no line", colour: "other" },
                        ]}
                    />
                }
                onSelect={({ place }, isWalk) => {
                    if (place !== null)
                        page.select({ kind: "line", name: place }, undefined, isWalk);
                }}
                onOpen={(stack) => tree.isOpen(stack) !== null && tree.toggle(stack)}
            />
        </div>
    );
}

const isChosen = ({ selection }: Page, { place }: Stack): boolean =>
    selection?.kind === "line" && selection.name === place;

function columnsOf(roots: readonly Stack[], traceUnit: string): Column<Stack>[] {
    const unit = chooseUnit(
        largestOf(roots, ({ time }) => time?.upper ?? 0),
        traceUnit,
    );
    const full = largestOf(roots, ({ share }) => share?.upper ?? 0) || 1;
    return [
        {
            ...timeColumn("mid", unit, ({ time }) => time),
            title: `mid ${unit.name}`,
            hint: "mean over the middle half of the runs, with what it calls",
        },
        {
            key: "share",
            title: "share of a run",
            hint: `with what it calls; hatched: possible; a full bar is ${formatShare({ lower: full, upper: full })}`,
            width: "150px",
            value: ({ share }) => share?.lower ?? null,
            copies: rangeCopies("share", ({ share }) => share),
            cell: (stack) =>
                stack.share && (
                    <span class="share">
                        <RangeBar range={stack.share} of={full} kind={kindOf(stack)} />
                        <span class="number">{formatShare(stack.share)}</span>
                    </span>
                ),
        },
        {
            ...timeColumn("self_mid", unit, ({ self }) => self),
            title: `self ${unit.name}`,
            hint: "without what it calls",
            hideBelow: 640,
        },
        {
            key: "calls",
            title: "calls",
            hint: "operators of it and of what it calls, in one run",
            width: "56px",
            align: "right",
            hideBelow: 760,
            value: ({ calls }) => calls,
            cell: ({ calls }) => calls,
        },
        {
            key: "code",
            title: "code",
            width: "auto",
            value: ({ code }) => code,
            cell: ({ place, isLibrary, code }) =>
                place === null || isLibrary ? (
                    <span class="muted code">{showCode(code)}</span>
                ) : (
                    <code class="code" title={showCode(code)}>
                        {showCode(code)}
                    </code>
                ),
        },
        {
            key: "line",
            title: "line",
            width: "150px",
            hideBelow: 560,
            value: ({ place }) => place,
            cell: ({ place }) => <Place text={place} />,
        },
    ];
}

function timeColumn(key: string, unit: TimeUnit, of: (stack: Stack) => Stack["time"]) {
    return {
        key,
        width: "104px",
        align: "right" as const,
        hideBelow: 480,
        value: (stack: Stack) => of(stack)?.lower ?? null,
        copies: timeCopies(key, unit, of),
        cell: (stack: Stack) => {
            const time = of(stack);
            return time === null ? null : formatTime(time, unit);
        },
    };
}
