/** What became faster or slower than in another trace: the verdict, its parts, every operator. */
import { useMemo, useState } from "preact/hooks";
import { nameOfTime, timeCopies } from "../../parts/copy";
import { Choice } from "../../parts/Choice";
import { type Column, DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import {
    type ComparedBlock,
    DIFFERENCE_TABLES,
    type Difference,
    type Differences,
    differencesOf,
    type Verdict,
} from "../../state/differences";
import { useFilter, usePage, useParam } from "../../state/page";
import { chooseUnit, fixed, formatTime, largestOf, plural } from "../../text/format";
import { show } from "../../text/show";
import { runSumsOf, timesOf } from "../../state/run_sums";
import { sortTree, visibleRows } from "../operators/rows";
import type { View } from "../view";
import { Distributions } from "./Distributions";
import {
    commonVerdict,
    describe,
    GROUPS,
    groupParts,
    type Grouping,
    makeRows,
    measuredChanges,
    nameOf,
    outerParts,
    type Row,
    sayChange,
    sayInterval,
    sayMembers,
} from "./rows";
import { Waterfall } from "./Waterfall";
import "./compare.css";

export const compareView: View = {
    id: "compare",
    title: "Compare",
    needs: ["differences"],
    loads: [...DIFFERENCE_TABLES, "events"],
    component: Compare,
    shows: ["operator"],
};

function Compare() {
    const page = usePage();
    const differences = differencesOf(page.document);
    const [against, setAgainst] = useParam("against", String(differences.traces[0]?.trace ?? 0));
    const trace = Number(against);
    const blocks = differences.blocks.filter((block) => block.trace === trace);
    const block = chosenBlock(blocks, page.block?.id ?? null);
    const sentences = differences.traces.find((compared) => compared.trace === trace)?.sentences;
    return (
        <div class="compare">
            <section class="answer" aria-label="Verdict">
                {(sentences ?? []).map((sentence) => (
                    <p key={sentence}>{show(sentence)}</p>
                ))}
                {(sentences ?? []).length === 0 && (
                    <p>Nothing of the two traces can be compared.</p>
                )}
            </section>
            {differences.traces.length > 1 && (
                <Multiples differences={differences} trace={trace} choose={setAgainst} />
            )}
            {block !== null && (
                <BlockDifference
                    key={block.id}
                    block={block}
                    blocks={blocks}
                    name={differences.traces.find((of) => of.trace === trace)?.name ?? ""}
                />
            )}
        </div>
    );
}

/** That of the block that other views show, or else the longest. */
function chosenBlock(blocks: readonly ComparedBlock[], shown: number | null): ComparedBlock | null {
    const same = blocks.find(({ before, after }) => before === shown || after === shown);
    const time = (block: ComparedBlock) => block.total?.before?.lower ?? 0;
    return same ?? [...blocks].sort((a, b) => time(b) - time(a))[0] ?? null;
}

/** One column for each trace before: the whole run of each beside this one's. */
function Multiples(props: {
    differences: Differences;
    trace: number;
    choose: (trace: string) => void;
}) {
    const page = usePage();
    const { differences, trace } = props;
    const columns = differences.traces.map((compared) => ({
        compared,
        block: chosenBlock(
            differences.blocks.filter((block) => block.trace === compared.trace),
            page.block?.id ?? null,
        ),
    }));
    const most =
        largestOf(columns, ({ block }) =>
            Math.max(block?.total?.before?.upper ?? 0, block?.total?.after?.upper ?? 0),
        ) || 1;
    const unit = chooseUnit(most, page.block?.unit ?? "ns");
    return (
        <ul class="multiples" aria-label="Traces before">
            {columns.map(({ compared, block }) => {
                const total = block?.total ?? null;
                const { mark, word } = describe(total?.verdict ?? "none");
                return (
                    <li key={compared.trace}>
                        <button
                            type="button"
                            aria-pressed={compared.trace === trace}
                            onClick={() => props.choose(String(compared.trace))}
                        >
                            <Name text={compared.name} longest={30} />
                            <span class="verdict" data-verdict={total?.verdict ?? "none"}>
                                {mark} {word} {total !== null && formatRatio(total.ratio)}
                            </span>
                            {(["before", "after"] as const).map((side) => (
                                <span key={side} class="pair" data-side={side}>
                                    <span class="muted">{side}</span>
                                    <span class="track">
                                        <span
                                            style={{
                                                width: `${((total?.[side]?.lower ?? 0) / most) * 100}%`,
                                            }}
                                        />
                                    </span>
                                    <span class="number">
                                        {formatTime(total?.[side] ?? null, unit)} {unit.name}
                                    </span>
                                </span>
                            ))}
                        </button>
                    </li>
                );
            })}
        </ul>
    );
}

const formatRatio = (ratio: number | null): string => {
    if (ratio === null) return "";
    const percent = fixed(Math.abs(ratio) * 100, 1);
    return `${percent === "0.0" ? "" : ratio < 0 ? "−" : "+"}${percent}%`;
};

/** Of a group: of the medians that its row has. */
function ratioOf({ line, before, after }: Row): number | null {
    if (line !== null) return line.ratio;
    if (before === null || after === null || before.lower <= 0) return null;
    return (after.lower - before.lower) / before.lower;
}

function BlockDifference(props: {
    block: ComparedBlock;
    blocks: readonly ComparedBlock[];
    name: string;
}) {
    const page = usePage();
    const { block } = props;
    const filter = useFilter();
    const [by, setBy] = useParam("by", "none");
    const grouping = GROUPS.some(({ value }) => value === by) ? (by as Grouping) : "none";
    const [chosen] = useParam("diff", "");
    const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
    const lines = useMemo(
        () =>
            filter === null
                ? block.lines
                : block.lines.filter((line) =>
                      [...line.operatorsAfter, ...line.operatorsBefore].some(filter),
                  ),
        [block, filter],
    );
    const timeOf = useMemo(() => {
        const sums = runSumsOf(page.document, page.operators);
        return (ids: readonly number[]) => timesOf(sums.sum(ids))?.p50 ?? null;
    }, [page]);
    const all = useMemo(() => makeRows(lines, grouping, timeOf), [lines, grouping]);
    const parts = useMemo(() => {
        if (block.total === null) return [];
        return grouping === "none"
            ? outerParts(block.total, block.lines)
            : groupParts(makeRows(block.lines, grouping, timeOf));
    }, [block, grouping]);
    const common = useMemo(() => commonVerdict(block.lines), [block]);
    const isOpen = (row: Row) => toggled.has(row.key) !== row.isOpenAtFirst;
    const rows = useMemo(() => visibleRows(all, isOpen), [all, toggled]);
    const unit = chooseUnit(
        largestOf(block.lines, (line) => Math.max(line.before?.upper ?? 0, line.after?.upper ?? 0)),
        page.block?.unit ?? "ns",
    );
    const selected = selectedLine(page.selection, block, chosen);
    const select = (line: Difference, isWalk = false) => {
        const id = line.operatorsAfter[0] ?? line.operatorsBefore[0];
        page.store.set({ diff: String(line.id) }, undefined, isWalk);
        if (id !== undefined) page.select({ kind: "operator", id }, undefined, isWalk);
        const { word } = describe(line.verdict);
        page.announce(`${show(line.name)}: ${word}, ${sayChange(line.change, unit)} ${unit.name}`);
    };
    const shownLine = selected ?? block.total;
    return (
        <>
            <Measured lines={block.lines} unit={unit} select={select} />
            <div class="compare-pictures">
                {block.total !== null && (
                    <section aria-label="Where the difference is">
                        <h2>From before to after, {unit.name}</h2>
                        <Waterfall
                            total={block.total}
                            parts={parts}
                            unit={unit}
                            onSelect={select}
                            selected={selected?.id ?? null}
                        />
                        <ul class="verdicts muted" aria-label="Colours">
                            <li data-verdict="faster">▼ faster</li>
                            <li data-verdict="slower">▲ slower</li>
                            <li data-verdict="same">= same</li>
                            <li data-verdict="undecided">? undecided, or not judged</li>
                        </ul>
                    </section>
                )}
                {shownLine !== null && <Distributions line={shownLine} unit={unit} />}
            </div>
            <DataTable
                label="Differences"
                sortParam="comparesort"
                columns={columnsOf(unit, all, grouping, common?.verdict ?? null)}
                rows={rows}
                rowKey={(row) => row.key}
                sort={(value, descending) => visibleRows(sortTree(all, value, descending), isOpen)}
                tree={{
                    level: (row) => row.level,
                    isOpen: (row) => (row.hasInside ? isOpen(row) : null),
                    toggle: (row) => {
                        const next = new Set(toggled);
                        if (!next.delete(row.key)) next.add(row.key);
                        setToggled(next);
                    },
                }}
                isSelected={(row) =>
                    row.line !== null ? row.line.id === selected?.id : `row ${row.key}` === chosen
                }
                onSelect={(row, isWalk) => {
                    if (row.line !== null) select(row.line, isWalk);
                    else page.store.set({ diff: `row ${row.key}`, sel: null }, undefined, isWalk);
                }}
                caption={
                    <>
                        {props.blocks.length > 1 && <BlockOf {...props} />}
                        <Choice label="Group" options={GROUPS} value={grouping} onChange={setBy} />
                        <span class="muted">
                            before: {show(props.name)}, {plural(block.runsBefore, "run")}; after:{" "}
                            {plural(block.runsAfter, "run")}; matched by{" "}
                            {block.matchedBy === "handles" ? "debug handles" : "names in order"}
                        </span>
                        {common !== null && (
                            <span class="common-verdict">
                                {describe(common.verdict).mark} {describe(common.verdict).word} in{" "}
                                {common.count} of {common.of} rows
                                {common.reason !== null && `: ${show(common.reason)}`}
                            </span>
                        )}
                    </>
                }
            />
        </>
    );
}

const MOST_MEASURED = 3;

/** Which parts were measured slower and which faster, also where no test decides whether they are. */
function Measured(props: {
    lines: readonly Difference[];
    unit: Unit;
    select: (line: Difference) => void;
}) {
    const { slower, faster } = useMemo(() => measuredChanges(props.lines), [props.lines]);
    const said = (lines: readonly Difference[]) => [
        ...lines.slice(0, MOST_MEASURED).map((line) => {
            const { mark, word } = describe(line.verdict);
            return (
                <li key={line.id}>
                    <button type="button" class="link" onClick={() => props.select(line)}>
                        <Name text={nameOf(line)} longest={60} ends />
                    </button>
                    <span class="number">
                        {sayChange(line.change, props.unit)} {props.unit.name}
                    </span>
                    <span class="muted">
                        {mark} {word}
                    </span>
                </li>
            );
        }),
        lines.length > MOST_MEASURED && (
            <li key="more" class="muted">
                and {lines.length - MOST_MEASURED} more
            </li>
        ),
    ];
    if (slower.length + faster.length === 0) return null;
    return (
        <dl class="measured" aria-label="Measured changes">
            {[
                { title: "Measured slower", lines: slower },
                { title: "Measured faster", lines: faster },
            ].map(({ title, lines }) => (
                <div key={title}>
                    <dt>{title}</dt>
                    <dd>{lines.length === 0 ? "nothing" : <ul>{said(lines)}</ul>}</dd>
                </div>
            ))}
        </dl>
    );
}

/** Which runs are compared, where there are several kinds. */
function BlockOf(props: { block: ComparedBlock; blocks: readonly ComparedBlock[] }) {
    const page = usePage();
    const title = ({ before, after }: ComparedBlock) =>
        show(page.operators.blocks[after ?? before ?? -1]?.title ?? "runs");
    return (
        <label class="block-choice">
            Runs{" "}
            <select
                value={String(props.block.id)}
                onChange={(event) => {
                    const block = props.blocks.find(
                        ({ id }) => String(id) === event.currentTarget.value,
                    );
                    const shown = block?.after ?? block?.before ?? null;
                    page.store.set({ block: String(shown ?? ""), sel: null, diff: null });
                }}
            >
                {props.blocks.map((block) => (
                    <option key={block.id} value={String(block.id)}>
                        {title(block)}
                    </option>
                ))}
            </select>
        </label>
    );
}

/** The line that was chosen here, or that of the operator that was chosen elsewhere. */
function selectedLine(
    selection: ReturnType<typeof usePage>["selection"],
    block: ComparedBlock,
    chosen: string,
): Difference | null {
    if (selection?.kind !== "operator") return null;
    const has = (line: Difference) =>
        line.operatorsAfter.includes(selection.id) || line.operatorsBefore.includes(selection.id);
    return (
        block.lines.find((line) => String(line.id) === chosen && has(line)) ??
        block.lines.find(has) ??
        null
    );
}

type Unit = ReturnType<typeof chooseUnit>;

function columnsOf(
    unit: Unit,
    rows: readonly Row[],
    grouping: Grouping,
    common: Verdict | null,
): Column<Row>[] {
    const most =
        largestOf(rows, (row) =>
            row.line === null || row.line.parent !== null ? Math.abs(row.change ?? 0) : 0,
        ) || 1;
    const isGrouped = rows[0]?.line === null;
    const hasKinds = !isGrouped && rows.some((row) => row.line !== null && row.line.kind !== null);
    const columns: (Column<Row> | false)[] = [
        {
            key: "instruction",
            title: "#",
            hint: "number of the instruction",
            width: "40px",
            align: "right",
            hideBelow: 900,
            value: (row) => row.line?.instruction ?? null,
            cell: (row) =>
                row.level <= 1 && <span class="muted">{row.line?.instruction ?? null}</span>,
        },
        {
            key: "operator",
            title:
                GROUPS.find(({ value }) => value === grouping && value !== "none")?.title ??
                "operator",
            width: "auto",
            value: (row) => row.name,
            cell: (row) => (
                <Name
                    text={row.name}
                    class={row.line === null ? "group" : undefined}
                    longest={70}
                    ends
                />
            ),
        },
        {
            key: "before",
            title: `before ${unit.name}`,
            hint: "median time per run; of a group, of what its operators take together",
            width: "72px",
            align: "right",
            value: (row) => row.before?.lower ?? null,
            copies: timeCopies("before", unit, (row) => row.before),
            cell: (row) => row.before && formatTime(row.before, unit),
        },
        {
            key: "after",
            title: `after ${unit.name}`,
            hint: "median time per run; of a group, of what its operators take together",
            width: "72px",
            align: "right",
            value: (row) => row.after?.lower ?? null,
            copies: timeCopies("after", unit, (row) => row.after),
            cell: (row) => row.after && formatTime(row.after, unit),
        },
        {
            key: "change",
            title: "change",
            hint: "of the medians",
            width: "72px",
            align: "right",
            value: (row) => row.change,
            copies: { [nameOfTime("change", unit)]: (row) => row.change },
            cell: (row) => row.change !== null && sayChange(row.change, unit),
        },
        {
            key: "bar",
            title: "less · more",
            width: "110px",
            hideBelow: 1000,
            cell: (row) => row.change !== null && <ChangeBar row={row} of={most} />,
        },
        {
            key: "ratio",
            title: "%",
            hint: "change as a part of the median before",
            width: "60px",
            align: "right",
            hideBelow: 480,
            value: ratioOf,
            cell: (row) => formatRatio(ratioOf(row)),
        },
        {
            key: "interval",
            title: "95 % interval",
            hint: "how much longer a run takes",
            width: "140px",
            align: "right",
            hideBelow: isGrouped ? 1150 : 900,
            value: (row) => row.line?.interval?.lower ?? null,
            copies: {
                [nameOfTime("change_low", unit)]: (row) => row.line?.interval?.lower ?? null,
                [nameOfTime("change_high", unit)]: (row) => row.line?.interval?.upper ?? null,
            },
            cell: (row) => row.line?.interval && sayInterval(row.line.interval, unit),
        },
        {
            key: "verdict",
            title: "verdict",
            width: isGrouped ? "200px" : "128px",
            hideBelow: isGrouped ? 900 : 560,
            value: (row) =>
                row.line === null ? sayMembers(row.members) : describe(row.line.verdict).word,
            cell: (row) => <VerdictCell row={row} common={common} />,
        },
        hasKinds && {
            key: "kind",
            title: "what",
            hint: "whether the operators of both sides are the same",
            width: "108px",
            hideBelow: 760,
            value: (row: Row) => row.line?.kind ?? null,
            cell: (row: Row) => row.line?.kind,
        },
    ];
    return columns.filter((column) => column !== false);
}

/** What most rows have is said above the table: a mark of it stands in theirs. */
function VerdictCell(props: { row: Row; common: Verdict | null }) {
    const { line, members } = props.row;
    if (line === null) {
        return <span title={sayMembers(members)}>{sayMembers(members)}</span>;
    }
    const { mark, word, brief } = describe(line.verdict);
    if (line.verdict === props.common) {
        return (
            <span class="verdict" data-verdict={line.verdict} title={line.reason ?? word}>
                <span role="img" aria-label={word}>
                    {mark}
                </span>
            </span>
        );
    }
    return (
        <span class="verdict" data-verdict={line.verdict} title={line.reason ?? word}>
            {mark} {brief ?? word}
        </span>
    );
}

/** From the middle: less to the left, more to the right; hatched without a verdict. */
function ChangeBar(props: { row: Row; of: number }) {
    const { row, of } = props;
    const part = 50 * Math.min(1, Math.abs(row.change ?? 0) / of);
    const isLess = (row.change ?? 0) < 0;
    const verdict = row.line?.verdict ?? "none";
    const kind = verdict === "faster" || verdict === "slower" ? verdict : "unclear";
    return (
        <span class="change-bar">
            <span
                data-kind={kind}
                style={{ left: `${isLess ? 50 - part : 50}%`, width: `${part}%` }}
            />
        </span>
    );
}
