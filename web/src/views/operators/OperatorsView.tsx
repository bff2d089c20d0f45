/** All operators: a tree in order of execution, or in groups; searched, sorted, selected. */
import { useMemo, useState } from "preact/hooks";
import { rangeCopies, timeCopies } from "../../parts/copy";
import { BlockChoice } from "../../parts/BlockChoice";
import { Choice } from "../../parts/Choice";
import { type Column, DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import { Place } from "../../parts/Place";
import { RangeBar } from "../../parts/RangeBar";
import { useOpened } from "../../parts/tree";
import { DIFFERENCE_TABLES, differencesOf } from "../../state/differences";
import { useFilter, useLoaded, useMembers, usePage, useParam } from "../../state/page";
import { formatShare, formatTime, largestOf, plural } from "../../text/format";
import { showName } from "../../text/show";
import { writeSelection } from "../../state/selection";
import type { View } from "../view";
import { changeColumns } from "../compare/changeColumns";
import { RunsRange, sayScale, scaleOf, timesOfOperator } from "./RunsRange";
import { GROUPS, type Grouping, makeRows, type Row, sortTree, titleOf, visibleRows } from "./rows";

export const operatorsView: View = {
    id: "operators",
    title: "Operators",
    isOfTimes: true,
    takes: ["TRACE"],
    needs: ["operators"],
    loads: DIFFERENCE_TABLES,
    component: OperatorsTable,
    shows: ["operator", "operators", "line", "module", "node"],
};

function OperatorsTable() {
    const page = usePage();
    const { operators, block } = page;
    const [wanted, setBy] = useParam("by", "none");
    const isKnown = GROUPS.some((group) => group.value === wanted);
    const by = isKnown ? wanted : "none";
    const filter = useFilter();
    const selection = page.selection;
    const chosen = useMembers();
    const members = selection?.kind === "operator" ? null : chosen;
    const [cursor, setCursor] = useState({ key: "", selection: "" });
    const isLoaded = useLoaded(by === "none" ? [] : ["events", "modules"]);
    /* Most groups are closed until they are opened, or something in them is looked for. */
    const { isOpen, toggle, decided } = useOpened<Row>(
        (row) => row.isOpenAtFirst || filter !== null,
    );
    const all = useMemo(
        () => makeRows(page, by as Grouping, filter),
        [page, block, by, filter, isLoaded],
    );
    const rows = useMemo(() => visibleRows(all, isOpen), [all, decided, filter]);
    const scale = useMemo(() => scaleOf(operators, page.blockOperators), [page, block]);
    const isFlat = by === "none";
    const changes = useMemo(
        () => differencesOf(page.document).byOperator(block?.id ?? null),
        [page, block],
    );
    const fullShare = useMemo(() => fullestShare(all), [all]);
    const hasCalls = all.some((row) => row.calls !== null && row.calls !== 1);

    const timesIn = (row: Row) =>
        row.id === null ? row.times : timesOfOperator(operators, row.id);

    const columns: Column<Row>[] = [
        {
            key: "instruction",
            title: "#",
            hint: "number of the instruction",
            width: "40px",
            align: "right",
            hideBelow: isFlat ? 700 : 1000,
            value: (row) => (row.id === null ? null : operators.instruction(row.id)),
            cell: (row) =>
                row.id !== null &&
                (row.level <= 1 || !isFlat) && (
                    <span class="muted">{operators.instruction(row.id)}</span>
                ),
        },
        {
            key: "operator",
            title: isFlat ? "operator" : (GROUPS.find((group) => group.value === by)?.title ?? by),
            width: "auto",
            value: (row) => row.name,
            cell: (row) => (
                <>
                    {by === "line" && /:\d+$/.test(row.name ?? "") ? (
                        <Place text={row.name} whole />
                    ) : (
                        <Name
                            text={titleOf(row, by as Grouping)}
                            class={
                                row.id === null ? "group" : row.isDelegateCall ? "call" : undefined
                            }
                            longest={80}
                            ends={!row.isDelegateCall}
                        />
                    )}
                    {row.isDelegateCall && (
                        <Name class="muted backend" text={operators.backend(row.id ?? -1)} />
                    )}
                </>
            ),
        },
        {
            key: "calls",
            title: "calls",
            hint: "events in one run",
            width: "52px",
            align: "right",
            hideBelow: hasCalls ? 800 : Number.POSITIVE_INFINITY,
            value: (row) => row.calls,
            cell: (row) => row.calls,
        },
        {
            key: "p50",
            title: `p50 ${scale.unit.name}`,
            hint: "median time per run; of a group, of what its operators take together",
            width: "84px",
            align: "right",
            value: (row) => row.p50?.lower ?? null,
            copies: timeCopies("p50", scale.unit, (row) => row.p50),
            cell: (row) =>
                row.id !== null && row.p50 === null ? (
                    <span class="muted">own clock</span>
                ) : (
                    row.p50 && formatTime(row.p50, scale.unit)
                ),
        },
        {
            key: "self",
            title: `self ${scale.unit.name}`,
            hint: "median of what the module takes without its submodules",
            width: "72px",
            align: "right",
            hideBelow: by === "module" ? 560 : Number.POSITIVE_INFINITY,
            value: (row) => row.self?.lower ?? null,
            copies: by === "module" ? timeCopies("self_p50", scale.unit, (row) => row.self) : {},
            cell: (row) => row.self && formatTime(row.self, scale.unit),
        },
        ...changeColumns<Row, number>(changes, (row) => row.id, scale.unit),
        {
            key: "max",
            title: `runs, ${sayScale(scale)}`,
            hint: `shortest to longest run as a line, p10 to p90 as a box, the median as a mark, on a logarithmic scale from ${sayScale(scale)}; sorted by the longest`,
            width: "192px",
            hideBelow: changes.length > 1 ? 1200 : 900,
            value: (row) => timesIn(row)?.max.lower ?? null,
            copies: {
                ...timeCopies("min", scale.unit, (row) => timesIn(row)?.min ?? null),
                ...timeCopies("max", scale.unit, (row) => timesIn(row)?.max ?? null),
            },
            cell: (row) => (
                <RunsRange times={timesIn(row)} unit={block?.unit ?? "ns"} scale={scale} />
            ),
        },
        {
            key: "share",
            title: "share of a run",
            hint: `of the middle half of the runs; hatched: possible; a full bar is ${formatShare({ lower: fullShare, upper: fullShare })}`,
            width: "160px",
            narrow: "108px",
            value: (row) => row.share?.lower ?? null,
            copies: rangeCopies("share", (row) => row.share),
            cell: (row) => (
                <span class="share">
                    <RangeBar range={row.share} of={fullShare} kind={row.kind} />
                    <span class="number">{row.share && formatShare(row.share)}</span>
                </span>
            ),
        },
        {
            key: "source",
            title: "source",
            width: "150px",
            hideBelow: by === "line" ? Number.POSITIVE_INFINITY : isFlat ? 760 : 1100,
            value: (row) => (row.id === null ? null : operators.source(row.id)),
            cell: (row) => row.id !== null && <Place text={operators.source(row.id)} />,
        },
        {
            key: "module",
            title: "module",
            width: "130px",
            hideBelow: by === "module" ? Number.POSITIVE_INFINITY : isFlat ? 1060 : 1240,
            value: (row) => (row.id === null ? null : operators.module(row.id)),
            cell: (row) => row.id !== null && <Place text={operators.module(row.id)} />,
        },
    ];

    const shown = all.filter((row) => row.id !== null && row.isMatch).length;
    const caption = (
        <>
            <BlockChoice />
            <Choice label="Group" options={GROUPS} value={by as Grouping} onChange={setBy} />
            <span class="muted">
                {filter === null
                    ? plural(shown, "operator")
                    : `${shown} of ${page.blockOperators.length} operators`}
            </span>
            {!isKnown && (
                <span role="status">
                    There is no grouping by “{showName(wanted, 30)}”: these are not grouped.
                </span>
            )}
        </>
    );
    return (
        <DataTable
            label="Operators"
            columns={columns}
            rows={rows}
            rowKey={(row) => row.key}
            sort={(value, descending) => visibleRows(sortTree(all, value, descending), isOpen)}
            tree={{
                level: (row) => row.level,
                isOpen: (row) => (row.hasInside ? isOpen(row) : null),
                toggle,
            }}
            isSelected={(row) => {
                if (cursor.key !== "" && cursor.selection === page.store.get("sel")) {
                    return row.key === cursor.key;
                }
                if (selection === null) return false;
                if (selection.kind === "operator") return row.id === selection.id;
                if (selection.kind === "operators") {
                    return row.id !== null && selection.ids.includes(row.id);
                }
                return (
                    row.id === null &&
                    row.group !== null &&
                    writeSelection(row.group) === writeSelection(selection)
                );
            }}
            isDim={(row) =>
                row.id !== null && (!row.isMatch || (members !== null && !members.has(row.id)))
            }
            onSelect={(row, isWalk) => {
                const chosen =
                    row.id !== null ? ({ kind: "operator", id: row.id } as const) : row.group;
                page.select(chosen, undefined, isWalk);
                setCursor({ key: row.key, selection: page.store.get("sel") });
            }}
            caption={caption}
        />
    );
}

/** What a full bar stands for: the largest share of a row that is not the whole run. */
function fullestShare(rows: readonly Row[]): number {
    const parts = rows.filter((row) => row.level > 0 || row.id === null);
    return largestOf(parts, (row) => row.share?.upper ?? 0) || 1;
}
