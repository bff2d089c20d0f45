/** The operators of what is seen or measured, by their time in it: the text of the picture. */
import { useMemo } from "preact/hooks";
import { rangeCopies, timeCopies } from "../../parts/copy";
import { type Column, DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import { Place } from "../../parts/Place";
import { RangeBar } from "../../parts/RangeBar";
import { barKind } from "../../state/filter";
import { useMembers, usePage } from "../../state/page";
import {
    chooseUnit,
    formatCount,
    formatShare,
    formatTime,
    largestOf,
    plural,
    sayTime,
} from "../../text/format";
import { lengthOf } from "./axis";
import { sumsIn } from "./in_range";
import type { Picture, Row } from "./picture";
import { TimePicture } from "./time_picture";
import type { Span } from "./track";
import type { TreePicture } from "./tree_picture";

export function RangeTable(props: {
    picture: Picture;
    span: Span;
    /** A range was selected; otherwise the span is what is seen. */
    isSelected: boolean;
    ownKeys: boolean;
}) {
    const page = usePage();
    const { picture, span } = props;
    const all = useMembers();
    /* A single operator has a row of its own. */
    const members = page.selection?.kind === "operator" ? null : all;
    const unitName = page.block?.unit ?? "ns";
    const found = useMemo(
        () =>
            picture instanceof TimePicture
                ? sumsIn(picture, page.operators, span)
                : { rows: (picture as TreePicture).rows(), runs: 0, time: 0 },
        [picture, span.from, span.to],
    );
    const unit = chooseUnit(
        largestOf(found.rows, (row) => row.time.upper),
        unitName,
    );
    const { selection } = page;
    const isSelected = (row: Row) =>
        row.module !== null
            ? selection?.kind === "module" && selection.name === row.module
            : selection?.kind === "operator" && selection.id === row.operator;
    const columns: Column<Row>[] = [
        {
            key: "name",
            title: "operator",
            width: "auto",
            value: (row) => row.name,
            copies: { operator: (row) => row.name },
            cell: (row) => (
                <>
                    <Name text={row.name} />{" "}
                    <small>{row.backend === "runtime" ? "" : row.backend}</small>
                </>
            ),
        },
        {
            key: "calls",
            title: "calls",
            width: "84px",
            align: "right",
            hideBelow: 560,
            value: (row) => row.calls,
            cell: (row) => (row.calls > 0 ? formatCount(row.calls) : null),
        },
        {
            key: "time",
            title: unit.name,
            width: "104px",
            align: "right",
            value: (row) => row.time.lower,
            copies: timeCopies("total", unit, (row) => row.time),
            cell: (row) => formatTime(row.time, unit),
        },
        {
            key: "share",
            title: "share",
            hint: "part of the time of the runs in it; what encloses others counts them, too",
            width: "160px",
            value: (row) => row.share.lower,
            copies: rangeCopies("share", (row) => row.share),
            cell: (row) => (
                <span class="share">
                    <RangeBar
                        range={row.share}
                        of={1}
                        kind={row.operator < 0 ? "other" : barKind(page.operators, row.operator)}
                    />
                    <span class="number">{formatShare(row.share)}</span>
                </span>
            ),
        },
        {
            key: "source",
            title: "source",
            width: "190px",
            hideBelow: 760,
            value: (row) => row.source,
            cell: (row) => <Place text={row.source} />,
        },
    ];
    const length = { lower: lengthOf(span), upper: lengthOf(span) };
    const caption =
        picture instanceof TimePicture ? (
            <span>
                <b>{props.isSelected ? "Selected" : "In sight"}</b> {sayTime(length, unitName)} ·{" "}
                {plural(found.runs, "run")}
                {props.isSelected && (
                    <button type="button" class="quiet" onClick={() => page.select(null)}>
                        Clear
                    </button>
                )}
            </span>
        ) : (
            <b>Time per run</b>
        );
    return (
        <div class="range-table">
            <DataTable
                label="Operators in the timeline"
                sortParam="timesort"
                columns={columns}
                rows={found.rows}
                rowKey={(row) => row.key}
                isSelected={isSelected}
                isDim={(row) => members !== null && row.operator >= 0 && !members.has(row.operator)}
                ownKeys={props.ownKeys}
                caption={caption}
                onSelect={(row, isWalk) => {
                    if (row.module !== null)
                        page.select({ kind: "module", name: row.module }, undefined, isWalk);
                    else if (row.operator >= 0)
                        page.select({ kind: "operator", id: row.operator }, undefined, isWalk);
                }}
            />
        </div>
    );
}
