/** The operators, modules and lines that take most of a run. */
import { Name } from "../../parts/Name";
import { Place } from "../../parts/Place";
import { RangeBar } from "../../parts/RangeBar";
import { barKind } from "../../state/filter";
import { moduleShares } from "../../state/modules";
import { type Page, usePage } from "../../state/page";
import type { Selection } from "../../state/selection";
import { formatShare, largestOf, type Range } from "../../text/format";
import { showCode } from "../../text/show";
import { linesOf } from "../source/lines";

const SHOWN = 8;
const SHOWN_MODULES = 6;

interface Item {
    key: string;
    name: string;
    /** Beside the name: where it is, or what it says. */
    place: string | null;
    /** Which of both is a source line. */
    source?: "name" | "place";
    share: Range;
    kind: string;
    selection: Selection;
}

export function MostExpensiveOperators() {
    const page = usePage();
    return <List items={topOperators(page)} view="operators" />;
}

export function MostExpensiveModules() {
    const page = usePage();
    return <List items={topModules(page).slice(0, SHOWN_MODULES)} view="graph" />;
}

export function MostExpensiveLines() {
    const page = usePage();
    return <List items={topLines(page)} view="source" />;
}

/** Of what is directly inside the run: a delegate call counts as a whole. */
function topOperators(page: Page): Item[] {
    const { operators, block } = page;
    if (block?.whole == null) return [];
    return topOf(
        (operators.children.get(block.whole) ?? []).flatMap((id) => {
            const share = operators.share(id);
            if (share === null) return [];
            const isCall = operators.event(id) === "DELEGATE_CALL";
            const name = (isCall ? operators.backend(id) : null) ?? operators.name(id) ?? "";
            return {
                key: String(id),
                name: `${operators.instruction(id) ?? ""} ${name}`.trim(),
                place: operators.source(id),
                source: "place" as const,
                share,
                kind: barKind(operators, id),
                selection: { kind: "operator", id },
            };
        }),
    );
}

function topModules(page: Page): Item[] {
    return topOf(
        [...moduleShares(page)].map(([name, share]) => ({
            key: name,
            name,
            place: null,
            share,
            kind: "mixed",
            selection: { kind: "module", name },
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

function List(props: { items: Item[]; view: string }) {
    const page = usePage();
    const full = largestOf(props.items, (item) => item.share.upper) || 1;
    return (
        <ul class="most">
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
                    {item.place !== null && item.source === "place" && (
                        <span class="place muted">
                            <Place text={item.place} whole />
                        </span>
                    )}
                    {item.place !== null && item.source !== "place" && (
                        <span class="place muted" title={showCode(item.place)}>
                            {showCode(item.place)}
                        </span>
                    )}
                </li>
            ))}
        </ul>
    );
}
