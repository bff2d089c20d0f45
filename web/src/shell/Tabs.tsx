/** The views as links in one row, which scrolls sideways where it has no room for all. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "../state/page";
import { VIEWS } from "../views";
import type { View } from "../views/view";
import { isAvailable, whyNot } from "./available";
import { viewKey } from "./ShellKeys";

export function Tabs(props: { view: View }) {
    const page = usePage();
    const row = useRef<HTMLDivElement>(null);
    const [more, setMore] = useState({ left: false, right: false });
    const look = () => {
        const { scrollLeft, scrollWidth, clientWidth } = row.current as HTMLDivElement;
        const left = scrollLeft > 1;
        const right = scrollLeft + clientWidth < scrollWidth - 1;
        setMore((old) => (old.left === left && old.right === right ? old : { left, right }));
    };
    useEffect(() => {
        const observer = new ResizeObserver(() => {
            showActive(row.current);
            look();
        });
        observer.observe(row.current as HTMLDivElement);
        return () => observer.disconnect();
    }, []);
    useLayoutEffect(() => {
        showActive(row.current);
        look();
    }, [props.view]);
    const scroll = (sign: number) => {
        const element = row.current as HTMLDivElement;
        element.scrollLeft += sign * element.clientWidth * 0.7;
    };
    return (
        <nav aria-label="Views">
            {more.left && <More mark="‹" title="views to the left" run={() => scroll(-1)} />}
            <div class="tabs" ref={row} onScroll={look}>
                {VIEWS.map((view, i) => {
                    const isThere = isAvailable(view, page.document);
                    const key = viewKey(i);
                    const hint = isThere
                        ? `${view.title}${key === "" ? "" : ` (key ${key})`}`
                        : whyNot(view, page.document).sentence;
                    return (
                        <a
                            key={view.id}
                            class={isThere ? "tab" : "tab off"}
                            href={page.store.hashOf(view.id)}
                            title={hint}
                            aria-current={view === props.view ? "page" : undefined}
                            onClick={(event) => {
                                /* Others open a tab or window of their own. */
                                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                                event.preventDefault();
                                page.store.set({}, view.id);
                            }}
                        >
                            {view.title}
                        </a>
                    );
                })}
            </div>
            {more.right && <More mark="›" title="views to the right" run={() => scroll(1)} />}
        </nav>
    );
}

/** Not reached by Tab: the links are, and come into sight. */
function More(props: { mark: string; title: string; run: () => void }) {
    return (
        <button
            type="button"
            class="quiet more-tabs"
            tabIndex={-1}
            aria-label={props.title}
            title={props.title}
            onClick={props.run}
        >
            {props.mark}
        </button>
    );
}

/** So wide are the marks over the ends of the row, as in shell.css. */
const HINT = 34;

function showActive(row: HTMLElement | null): void {
    const active = row?.querySelector<HTMLElement>('[aria-current="page"]') ?? null;
    if (row === null || active === null) return;
    const [box, tab] = [row.getBoundingClientRect(), active.getBoundingClientRect()];
    const middle = tab.left - box.left + row.scrollLeft - (box.width - tab.width) / 2;
    const isHidden = tab.left < box.left + HINT || tab.right > box.right - HINT;
    if (isHidden) row.scrollLeft = middle;
}
