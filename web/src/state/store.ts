/**
 * The one store of the page. Its serialised form is the address (hash.ts), so that a link, a reload
 * and the back button restore what was seen.
 */
import { type PageState, parseHash, writeHash } from "./hash";

/** What a store needs of the window. */
export interface Address {
    readonly hash: string;
    push(hash: string): void;
    replace(hash: string): void;
    /** Calls back when the user goes back, forward, or edits the address. */
    onChange(listener: () => void): void;
}

/** Changes of these are steps that the back button undoes; all others only replace the address. */
const STEPS = new Set(["sel", "run", "versus", "by", "block"]);
const REPLACE_INTERVAL_MS = 250;

export type Patch = Record<string, string | null>;

export class Store {
    private state: PageState;
    private readonly listeners = new Set<() => void>();
    /** The address was made for another document. */
    isForeign = false;
    private timer: ReturnType<typeof setTimeout> | null = null;

    constructor(
        private readonly address: Address,
        private readonly fingerprint: string,
        private readonly firstView: string,
    ) {
        this.state = this.read();
        address.onChange(() => {
            this.cancelTimer();
            this.state = this.read();
            this.notify();
        });
    }

    get view(): string {
        return this.state.view;
    }

    /** A parameter, or "". */
    get(name: string): string {
        return this.state.params.get(name) ?? "";
    }

    /**
     * Sets parameters (null or "": removes), and with `view` the view. A walk with the arrow keys
     * makes no steps for the back button.
     */
    set(patch: Patch, view = this.state.view, isWalk = false): void {
        const params = new Map(this.state.params);
        let isStep = view !== this.state.view;
        let isChange = isStep;
        for (const [name, value] of Object.entries(patch)) {
            const before = params.get(name) ?? "";
            if ((value ?? "") === before) continue;
            isChange = true;
            if (STEPS.has(name) && !isWalk) isStep = true;
            if (value === null || value === "") params.delete(name);
            else params.set(name, value);
        }
        if (!isChange) return;
        if (isStep) this.flush();
        this.state = { view, params };
        this.isForeign = false;
        if (isStep) this.address.push(this.hash);
        else this.replaceSoon();
        this.notify();
    }

    /** The address of the present state. */
    get hash(): string {
        return writeHash(this.state, this.fingerprint);
    }

    /** The address of another view with the same parameters, for a link to it. */
    hashOf(view: string): string {
        return writeHash({ view, params: this.state.params }, this.fingerprint);
    }

    subscribe(listener: () => void): () => void {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    /** Writes what waits to be written. */
    flush(): void {
        if (this.timer === null) return;
        this.cancelTimer();
        this.address.replace(this.hash);
    }

    private read(): PageState {
        const parsed = parseHash(this.address.hash);
        const made = parsed?.fingerprint ?? "";
        this.isForeign = made !== "" && !this.fingerprint.startsWith(made);
        return parsed?.state ?? { view: this.firstView, params: new Map() };
    }

    private replaceSoon(): void {
        this.timer ??= setTimeout(() => {
            this.timer = null;
            this.address.replace(this.hash);
        }, REPLACE_INTERVAL_MS);
    }

    private cancelTimer(): void {
        if (this.timer !== null) clearTimeout(this.timer);
        this.timer = null;
    }

    private notify(): void {
        for (const listener of this.listeners) listener();
    }
}

/** The address of the window; works for file: pages, too. */
export function windowAddress(): Address {
    return {
        get hash() {
            return location.hash;
        },
        push: (hash) => history.pushState(null, "", hash),
        replace: (hash) => history.replaceState(null, "", hash),
        onChange: (listener) => {
            addEventListener("popstate", listener);
            addEventListener("hashchange", listener);
        },
    };
}
