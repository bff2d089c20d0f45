/** What each operator took in the runs that stand side by side, and where the longest lost its time. */
import { useMemo } from "preact/hooks";
import { nameOfTime, rangeCopies, timeCopies } from "../../parts/copy";
import { type Column, DataTable } from "../../parts/DataTable";
import { RangeBar } from "../../parts/RangeBar";
import { Tail } from "../../parts/Tail";
import { backendOf, barKind } from "../../state/filter";
import { useMembers, usePage } from "../../state/page";
import { chooseUnit, formatTime, largestOf, type Range, type TimeUnit } from "../../text/format";
import { sayChange, sayInterval } from "../compare/rows";
import { type AlignedPicture, type LostRow, lostIn } from "./aligned_picture";
import { lengthOf } from "./axis";
import { extremesOf } from "./operator_runs";
import { OperatorName } from "./OperatorName";
import { RunPicker } from "./RunPicker";

export function AlignedTable(props: { picture: AlignedPicture; ownKeys: boolean }) {
    const page = usePage();
    const { picture } = props;
    const { operators } = page;
    const rows = useMemo(() => lostIn(picture, operators), [picture]);
    const unit = chooseUnit(
        largestOf(rows, ({ times }) => largestOf(times, (time) => time?.upper ?? 0)),
        page.block?.unit ?? "ns",
    );
    const all = useMembers();
    const members = page.selection?.kind === "operator" ? null : all;
    const columns = useMemo(() => columnsOf(picture, operators, rows, unit), [picture, rows]);
    return (
        <div class="range-table">
            <DataTable
                label="Operators in the runs"
                sortParam="lostsort"
                columns={columns}
                rows={rows}
                rowKey={(row) => row.operator}
                isSelected={(row) =>
                    page.selection?.kind === "operator" && page.selection.id === row.operator
                }
                isDim={(row) => members !== null && !members.has(row.operator)}
                ownKeys={props.ownKeys}
                caption={<RunPicker picture={picture} />}
                onSelect={(row, isWalk) =>
                    page.select({ kind: "operator", id: row.operator }, undefined, isWalk)
                }
            />
        </div>
    );
}

type Operators = Parameters<typeof lostIn>[1];

function columnsOf(
    picture: AlignedPicture,
    operators: Operators,
    rows: readonly LostRow[],
    unit: TimeUnit,
): Column<LostRow>[] {
    const { base, chosen } = picture;
    const numberOf = (at: number) => base.numbers[chosen[at]!]!;
    const lengths = chosen.map((run) => lengthOf(base.runs[run]!));
    const { shortest, longest } = extremesOf(lengths);
    const whole = lengths[longest]! - lengths[shortest]!;
    const share = ({ lost }: LostRow): Range => ({
        lower: lost.lower / (whole || 1),
        upper: lost.upper / (whole || 1),
    });
    const most = largestOf(rows, (row) => share(row).upper);
    return [
        {
            key: "name",
            title: "operator",
            width: "auto",
            value: ({ operator }) => operators.name(operator),
            copies: { operator: ({ operator }) => operators.name(operator) },
            cell: ({ operator }) => (
                <OperatorName
                    name={operators.name(operator)}
                    backend={backendOf(operators, operator)}
                />
            ),
        },
        ...chosen.map(
            (_, at): Column<LostRow> => ({
                key: `run${numberOf(at)}`,
                title: `run ${numberOf(at)} ${unit.name}`,
                hint: "its time in this run, without what it encloses",
                width: "96px",
                align: "right",
                /* The two that are compared are there last. */
                hideBelow: at === shortest || at === longest ? 460 : 560 + at * 100,
                value: ({ times }) => times[at]?.lower ?? null,
                copies: timeCopies(
                    `run${numberOf(at)}_self`,
                    unit,
                    ({ times }) => times[at] ?? null,
                ),
                cell: ({ times }) => formatTime(times[at] ?? null, unit),
            }),
        ),
        {
            key: "lost",
            title: `lost ${unit.name}`,
            hint: `run ${numberOf(longest)} minus run ${numberOf(shortest)}; all rows add up to the difference of the runs`,
            width: "110px",
            align: "right",
            value: ({ lost }) => lost.lower + lost.upper,
            copies: rangeCopies(nameOfTime("lost", unit), ({ lost }) => lost),
            cell: ({ lost }) =>
                lost.lower === lost.upper ? sayChange(lost.lower, unit) : sayInterval(lost, unit),
        },
        {
            key: "part",
            title: "of the loss",
            hint: "part of the difference of the two runs",
            width: "90px",
            hideBelow: 640,
            cell: (row) => (
                <span class="share">
                    <RangeBar
                        range={share(row)}
                        of={most}
                        kind={barKind(operators, row.operator)}
                    />
                </span>
            ),
        },
        {
            key: "module",
            title: "module",
            width: "140px",
            hideBelow: 900,
            value: ({ operator }) => operators.module(operator),
            cell: ({ operator }) => <Tail text={operators.module(operator)} longest={17} />,
        },
    ];
}
