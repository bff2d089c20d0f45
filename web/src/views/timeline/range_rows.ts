/** The rows of the table below the timeline: a list, by what was called, or by what calls. */
import { backendOf } from "../../state/filter";
import { listOf } from "../../state/joins";
import { commonModule, DEEPEST, MODEL } from "../../state/module_tree";
import { type Operators, partOf } from "../../state/operators";
import type { Range } from "../../text/format";
import { addSum, noSum, type RangeSums, type Sum } from "./in_range";
import type { Row } from "./picture";
import type { TimePicture } from "./time_picture";

export type Form = "list" | "callers" | "calls";

/** A row while it is being made. */
interface Draft {
    key: number;
    name: string;
    operators: Set<number>;
    module: string | null;
    sum: Sum;
    children: Map<string, Draft>;
}

const draftOf = (key: number, name: string, module: string | null): Draft => ({
    ...{ key, name, module, sum: noSum() },
    operators: new Set(),
    children: new Map(),
});

/** Numbers of the rows of a picture: the same row has the same one, whatever is in sight. */
const NUMBERS = new WeakMap<TimePicture, Map<string, number>>();

/** Of a row by its number and that of the row around it: a key of all names would grow with each. */
type ChildOf = (above: Draft, name: string, title: string, module: string | null) => Draft;

function childOfIn(picture: TimePicture, form: Form): ChildOf {
    const numbers = NUMBERS.get(picture) ?? new Map<string, number>();
    NUMBERS.set(picture, numbers);
    return (above, name, title, module) => {
        const known = above.children.get(name);
        if (known !== undefined) return known;
        const place = `${form} ${above.key} ${name}`;
        const key = numbers.get(place) ?? numbers.size + 1;
        numbers.set(place, key);
        const made = draftOf(key, title, module);
        above.children.set(name, made);
        return made;
    };
}

/** Trees begin with what takes most; `share` is of the total in the tree of calls, else of self. */
export function rowsIn(
    picture: TimePicture,
    operators: Operators,
    sums: RangeSums,
    form: Form,
): Row[] {
    const root = draftOf(0, "", null);
    const childOf = childOfIn(picture, form);
    if (form === "calls") addCalls(picture, operators, root, sums, childOf);
    else
        sums.each((position, sum) => {
            const id = picture.matrix.operator[position]!;
            if (form === "callers")
                return addCallers(picture, operators, root, position, sum, childOf);
            addTo(childOf(root, String(id), operators.name(id) ?? "", null), id, sum);
        });
    const rows = (draft: Draft): Row[] =>
        [...draft.children.values()]
            .map((each) => rowOf(operators, each, sums.time, form, rows(each)))
            .sort((a, b) => by(form, b) - by(form, a) || first(a) - first(b));
    return rows(root);
}

const by = (form: Form, row: Row): number =>
    form === "calls" ? row.time.lower : (row.self?.lower ?? 0);
const first = (row: Row): number => row.operators[0] ?? -1;

function addTo(draft: Draft, id: number, sum: Sum): void {
    draft.operators.add(id);
    addSum(draft.sum, sum);
}

/** An operator of a name; in it the modules that it belongs to, and in these the calls around it. */
function addCallers(
    picture: TimePicture,
    operators: Operators,
    root: Draft,
    position: number,
    sum: Sum,
    childOf: ChildOf,
): void {
    const { matrix, enclosing } = picture;
    const id = matrix.operator[position]!;
    const name = kindOf(operators, id);
    let at = childOf(root, name, name, null);
    addTo(at, id, sum);
    const module = operators.module(id);
    if (module !== null && module !== "") {
        at = childOf(at, `m${module}`, module, module);
        addTo(at, id, sum);
    }
    for (let above = enclosing[position]!; above >= 0; above = enclosing[above]!) {
        if (enclosing[above]! < 0) break; /* the run, which calls all */
        const caller = matrix.operator[above]!;
        at = childOf(at, `c${caller}`, callTitle(operators, caller), null);
        addTo(at, id, sum);
    }
}

