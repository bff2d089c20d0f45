import { useRef } from "preact/hooks";
import { NEXT_MATCH, pressKey, useKeys } from "../parts/keys";
import { Name } from "../parts/Name";
import { usePage } from "../state/page";
import { show } from "../text/show";
import type { View } from "../views/view";
import { isPaneShown, togglePane, toggleTheme } from "./ShellKeys";
import { Tabs } from "./Tabs";

export function Header(props: { view: View; openHelp: () => void }) {
    const page = usePage();
    return (
        <header class="top">
            <h1 class="unseen">
                {show(page.document.head.title)}: {props.view.title}
            </h1>
            <span class="brand">etscope</span>
            <Name class="title" text={page.document.head.title} longest={40} />
            <Tabs view={props.view} />
            <FilterBox />
            <button
                type="button"
                class="icon pane-toggle"
                title="Show or hide the details (i)"
                aria-label="Details"
                aria-pressed={isPaneShown(page)}
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
