/** The pane on the right: all that is known of the selection, the same in every view. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { CopyButton } from "../parts/CopyButton";
import { Name } from "../parts/Name";
import { RangeBar } from "../parts/RangeBar";
import { barKind } from "../state/filter";
import { listOf } from "../state/joins";
import { moduleShares } from "../state/modules";
import { type Page, useLoaded, usePage } from "../state/page";
import { parseSelection, type Selection } from "../state/selection";
import { formatShare, plural, sayTime } from "../text/format";
import { show } from "../text/show";
import { VIEWS } from "../views";
import { isAvailable } from "./available";
import { Glance } from "./Glance";

interface Fact {
    name: string;
    value: ComponentChildren;
    /** For copies. */
    text: string;
}

interface Described {
    kind: string;
    title: string;
    facts: Fact[];
}

export function Details(props: { ofTimes: boolean }) {
    const page = usePage();
    const { selection } = page;
    useLoaded(["lines", "modules"]);
    const described = selection === null ? null : describe(page, selection);
    const said = described === null ? "" : `selected: ${described.kind} ${show(described.title)}`;
    useEffect(() => {
        if (said !== "") page.announce(said);
    }, [said]);
    if (selection === null || described === null) return <Glance ofTimes={props.ofTimes} />;
    const links = VIEWS.filter(
        (view) =>
            view.id !== page.store.view &&
            view.shows?.includes(selection.kind) &&
            isAvailable(view, page.document),
    );
    return (
        <aside class="details" aria-label="Details">
            <p class="kind">{described.kind}</p>
            <h2>
                <Name text={described.title} />
            </h2>
            <dl>
                {described.facts.map((fact) => (
                    <div key={fact.name}>
                        <dt>{fact.name}</dt>
                        <dd>{fact.value}</dd>
                    </div>
                ))}
            </dl>
            <p class="actions">
                {links.length > 0 && <span class="muted">Show in</span>}
                {links.map((view) => (
                    <button type="button" key={view.id} onClick={() => page.store.set({}, view.id)}>
                        {view.title}
                    </button>
                ))}
                <CopyButton text={() => asText(described)}>Copy</CopyButton>
                <button type="button" class="quiet" onClick={() => page.select(null)}>
                    Clear
                </button>
            </p>
        </aside>
    );
}

function asText(described: Described): string {
    const lines = described.facts.map((fact) => `${fact.name}: ${fact.text}`);
    return `${[`${described.kind} ${show(described.title)}`, ...lines].join("\n")}\n`;
}

function describe(page: Page, selection: Selection): Described | null {
    switch (selection.kind) {
        case "operator":
            return page.operators.isShown(selection.id)
                ? describeOperator(page, selection.id)
                : null;
        case "operators":
            return {
                kind: "selection",
                title: plural(selection.ids.length, "operator"),
                facts: [membersOf(page, selection)],
            };
        case "line":
        case "module":
            return describePlace(page, selection);
        case "node":
            return describeNode(page, selection.id);
        case "run":
            return describeRun(page, selection.id);
        case "range":
            return describeRange(page, selection.from, selection.to);
        default:
            return null;
    }
}

const TIES = new Map([
    ["map", "by the backend's map of debug handles"],
    ["node", "by its node in the delegate"],
    ["near", "by the nearest node of the delegate that fits"],
    ["call", "only its delegate call is known: lines and modules are those of the whole call"],
]);

