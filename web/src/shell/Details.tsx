/** The pane on the right: all that is known of the selection, the same in every view. */
import { CopyButton } from "../parts/CopyButton";
import { Name } from "../parts/Name";
import { RangeBar } from "../parts/RangeBar";
import { barKind } from "../state/filter";
import { listOf } from "../state/joins";
import { ownShare, shareWithCalls } from "../state/line_shares";
import { moduleShares } from "../state/modules";
import { type Page, useLoaded, usePage } from "../state/page";
import { parseSelection, type Selection } from "../state/selection";
import { formatShare, plural, sayTime } from "../text/format";
import { show } from "../text/show";
import { VIEWS } from "../views";
import { isAvailable } from "./available";
import { type Fact, operatorsFact, placesFact } from "./facts";
import { Glance } from "./Glance";
import { SHAPE_TABLES, shapeFacts } from "./shapes";

interface Described {
    kind: string;
    title: string;
    facts: Fact[];
}

const TABLES = ["lines", "modules", ...SHAPE_TABLES];

export function Details(props: { ofTimes: boolean }) {
    const page = usePage();
    const { selection } = page;
    useLoaded(TABLES);
    const described = selection === null ? null : describe(page, selection);
    if (selection === null || described === null) return <Glance ofTimes={props.ofTimes} />;
    const links = VIEWS.filter(
        (view) =>
            view.id !== page.store.view &&
            view.shows?.includes(selection.kind) &&
            isAvailable(view, page.document),
    );
    return (
        <aside class="details" aria-label="Details">
            <button
                type="button"
                class="quiet close"
                aria-label="Close the details"
                title="Close (Escape)"
                onClick={() => page.select(null)}
            >
                ×
            </button>
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
            </p>
        </aside>
    );
}

/** What a screen reader says of a new selection; "": nothing. */
export function saySelection(page: Page): string {
    const described = page.selection === null ? null : describe(page, page.selection);
    return described === null ? "" : `selected: ${described.kind} ${show(described.title)}`;
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
    const inside = operators.children.get(id) ?? [];
    const isCall = operators.event(id) === "DELEGATE_CALL" && inside.length > 0;
    if (isCall) facts.push(operatorsFact(page, "inside, in order", inside, true));
    facts.push(...placesFact(page, "line", listOf(operators.source(id)), MOST_PLACES));
    facts.push(...placesFact(page, "module", listOf(operators.module(id)), MOST_PLACES));
    /* Where only the call is known, its nodes are those of the whole call. */
    if (operators.tie(id) !== "call" && operators.depth.get(id) !== 0) {
        facts.push(...shapeFacts(page, new Set(page.joins.nodesOfOperator(id))));
    }
    const table = operators.table;
    text("in the graph", table.textOrNone("op_types")(id));
    if (!isCall) text("handles", eachOnce(table.textOrNone("debug_handles")(id)));
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

const MOST_PLACES = 8;

/** "[1,2,2]" without what it says again; null where there is none. */
const eachOnce = (handles: string | null): string | null => {
    const found = new Set(handles?.match(/\d+/g) ?? []);
    return found.size === 0 ? null : [...found].join(", ");
};

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
    const { name } = selection;
    return {
        kind: selection.kind === "line" ? "source line" : "module",
        title: name,
        facts: [
            ...(selection.kind === "line"
                ? [...sharesOfLine(page, name), ...operatorsOfLine(page, name)]
                : [
                      ...shareOfModule(page, name),
                      ...linesOfModule(page, name),
                      ...operatorsOfModule(page, name),
                  ]),
        ],
    };
}

function sharesOfLine(page: Page, name: string): Fact[] {
    return [
        { name: "self", share: ownShare(page, name) },
        { name: "with what it calls", share: shareWithCalls(page, name) },
    ].flatMap(({ name, share }) => {
        const said = `${formatShare(share)} of a run`;
        return share === null ? [] : [{ name, value: said, text: said }];
    });
}

/** Its own, and apart from them those that it calls. */
function operatorsOfLine(page: Page, name: string): Fact[] {
    const { joins } = page;
    const own = new Set(joins.operatorsAtLine(name));
    const called = joins.operatorsBelowLine(name).filter((id) => !own.has(id));
    const facts = [operatorsFact(page, "operators", costliestFirst(page, own))];
    if (called.length === 0) return facts;
    const below = operatorsFact(page, "operators that it calls", costliestFirst(page, called));
    return own.size === 0 ? [below] : [...facts, below];
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
    return placesFact(page, "line", [...found], MOST_LINES);
}

/** The operators of a selection in the block that is shown, the most expensive first. */
const idsOf = (page: Page, selection: Selection): number[] =>
    costliestFirst(page, page.joins.operatorsOf(selection) ?? []);

function costliestFirst(page: Page, ids: Iterable<number>): number[] {
    const least = (id: number) => page.operators.share(id)?.lower ?? 0;
    return [...ids]
        .filter((id) => page.operators.block(id) === page.block?.id)
        .sort((a, b) => least(b) - least(a));
}

const membersOf = (page: Page, selection: Selection): Fact =>
    operatorsFact(page, "operators", idsOf(page, selection));

/** A module's own, and apart from them those that other modules have a part of. */
function operatorsOfModule(page: Page, name: string): Fact[] {
    const isInside = (module: string) => module === name || module.startsWith(`${name}.`);
    const isOwn = (id: number) => listOf(page.operators.module(id)).every(isInside);
    const ids = idsOf(page, { kind: "module", name });
    const isInnermost = (id: number) => (page.operators.children.get(id)?.length ?? 0) === 0;
    const own = ids.filter((id) => isOwn(id) && isInnermost(id));
    const shared = ids.filter((id) => !isOwn(id));
    const facts = own.length > 0 ? [operatorsFact(page, "operators", own)] : [];
    if (shared.length > 0) {
        facts.push(operatorsFact(page, "shared with other modules, whole", shared));
    }
    return facts;
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
    facts.push(...shapeFacts(page, new Set([id])));
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
