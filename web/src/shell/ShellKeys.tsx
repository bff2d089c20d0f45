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

/** Shows or hides the details pane. */
export function togglePane(page: Page): void {
    page.store.set({ pane: page.store.get("pane") === "off" ? null : "off" });
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
        { keys: ["Escape"], label: "clear the selection", run: () => page.select(null) },
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
