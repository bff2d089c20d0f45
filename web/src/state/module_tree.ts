/**
 * Things by the modules that they belong to, as a tree. What belongs to several modules is a line of
 * its own, under the innermost module that holds them all: nothing is divided.
 */
import { listOf } from "./joins";

export const MODEL = "(model)";

export interface ModuleNode<T> {
    /** "blocks.0.attention"; of several modules "a.0, a.1", as the tables have it. */
    path: string;
    /** 0: the model. */
    depth: number;
    /** One module, and not what several share. */
    isModule: boolean;
    inside: ModuleNode<T>[];
    own: T[];
}

export interface ModuleTree<T> {
    /** Null: nothing belongs to a module. */
    model: ModuleNode<T> | null;
    /** What belongs to none. */
    none: T[];
}

/** A path of a hostile file may have any number of steps: those behind are not modules of their own. */
export const DEEPEST = 64;

export function moduleTree<T>(
    items: readonly T[],
    moduleOf: (item: T) => string | null,
): ModuleTree<T> {
    const nodes = new Map<string, ModuleNode<T>>();
    const make = (path: string, depth: number, isModule: boolean): ModuleNode<T> => {
        const node = { path, depth, isModule, inside: [], own: [] };
        nodes.set(path, node);
        return node;
    };
    const model = make(MODEL, 0, true);
    const aboveOf = (path: string): ModuleNode<T> => {
        const steps = path.split(".").slice(0, -1);
        return steps.length === 0 ? model : moduleAt(steps.slice(0, DEEPEST).join("."));
    };
    const moduleAt = (path: string): ModuleNode<T> => {
        const known = nodes.get(path);
        if (known !== undefined) return known;
        const above = aboveOf(path);
        const node = make(path, above.depth + 1, true);
        above.inside.push(node);
        return node;
    };
    const sharedAt = (path: string, modules: readonly string[]): ModuleNode<T> => {
        const known = nodes.get(path);
        if (known !== undefined) return known;
        const above = moduleAt(commonModule(modules));
        const node = make(path, above.depth + 1, false);
        above.inside.push(node);
        return node;
    };
    const none: T[] = [];
    for (const item of items) {
        const path = moduleOf(item) ?? "";
        const modules = listOf(path);
        if (modules.length === 0) none.push(item);
        else if (modules.length === 1) moduleAt(path).own.push(item);
        else sharedAt(path, modules).own.push(item);
    }
    return { model: none.length < items.length ? model : null, none };
}

/** The innermost module that holds all of them. */
export function commonModule(modules: readonly string[]): string {
    let common = stepsOf(modules[0] ?? "");
    for (const module of modules.slice(1)) {
        const steps = stepsOf(module);
        const differs = common.findIndex((step, i) => step !== steps[i]);
        if (differs >= 0) common = common.slice(0, differs);
    }
    return common.length === 0 ? MODEL : common.join(".");
}

const stepsOf = (module: string): string[] => (module === MODEL ? [] : module.split("."));

/** Of itself and all inside. */
export const allOf = <T>(node: ModuleNode<T>): T[] => [
    ...node.own,
    ...node.inside.flatMap((inner) => allOf(inner)),
];

const LONGEST = 30;

/** "blocks.0 +2" of several; of a long path its last steps, for a row that stands in the tree. */
export function titleOfModule(path: string): string {
    const modules = listOf(path);
    const first = modules[0] ?? path;
    const more = modules.length > 1 ? ` +${modules.length - 1}` : "";
    if (first.length <= LONGEST) return first + more;
    return `…${lastSteps(first)}${more}`;
}

/** "attention" of "blocks.3.attention"; a number says nothing without what it counts: "blocks.3". */
export function lastSteps(path: string): string {
    const steps = path.split(".");
    return steps.slice(/^\d+$/.test(steps[steps.length - 1] ?? "") ? -2 : -1).join(".");
}
