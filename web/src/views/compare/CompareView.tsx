/** What became faster or slower than in another trace: the verdict, its parts, every operator. */
import { useMemo } from "preact/hooks";
import { Choice } from "../../parts/Choice";
import { DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import { useOpened } from "../../parts/tree";
import {
    type ComparedBlock,
    DIFFERENCE_TABLES,
    type Difference,
    type Differences,
    differencesOf,
} from "../../state/differences";
import { useFilter, usePage, useParam } from "../../state/page";
import { chooseUnit, formatTime, largestOf, plural } from "../../text/format";
import { show } from "../../text/show";
import { runSumsOf, timesOf } from "../../state/run_sums";
import { sortTree, visibleRows } from "../operators/rows";
import type { View } from "../view";
import { Distributions } from "./Distributions";
import { columnsOf, formatRatio } from "./columns";
import { Measured } from "./Measured";
import {
    commonVerdict,
    describe,
    GROUPS,
    type Grouping,
    makeRows,
    type Row,
    sayChange,
} from "./rows";
import { groupParts, outerParts } from "./steps";
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
    const { isOpen, toggle, decided } = useOpened<Row>((row) => row.isOpenAtFirst);
    const rows = useMemo(() => visibleRows(all, isOpen), [all, decided]);
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
                    toggle,
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