function describeOperator(page: Page, id: number): Described {
    const { operators } = page;
    const facts: Fact[] = [];
    const text = (name: string, value: string | null) => {
        if (value) facts.push({ name, value: <Name text={value} />, text: show(value) });
    };
    const unit = operators.unit(id);
    const time = (name: string, statistic: "p50" | "mid" | "min" | "max" | "avg") => {
        const said = sayTime(operators.time(id, statistic), unit);
        facts.push({ name, value: said, text: said });
    };
    const block = operators.blocks[operators.block(id) ?? -1];
    if (!operators.isTimed(id)) {
        text("time", "unknown: the delegate measured it with a clock of its own");
    } else {
        const share = operators.share(id);
        const value = (
            <>
                {formatShare(share)} of a run{" "}
                <RangeBar range={share} of={1} kind={barKind(operators, id)} />
            </>
        );
        facts.push({ name: "share", value, text: `${formatShare(share)} of a run` });
        time("p50", "p50");
        if (block !== undefined && block.runs > 1) {
            const least = sayTime(operators.time(id, "min"), unit);
            const most = sayTime(operators.time(id, "max"), unit);
            text("range", least === most ? least : `${least} to ${most}`);
            text("over", plural(block.runs, "run"));
        }
    }
    const calls = operators.calls(id) ?? 1;
    if (calls !== 1) text("calls", `${calls} in a run`);
    text("kernel", operators.kernel(id));
    text("backend", operators.backend(id));
    const said = (column: string) => operators.table.textOrNone(column)(id);
    text("outside", sayWhyOut(said("why_out"), said("why_out_by")));
    text("to let it in", operators.table.textOrNone("remedy")(id));
    const instruction = operators.instruction(id);
    if (instruction !== null) text("instruction", String(instruction));
    const lines = listOf(operators.source(id));
    if (lines.length > 0) {
        const value = lines.map((line) => (
            <Link
                key={line}
                text={line}
                onClick={() => page.select({ kind: "line", name: line })}
            />
        ));
        facts.push({
            name: lines.length > 1 ? "lines" : "line",
            value,
            text: lines.map(show).join(", "),
        });
    }
    const modules = listOf(operators.module(id));
    if (modules.length > 0) {
        const value = modules.map((module) => (
            <Link
                key={module}
                text={module}
                onClick={() => page.select({ kind: "module", name: module })}
            />
        ));
        facts.push({
            name: modules.length > 1 ? "modules" : "module",
            value,
            text: modules.map(show).join(", "),
        });
    }
    const table = operators.table;
    text("in the graph", table.textOrNone("op_types")(id));
    text(
        "handles",
        table
            .textOrNone("debug_handles")(id)
            ?.replace(/^\[\]$/, "") ?? null,
    );
    text("joined", TIES.get(operators.tie(id) ?? "") ?? null);
    if (table.numberOrNone("inferred")(id) === 1) text("order", "inferred inside control flow");
    text("metadata", table.textOrNone("metadata")(id));
    findingsOf(page, id).forEach((finding, i) => {
        const { sentence, action } = finding;
        text(i === 0 ? "found" : `found ${i + 1}`, sentence);
        text(i === 0 ? "to do" : `to do ${i + 1}`, action ?? null);
    });
    return {
        kind: operators.depth.get(id) === 0 ? "whole run" : "operator",
        title: operators.name(id) ?? "",
        facts,
    };
}

/** Why a kernel is outside of delegates, and by whose rules. */
const sayWhyOut = (why: string | null, by: string | null): string | null =>
    why && by && `${why}, by ${by}`;

/** What was found about an operator. */
const findingsOf = (page: Page, id: number) =>
    page.document.head.findings.filter(({ select }) => {
        const selection = parseSelection(select ?? "");
        if (selection?.kind === "operators") return selection.ids.includes(id);
        return selection?.kind === "operator" && selection.id === id;
    });

function describePlace(
    page: Page,
    selection: { kind: "line" | "module"; name: string },
): Described {
    return {
        kind: selection.kind === "line" ? "source line" : "module",
        title: selection.name,
        facts: [
            ...(selection.kind === "line"
                ? shareOfLine(page, selection.name)
                : [...shareOfModule(page, selection.name), ...linesOfModule(page, selection.name)]),
            membersOf(page, selection),
        ],
    };
}

/** Of a source line, as table `lines` knows it. */
function shareOfLine(page: Page, name: string): Fact[] {
    if (!page.document.isLoaded("lines")) return [];
    const table = page.document.table("lines");
    const [block, file, line] = [table.number("block"), table.text("file"), table.number("line")];
    const [lower, upper] = [table.number("share"), table.number("share_upper")];
    for (let row = 0; row < table.rows; row++) {
        const share = lower(row);
        if (block(row) !== page.block?.id || share === null) continue;
        if (`${file(row)}:${line(row)}` !== name) continue;
        const said = `${formatShare({ lower: share, upper: upper(row) ?? share })} of a run`;
        return [{ name: "share", value: said, text: said }];
    }
    return [];
}

/** Of a module, as the first screen tells it. */
function shareOfModule(page: Page, name: string): Fact[] {
    const share = moduleShares(page).get(name);
    if (share === undefined) return [];
    const said = `${formatShare(share)} of a run, of what is reported`;
    return [{ name: "share", value: said, text: said }];
}

const MOST_LINES = 12;

/** The source lines of its nodes, in the order of the graph. */
function linesOfModule(page: Page, name: string): Fact[] {
    const nodes = page.document.table("nodes");
    const [module, file, line] = [nodes.text("module"), nodes.text("file"), nodes.number("line")];
    const found = new Set<string>();
    for (let id = 0; id < nodes.rows; id++) {
        const own = module(id) ?? "";
        if (own !== name && !own.startsWith(`${name}.`)) continue;
        if (file(id) !== null) found.add(`${file(id)}:${line(id)}`);
    }
    const lines = [...found];
    if (lines.length === 0) return [];
    const value = lines
        .slice(0, MOST_LINES)
        .map((text) => (
            <Link
                key={text}
                text={text}
                onClick={() => page.select({ kind: "line", name: text })}
            />
        ));
    const more = lines.length > MOST_LINES ? ` (${MOST_LINES} of ${lines.length})` : "";
    const title = lines.length > 1 ? `lines${more}` : "line";
    return [{ name: title, value, text: lines.map(show).join(", ") }];
}

