/** Parts of what the details pane says. */
import type { ComponentChildren } from "preact";
import { Name } from "../parts/Name";
import type { Page } from "../state/page";
import { formatShare, sayTime } from "../text/format";
import { show } from "../text/show";

export interface Fact {
    name: string;
    value: ComponentChildren;
    /** For copies. */
    text: string;
}

export function Link(props: { text: string; onClick: () => void }) {
    return (
        <button type="button" class="link" onClick={props.onClick}>
            <Name text={props.text} ends />
        </button>
    );
}

/** Places as links, the first of them; how many there are is in the fact's name. */
export function placesFact(
    page: Page,
    kind: "line" | "module",
    places: readonly string[],
    most: number,
): Fact[] {
    if (places.length === 0) return [];
    const more = places.length > most ? ` (${most} of ${places.length})` : "";
    return [
        {
            name: places.length > 1 ? `${kind}s${more}` : kind,
            value: places
                .slice(0, most)
                .map((name) => (
                    <Link key={name} text={name} onClick={() => page.select({ kind, name })} />
                )),
            text: places.map(show).join(", "),
        },
    ];
}

const MOST_MEMBERS = 30;

/** Operators with their shares; `withTimes`: with the median, too. */
export function operatorsFact(
    page: Page,
    title: string,
    ids: readonly number[],
    withTimes = false,
): Fact {
    const { operators } = page;
    const said = (id: number) => {
        const share = formatShare(operators.share(id));
        if (!withTimes) return share;
        return operators.isTimed(id)
            ? `${sayTime(operators.time(id, "p50"), operators.unit(id))}, ${share}`
            : "own clock";
    };
    const value = (
        <ol class="members">
            {ids.slice(0, MOST_MEMBERS).map((id) => (
                <li key={id}>
                    <Link
                        text={operators.name(id) ?? ""}
                        onClick={() => page.select({ kind: "operator", id })}
                    />
                    <span class="number">{said(id)}</span>
                </li>
            ))}
        </ol>
    );
    const more = ids.length > MOST_MEMBERS ? ` (${MOST_MEMBERS} of ${ids.length})` : "";
    const text = ids
        .map((id) => `${show(operators.name(id) ?? "")}${withTimes ? ` ${said(id)}` : ""}`)
        .join(", ");
    return { name: `${title}${more}`, value, text };
}
