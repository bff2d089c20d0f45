import { useRef } from "preact/hooks";
import { NEXT_MATCH, pressKey, useKeys } from "../parts/keys";
import { Name } from "../parts/Name";
import { usePage } from "../state/page";
import { show } from "../text/show";
import { VIEWS } from "../views";
import type { View } from "../views/view";
import { isAvailable, whyNot } from "./available";
import { togglePane, toggleTheme, viewKey } from "./ShellKeys";

export function Header(props: { view: View; hasPane: boolean; openHelp: () => void }) {
    const page = usePage();
    return (
        <header class="top">
            <h1 class="unseen">
                {show(page.document.head.title)}: {props.view.title}
            </h1>
            <span class="brand">etscope</span>
            <Name class="title" text={page.document.head.title} longest={40} />
            <nav aria-label="Views">
                {VIEWS.map((view, i) => {
                    const isThere = isAvailable(view, page.document);
                    const key = viewKey(i);
                    const hint = isThere
                        ? `${view.title}${key === "" ? "" : ` (key ${key})`}`
                        : whyNot(view, page.document).sentence;
                    return (
                        <button
                            type="button"
                            key={view.id}
                            class={isThere ? "tab" : "tab off"}
                            title={hint}
                            aria-current={view === props.view ? "page" : undefined}
                            onClick={() => page.store.set({}, view.id)}
                        >
                            {view.title}
                        </button>
                    );
                })}
            </nav>
            <FilterBox />
            <button
                type="button"
                class="icon pane-toggle"
                disabled={!props.hasPane}
                title="Show or hide the details (i)"
                aria-label="Details"
                aria-pressed={page.store.get("pane") !== "off"}
                onClick={() => togglePane(page)}
            >
                ◨
            </button>
            <button
                type="button"
                class="icon"
                aria-label="Help"
                title="Keys and words of the filter (?)"
                onClick={props.openHelp}
            >
                ?
            </button>
            <button
                type="button"
                class="icon"
                aria-label="Light or dark"
                title="Light or dark (t)"
                onClick={() => toggleTheme(page)}
            >
                ◐
            </button>
        </header>
    );
}

function FilterBox() {
    const page = usePage();
    const input = useRef<HTMLInputElement>(null);
    useKeys("Everywhere", [
        { keys: ["/"], label: "filter operators", run: () => input.current?.focus() },
    ]);
    return (
        <input
            class="filter"
            type="search"
            ref={input}
            placeholder="/ filter: gemm m:blocks"
            aria-label="Filter operators"
            value={page.store.get("f")}
            onInput={(event) => page.store.set({ f: event.currentTarget.value })}
            onKeyDown={(event) => {
                if (event.key === "Enter") {
                    event.currentTarget.blur();
                    pressKey(NEXT_MATCH);
                }
                if (event.key === "Escape") {
                    page.store.set({ f: null });
                    event.currentTarget.blur();
                    event.stopPropagation();
                }
            }}
        />
    );
}