const MOST_MEMBERS = 30;

/** The operators of a selection in the block that is shown: a module's own, then the most expensive. */
function membersOf(page: Page, selection: Selection): Fact {
    const ids = [...(page.joins.operatorsOf(selection) ?? [])].filter(
        (id) => page.operators.block(id) === page.block?.id,
    );
    const least = (id: number) => page.operators.share(id)?.lower ?? 0;
    const isOwn = (id: number) => {
        if (selection.kind !== "module") return true;
        const modules = listOf(page.operators.module(id));
        return modules.length === 1 && modules[0] === selection.name;
    };
    ids.sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || least(b) - least(a));
    const value = (
        <ol class="members">
            {ids.slice(0, MOST_MEMBERS).map((id) => (
                <li key={id}>
                    <Link
                        text={page.operators.name(id) ?? ""}
                        onClick={() => page.select({ kind: "operator", id })}
                    />
                    <span class="number">{formatShare(page.operators.share(id))}</span>
                </li>
            ))}
        </ol>
    );
    const names = ids.map((id) => show(page.operators.name(id) ?? "")).join(", ");
    const more = ids.length > MOST_MEMBERS ? ` (${MOST_MEMBERS} of ${ids.length})` : "";
    return { name: `operators${more}`, value, text: names };
}

function describeNode(page: Page, id: number): Described | null {
    const nodes = page.document.table("nodes");
    if (id >= nodes.rows) return null;
    const facts: Fact[] = [];
    const text = (name: string, value: string | null) => {
        if (value) facts.push({ name, value: <Name text={value} />, text: show(value) });
    };
    text("operator", nodes.text("op")(id));
    text("module", nodes.text("module")(id));
    const file = nodes.text("file")(id);
    const line = nodes.number("line")(id);
    if (file !== null && line !== null) text("line", `${file}:${line}`);
    text("code", nodes.text("code")(id)?.trim() ?? null);
    text("method", nodes.text("method")(id));
    const handle = nodes.number("debug_handle")(id);
    if (handle !== null) text("handle", String(handle));
    const members = membersOf(page, { kind: "node", id });
    if (members.text !== "") facts.push(members);
    const others = sharedWith(page, id);
    if (others > 0)
        text(
            "shared",
            `${plural(others, "other node")} came from the same operators; the trace does not tell them apart`,
        );
    return { kind: "node", title: nodes.text("name")(id) ?? "", facts };
}

/** How many other nodes its operators may have come from. */
function sharedWith(page: Page, id: number): number {
    const nodes = new Set<number>();
    for (const operator of page.joins.operatorsOf({ kind: "node", id }) ?? []) {
        const isCall = (page.operators.children.get(operator)?.length ?? 0) > 0;
        if (isCall || page.operators.block(operator) !== page.block?.id) continue;
        for (const node of page.joins.nodesOfOperator(operator)) nodes.add(node);
    }
    return Math.max(0, nodes.size - 1);
}

function describeRun(page: Page, id: number): Described | null {
    const runs = page.document.table("runs");
    if (id >= runs.rows) return null;
    const unit = page.operators.blocks[runs.number("block")(id) ?? -1]?.unit ?? "ns";
    const time = runs.number("time")(id);
    const said = time === null ? "unknown" : sayTime({ lower: time, upper: time }, unit);
    const facts: Fact[] = [
        { name: "time", value: said, text: said },
        {
            name: "events",
            value: String(runs.number("events")(id)),
            text: String(runs.number("events")(id)),
        },
    ];
    if (runs.number("partial")(id) === 1) {
        const lost = "its start was lost";
        facts.push({ name: "partial", value: lost, text: lost });
    }
    return { kind: "run", title: `run ${runs.number("number")(id)}`, facts };
}

/** Counted from the start of the block's first run. */
function describeRange(page: Page, from: number, to: number): Described {
    const unit = page.block?.unit ?? "ns";
    const facts = [
        { name: "length", at: to - from },
        { name: "from", at: from },
        { name: "to", at: to },
    ].map(({ name, at }) => {
        const said = at < 0 ? "before the first run" : sayTime({ lower: at, upper: at }, unit);
        return { name, value: said, text: said };
    });
    return { kind: "range", title: facts[0]?.text ?? "", facts };
}

function Link(props: { text: string; onClick: () => void }) {
    return (
        <button type="button" class="link" onClick={props.onClick}>
            <Name text={props.text} />
        </button>
    );
}
