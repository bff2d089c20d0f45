import { copyText } from "../parts/copy";
import { useKeys } from "../parts/keys";
import { type Page, usePage } from "../state/page";
import { VIEWS } from "../views";

/** The key of a view by its place: 1 to 9, then 0. */
export const viewKey = (place: number): string =>
    place < 9 ? String(place + 1) : place === 9 ? "0" : "";

/** From what is seen now to the other theme; in the address, since files share one storage. */
export function toggleTheme(page: Page): void {
    const own = page.store.get("theme");
    const isDark = own === "" ? matchMedia("(prefers-color-scheme: dark)").matches : own === "dark";
    page.store.set({ theme: isDark ? "light" : "dark" });
}

/** The details are there while something is selected; `pane=on` keeps them, `pane=off` hides them. */
export function isPaneShown(page: Page): boolean {
    const pane = page.store.get("pane");
    return pane === "on" || (pane !== "off" && page.selection !== null);
}

/** Shows or hides the details pane. */
export function togglePane(page: Page): void {
    const isSelected = page.selection !== null;
    const shown = isSelected ? null : "on";
    const hidden = isSelected ? "off" : null;
    page.store.set({ pane: isPaneShown(page) ? hidden : shown });
}

/** Clears the selection, which hides the details. */
function clear(page: Page): void {
    if (page.selection === null) page.store.set({ pane: null });
    page.select(null);
}

/** Keys that work everywhere. */
export function ShellKeys(props: { openHelp: () => void }) {
    const page = usePage();
    const stepRun = (delta: number) => {
        const runs = page.runsOfBlock;
        if (runs.length === 0) return;
        const at = runs.indexOf(page.run ?? -1);
        const next = at < 0 ? (delta > 0 ? 0 : runs.length - 1) : at + delta;
        const run = runs[Math.max(0, Math.min(runs.length - 1, next))];
        if (run !== undefined) page.setRun(run);
    };
    useKeys("Everywhere", [
        {
            keys: VIEWS.map((_, i) => viewKey(i)).filter((key) => key !== ""),
            label: "views, from left to right",
            run: (key) => {
                const view = VIEWS.find((_, i) => viewKey(i) === key);
                if (view !== undefined) page.store.set({}, view.id);
            },
        },
        {
            keys: ["Escape"],
            label: "clear the selection, which closes the details",
            run: () => clear(page),
        },
        { keys: ["["], label: "previous run", run: () => stepRun(-1) },
        { keys: ["]"], label: "next run", run: () => stepRun(1) },
        { keys: ["i"], label: "show or hide the details", run: () => togglePane(page) },
        { keys: ["t"], label: "light or dark", run: () => toggleTheme(page) },
        {
            keys: ["c"],
            label: "copy the link to what is shown",
            run: () => {
                page.store.flush();
                copyText(location.href).then((isCopied) =>
                    page.announce(isCopied ? "link copied" : "copying is not allowed here"),
                );
            },
        },
        { keys: ["?"], label: "this list", run: props.openHelp },
    ]);
    return null;
}