/** "Fully Connected #3" of a delegate is one of its "Fully Connected". */
const kindOf = (operators: Operators, id: number): string =>
    (operators.name(id) ?? "").replace(/ #\d+$/, "");

/** Calls of one name are told apart by their instruction. */
function callTitle(operators: Operators, id: number): string {
    const instruction = operators.instruction(id);
    const name = operators.name(id) ?? "";
    return instruction === null ? name : `${name}, instruction ${instruction}`;
}

/** What encloses what, with the modules between: a module has the time of what it calls. */
function addCalls(
    picture: TimePicture,
    operators: Operators,
    root: Draft,
    sums: RangeSums,
    childOf: ChildOf,
): void {
    const { matrix, enclosing } = picture;
    const made = new Map<number, Draft>();
    sums.each((position, sum) => {
        const id = matrix.operator[position]!;
        const above = enclosing[position]!;
        const caller = above < 0 ? -1 : matrix.operator[above]!;
        let at = made.get(above) ?? root;
        for (const { module, depth, step } of stepsBetween(operators, caller, id)) {
            at = childOf(at, `m${depth} ${step}`, module, module);
            addTo(at, id, sum);
        }
        const isCall = operators.children.has(id) && above >= 0;
        const name = isCall ? callTitle(operators, id) : (operators.name(id) ?? "");
        const draft = childOf(at, `o${id}`, name, null);
        addTo(draft, id, sum);
        made.set(position, draft);
    });
    joinChains(root, "");
}

interface Step {
    module: string;
    depth: number;
    /** The last of its name, or of a module deeper than others all that is left. */
    step: string;
}

/** The modules from the call's own down to that of the operator: "a", "a.b". */
function stepsBetween(operators: Operators, caller: number, id: number): Step[] {
    const own = moduleOf(operators, id);
    const above = caller < 0 ? "" : moduleOf(operators, caller);
    const isInside = above === "" || own === above || own.startsWith(`${above}.`);
    const first = isInside && above !== "" ? above.length + 1 : 0;
    const steps: Step[] = [];
    for (let from = first; from < own.length; ) {
        const dot = steps.length < DEEPEST ? own.indexOf(".", from) : -1;
        const to = dot < 0 ? own.length : dot;
        steps.push({ module: own.slice(0, to), depth: from, step: own.slice(from, to) });
        from = to + 1;
    }
    return steps;
}

/** The module of an operator; of several, the one that holds them all. */
function moduleOf(operators: Operators, id: number): string {
    const modules = listOf(operators.module(id));
    const common = modules.length === 0 ? MODEL : commonModule(modules);
    return common === MODEL ? "" : common;
}

/** A module that only holds another is one row with it; names lose what the rows above say. */
function joinChains(draft: Draft, above: string): void {
    for (const [key, child] of draft.children) {
        let last = child;
        for (let only = onlyModuleIn(last); only !== null; only = onlyModuleIn(last)) last = only;
        if (last !== child) draft.children.set(key, last);
        const { module } = last;
        if (module !== null && above !== "" && module.startsWith(`${above}.`))
            last.name = stepsBelow(module, above);
        joinChains(last, module ?? above);
    }
}

/** "attn" of "layers.0.attn" in "layers.0", but "layers.0" in "layers": a number says nothing. */
function stepsBelow(module: string, above: string): string {
    const own = module.slice(above.length + 1);
    return /^\d/.test(own) ? `${above.slice(above.lastIndexOf(".") + 1)}.${own}` : own;
}

function onlyModuleIn(draft: Draft): Draft | null {
    if (draft.module === null || draft.children.size !== 1) return null;
    const [only] = draft.children.values();
    return only !== undefined && only.module !== null ? only : null;
}

function rowOf(
    operators: Operators,
    draft: Draft,
    whole: number,
    form: Form,
    children: Row[],
): Row {
    const ids = [...draft.operators];
    const [id] = ids;
    const isOne = ids.length === 1 && id !== undefined;
    const isModule = form === "calls" && draft.module !== null;
    const { total, self } = draft.sum;
    return {
        key: draft.key,
        operator: isModule || id === undefined ? -1 : id,
        operators: ids,
        isModule: draft.module !== null,
        module: draft.module ?? (isOne ? operators.module(id) : null),
        name: draft.name,
        backend: isModule ? "module" : sameBackend(operators, ids),
        calls: isModule ? 0 : draft.sum.calls,
        time: total,
        self: isModule ? null : self,
        share: shareOf(form === "calls" ? total : self, whole),
        source: isOne && draft.module === null ? operators.source(id) : null,
        children,
    };
}

function sameBackend(operators: Operators, ids: readonly number[]): string {
    const backends = new Set(ids.map((id) => backendOf(operators, id)));
    return backends.size === 1 ? [...backends][0]! : "";
}

const shareOf = (time: Range, whole: number): Range => partOf(time, whole || 1);
