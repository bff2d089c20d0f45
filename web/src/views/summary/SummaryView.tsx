/** The first screen: what was found, in words, and how far it can be believed. */
import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Finding } from "../../document/document";
import { Name } from "../../parts/Name";
import { type Page, usePage } from "../../state/page";
import { parseSelection } from "../../state/selection";
import { RangeBar } from "../../parts/RangeBar";
import { formatBytes, plural } from "../../text/format";
import { show } from "../../text/show";
import { VIEWS } from "..";
import type { View } from "../view";
import { effectOf, orderedFindings, severityOf } from "./findings_order";
import { MostExpensiveKernels, MostExpensiveLines, MostExpensiveModules } from "./MostExpensive";
import { WhereRunGoes } from "./WhereRunGoes";

export const summaryView: View = {
    id: "summary",
    title: "Summary",
    needs: [],
    loads: ["accounts", "lines", "modules"],
    component: Summary,
};

function Summary() {
    const page = usePage();
    const { head } = page.document;
    const isRecorded = page.block === null || page.hasOperators;
    return (
        <div class="summary">
            <section class="headline" aria-label="Headline">
                {head.headline.map((sentence, i) => (
                    <p key={sentence} class={i === 0 ? "first" : undefined}>
                        {show(sentence)}
                    </p>
                ))}
            </section>
            <section aria-labelledby="findings">
                <h2 id="findings">Findings</h2>
                <Findings page={page} />
            </section>
            {page.block !== null && (
                <section aria-labelledby="where">
                    <h2 id="where">
                        Where a run goes
                        <span class="which">
                            {show(page.block.title)}, {plural(page.block.runs, "run")}
                        </span>
                    </h2>
                    <WhereRunGoes />
                    {page.hasOperators && (
                        <>
                            <h2 id="top-kernels">
                                Most expensive kernels
                                <span
                                    class="which"
                                    title="operators of one kind are added up, inside delegates too; of a delegate's call those that it reports, else the call"
                                >
                                    by kind
                                </span>
                            </h2>
                            <MostExpensiveKernels />
                        </>
                    )}
                </section>
            )}
            {isRecorded && page.document.has("modules") && (
                <section aria-labelledby="top-modules">
                    <h2 id="top-modules">
                        Most expensive modules
                        <span
                            class="which"
                            title="without what delegates do not report, and the time between operators"
                        >
                            by reported time
                        </span>
                    </h2>
                    <MostExpensiveModules />
                </section>
            )}
            {isRecorded && page.document.has("lines") && (
                <section aria-labelledby="top-lines">
                    <h2 id="top-lines">
                        Most expensive lines
                        <span
                            class="which"
                            title="an operator of several lines counts at its first; above, such lines are named together, as net.py:24 +1"
                        >
                            by first line
                        </span>
                    </h2>
                    <MostExpensiveLines />
                </section>
            )}
            {head.inputs.length > 0 && <Inputs page={page} />}
            {head.trust.length > 0 && (
                <section aria-labelledby="trust">
                    <h2 id="trust">Trust</h2>
                    <ul class="trust">
                        {head.trust.map((sentence) => (
                            <li key={sentence}>{show(sentence)}</li>
                        ))}
                    </ul>
                </section>
            )}
        </div>
    );
}

function Inputs(props: { page: Page }) {
    const { head } = props.page.document;
    return (
        <section aria-labelledby="inputs">
            <h2 id="inputs">Inputs</h2>
            <ul class="inputs">
                {head.inputs.map((input) => (
                    <li key={`${input.role} ${input.name}`}>
                        <span class="role">{input.role}</span> <Name text={input.name} />{" "}
                        <span class="muted">{formatBytes(input.bytes)}</span>
                    </li>
                ))}
            </ul>
            {head.missing.length > 0 && (
                <ul class="inputs muted">
                    {head.missing.map((missing) => (
                        <li key={missing.view + missing.sentence}>
                            {show(missing.sentence)}
                            {missing.option !== null && (
                                <>
                                    : <code>{show(missing.option)}</code>
                                </>
                            )}
                        </li>
                    ))}
                </ul>
            )}
        </section>
    );
}

/** Shown at first: they are in the order of what they cost. */
const MOST_FINDINGS = 12;

const MARKS = { bad: ["!", "problem"], note: ["i", "note"], good: ["✓", "good"] } as const;

function Findings(props: { page: Page }) {
    const { head } = props.page.document;
    const findings = useMemo(() => orderedFindings(head.findings), [head]);
    const [isAll, setAll] = useState(false);
    if (findings.length === 0) return <p class="muted">No rule found anything to say.</p>;
    const hidden =
        isAll || findings.length <= MOST_FINDINGS + 1 ? 0 : findings.length - MOST_FINDINGS;
    return (
        <>
            <ul class="findings" data-bars={findings.some(effectOf) ? "" : undefined}>
                {findings.slice(0, findings.length - hidden).map((finding) => {
                    const severity = severityOf(finding);
                    const [mark, word] = MARKS[severity] ?? MARKS.note;
                    return (
                        <li
                            key={finding.kind + finding.sentence}
                            data-severity={severity}
                            title={`rule: ${finding.kind}`}
                        >
                            <span class="mark" role="img" aria-label={word}>
                                {mark}
                            </span>
                            <RangeBar range={effectOf(finding)} of={1} />
                            <span class="sentence">
                                {show(finding.sentence)}
                                {typeof finding.action === "string" && (
                                    <span class="action">To do: {show(finding.action)}</span>
                                )}
                            </span>
                            <Open page={props.page} finding={finding} />
                        </li>
                    );
                })}
            </ul>
            {hidden > 0 && (
                <button type="button" onClick={() => setAll(true)}>
                    {hidden} more
                </button>
            )}
        </>
    );
}

/** The button that shows what a finding is about. */
function Open(props: { page: Page; finding: Finding }) {
    const { page, finding } = props;
    const view = VIEWS.find((candidate) => candidate.id === finding.view);
    if (view === undefined) return <Fragment />;
    const selection = parseSelection(finding.select ?? "");
    const open = () => {
        page.select(selection, view.id);
        /* In order of execution, so that the rows are in sight. */
        if (selection !== null && view.id === "operators") page.store.set({ by: "", sort: "" });
        /* What it costs stands on top. */
        if (selection === null && view.id === "operators") page.store.set({ sort: "-share" });
        /* What was chosen before is not what the finding is about. */
        if (view.id === "numbers") page.store.set({ value: "" });
        if (view.id === "memory") page.store.set({ tensor: "", at: "" });
        if (finding.kind === "outside_delegates") page.store.set({ f: "b:portable" });
    };
    return (
        <button type="button" onClick={open}>
            {view.title}
        </button>
    );
}
