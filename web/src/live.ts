/**
 * Keeps the page of a followed stream at its newest: asks the command that serves it for the number
 * of the newest report, and loads it. What is shown is in the address, and stays.
 */
interface State {
    page: number;
}

const PERIOD = 1000;
const { page, last } = document.currentScript?.dataset ?? {};
const shown = Number(page);
const note = document.createElement("p");
note.setAttribute("role", "status");
note.style.cssText =
    "position:fixed;z-index:9;right:12px;bottom:8px;margin:0;padding:2px 8px;" +
    "border:1px solid;border-radius:4px;background:Canvas;color:CanvasText";

function say(text: string): void {
    if (note.textContent !== text) note.textContent = text;
    if (!note.isConnected) document.body.append(note);
}

/** Loading a page would lose what is typed or marked. */
function isBusy(): boolean {
    const active = document.activeElement;
    return active instanceof HTMLInputElement || String(getSelection()) !== "";
}

/** The fingerprint in the address is that of the report before. */
function load(): void {
    history.replaceState(null, "", location.hash.replace(/([?&])d=[^&]*&?/, "$1"));
    location.reload();
}

async function ask(): Promise<void> {
    let state: State;
    try {
        const response = await fetch("state", { cache: "no-store" });
        if (!response.ok) throw new Error(response.statusText);
        state = (await response.json()) as State;
    } catch {
        say("etscope has ended: this report does not change any more");
        return;
    }
    if (state.page !== shown && !isBusy()) return load();
    say(state.page === shown ? "live" : "live: a newer report waits until nothing is marked");
    setTimeout(ask, PERIOD);
}

if (last === undefined) setTimeout(ask, PERIOD);
else say("the stream has ended: this is its last report");
