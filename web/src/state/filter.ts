/** The filter box: words, `m:` module, `line:` source line, `b:` backend, `>5%` share. */
import type { Operators } from "./operators";

export type Predicate = (id: number) => boolean;

export function parseFilter(text: string, operators: Operators): Predicate | null {
    const tests = text
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => parseWord(word, operators));
    return tests.length === 0 ? null : (id) => tests.every((test) => test(id));
}

function parseWord(word: string, operators: Operators): Predicate {
    const share = /^([<>])(\d+(?:\.\d+)?)%?$/.exec(word);
    if (share !== null) {
        const bound = Number(share[2]) / 100;
        return share[1] === ">"
            ? (id) => (operators.share(id)?.upper ?? 0) > bound
            : (id) => (operators.share(id)?.lower ?? bound) < bound;
    }
    const field = /^(m|line|b):(.+)$/i.exec(word);
    if (field !== null) {
        const wanted = (field[2] as string).toLowerCase();
        const kind = (field[1] as string).toLowerCase();
        if (kind === "m") return contains(operators.module, wanted);
        if (kind === "line") return contains(operators.source, wanted);
        return (id) => backendOf(operators, id).toLowerCase().includes(wanted);
    }
    const wanted = word.toLowerCase();
    const tests = [operators.name, operators.kernel, operators.module, operators.source].map(
        (get) => contains(get, wanted),
    );
    return (id) => tests.some((test) => test(id));
}

const contains =
    (get: (id: number) => string | null, wanted: string): Predicate =>
    (id) =>
        (get(id) ?? "").toLowerCase().includes(wanted);

/**
 * Where an operator runs, in the words of `inspect --group-by backend`: its backend, "delegate"
 * where the trace does not name it, portable (a kernel), or runtime.
 */
export function backendOf(operators: Operators, id: number): string {
    const kind = barKind(operators, id);
    return kind === "delegate" ? (operators.backend(id) ?? kind) : kind;
}

/** Colour of an operator's bars: by where it runs. */
export function barKind(operators: Operators, id: number): "delegate" | "portable" | "runtime" {
    if (operators.isDelegated(id)) return "delegate";
    const isInstruction = operators.instruction(id) !== null || operators.kernel(id) !== null;
    return isInstruction ? "portable" : "runtime";
}
