/** The kernels, modules and lines that take most of a run. */
import { Name } from "../../parts/Name";
import { Place } from "../../parts/Place";
import { RangeBar } from "../../parts/RangeBar";
import { barKind } from "../../state/filter";
import { lastSteps } from "../../state/module_tree";
import { depthOfModules, moduleShares } from "../../state/modules";
import { type Page, usePage } from "../../state/page";
import type { Selection } from "../../state/selection";
import { formatShare, largestOf, plural, type Range } from "../../text/format";
import { showCode } from "../../text/show";
import { linesOf } from "../source/lines";
import { partOf } from "../../state/operators";

const SHOWN = 8;
const SHOWN_MODULES = 6;

interface Item {
    key: string;
    name: string;
    /** Beside the name: where it is, or what it says. */
    place: string | null;
    /** The name is a source line, the place its code. */
    source?: "name";
    share: Range;
    kind: string;
    selection: Selection;
}

export function MostExpensiveKernels() {
    const page = usePage();
    return <List items={topKernels(page)} view="operators" class="kinds" />;
}

export function MostExpensiveModules() {
    const page = usePage();
    return <List items={topModules(page).slice(0, SHOWN_MODULES)} view="graph" />;
}

export function MostExpensiveLines() {
    const page = usePage();
    return <List items={topLines(page)} view="source" />;
}

/** Kernels of one kind, inside delegates too: "Fully Connected (NC, F32) GEMM, 9 calls". */
function topKernels(page: Page): Item[] {
    const { operators, block, blockOperators } = page;
    if (block?.whole == null) return [];
    const kinds = new Map<string, Item & { calls: number; ids: number[] }>();
    for (const id of blockOperators) {
        const share = operators.share(id);
        const hasInside = (operators.children.get(id) ?? []).some((child) =>
            operators.isTimed(child),
        );
        if (id === block.whole || share === null || hasInside || !operators.isTimed(id)) continue;
        const isCall = operators.event(id) === "DELEGATE_CALL";
        const name =
            (isCall ? operators.backend(id) : null) ??
            (operators.name(id) ?? "").replace(/ #\d+$/, "");
        const key = `${operators.backend(id) ?? ""} ${name}`;
        const known = kinds.get(key);
        const sum = known?.share ?? { lower: 0, upper: 0 };
        kinds.set(key, {
            key,
            name,
            place: null,
            share: { lower: sum.lower + share.lower, upper: sum.upper + share.upper },
            kind: barKind(operators, id),
            selection: { kind: "operator", id },
            calls: (known?.calls ?? 0) + (operators.calls(id) ?? 1),
            ids: [...(known?.ids ?? []), id],
        });
    }
    return topOf(
        [...kinds.values()].map(({ calls, ids, ...item }) => ({
            ...item,
            share: partOf(item.share, 1),
            place: plural(calls, "call"),
            selection: ids.length === 1 ? item.selection : { kind: "operators", ids },
        })),
    );
}

/**
 * Modules beside each other, none inside of another: of the depth where none takes most of a run
 * alone, and what ends above it.
 */
function topModules(page: Page): Item[] {
    const all = [...moduleShares(page)].map(([path, share]) => ({
        path,
        share,
        steps: path.split("."),
    }));
    const depth = depthOfModules(page);
    const hasInside = (path: string) => all.some((other) => other.path.startsWith(`${path}.`));
    return topOf(
        all
            .filter(
                ({ path, steps }) =>
                    steps.length === depth || (steps.length < depth && !hasInside(path)),
            )
            .map(({ path, share, steps }) => ({
                key: path,
                name: lastSteps(path),
                place: steps.slice(0, -lastSteps(path).split(".").length).join("."),
                share,
                kind: "mixed",
                selection: { kind: "module", name: path },
            })),
    );
}

function topLines(page: Page): Item[] {
    return topOf(
        linesOf(page).flatMap((line) => {
            if (line.file === null || line.share === null) return [];
            return {
                key: line.key,
                name: line.key,
                place: line.code,
                source: "name" as const,
                share: line.share,
                kind: "mixed",
                selection: { kind: "line", name: line.key },
            };
        }),
    );
}

const topOf = (items: Item[]): Item[] =>
    items
        .sort((a, b) => b.share.lower - a.share.lower || b.share.upper - a.share.upper)
        .slice(0, SHOWN);

function List(props: { items: Item[]; view: string; class?: string }) {
    const page = usePage();
    const full = largestOf(props.items, (item) => item.share.upper) || 1;
    return (
        <ul class={`most ${props.class ?? ""}`}>
            {props.items.map((item) => (
                <li key={item.key}>
                    <RangeBar range={item.share} of={full} kind={item.kind} />
                    <span class="number">{formatShare(item.share)}</span>
                    <button
                        type="button"
                        class="link"
                        onClick={() => page.select(item.selection, props.view)}
                    >
                        {item.source === "name" ? (
                            <Place text={item.name} />
                        ) : (
                            <Name text={item.name} longest={48} />
                        )}
                    </button>
                    {item.place !== null && item.source !== "name" && (
                        <span class="place muted">
                            <Name text={item.place} longest={48} />
                        </span>
                    )}
                    {item.place !== null && item.source === "name" && (
                        <span class="place muted" title={showCode(item.place)}>
                            {showCode(item.place)}
                        </span>
                    )}
                </li>
            ))}
        </ul>
    );
}
