/** Keys of the page: parts register theirs, the shell runs them, the help lists them. */
import { useEffect, useRef } from "preact/hooks";

export interface Key {
    /** As `KeyboardEvent.key`; several do the same. */
    keys: readonly string[];
    label: string;
    run: (key: string) => void;
}

interface Group {
    title: string;
    current: readonly Key[];
}

const groups: Group[] = [];

/** Registers keys while the component is there; the newest group with a key has it. */
export function useKeys(title: string, keys: readonly Key[]): void {
    const group = useRef<Group>({ title, current: keys });
    group.current.current = keys;
    useEffect(() => {
        const own = group.current;
        groups.push(own);
        return () => {
            groups.splice(groups.indexOf(own), 1);
        };
    }, []);
}

export function keyGroups(): readonly { title: string; current: readonly Key[] }[] {
    return groups;
}

const isTyping = (target: EventTarget | null): boolean =>
    target instanceof HTMLElement && target.matches("input, textarea, select");

/** Runs the key of an event; true: it was one. */
export function runKey(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
    if (document.querySelector("dialog[open]") !== null) return false; /* it has the keys */
    if (isTyping(event.target) && event.key !== "Escape") return false;
    /* Enter and space belong to a button that has the focus. */
    const onButton =
        event.target instanceof HTMLElement && event.target.matches("button, a, summary");
    if (onButton && (event.key === "Enter" || event.key === " ")) return false;
    return pressKey(event.key);
}

/** Does what a key does; false: nobody has it. */
export function pressKey(name: string): boolean {
    for (let i = groups.length - 1; i >= 0; i--) {
        const key = groups[i]?.current.find((candidate) => candidate.keys.includes(name));
        if (key !== undefined) {
            key.run(name);
            return true;
        }
    }
    return false;
}

/** Goes on to the next of what the search finds, in views that mark it instead of leaving out the rest. */
export const NEXT_MATCH = "n";
