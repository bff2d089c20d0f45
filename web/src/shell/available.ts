import type { Missing, ReportDocument } from "../document/document";
import type { View } from "../views/view";

export function isAvailable(view: View, document: ReportDocument): boolean {
    return view.needs.every((name) => document.has(name)) && (view.isThere?.(document) ?? true);
}

/** Why a view has nothing to show: as the document says it, or for want of what the view takes. */
export function whyNot(view: View, { head }: ReportDocument): Missing {
    const said = head.missing.find((missing) => missing.view === view.id);
    if (said !== undefined) return said;
    const wanted = (view.takes ?? []).filter((option) =>
        head.missing.some((missing) => missing.option === option),
    );
    if (wanted.length === 0) {
        const sentence = "The files of this report hold nothing for it.";
        return { view: view.id, sentence, option: null };
    }
    const names = wanted.map((option) => FILES.get(option) ?? option);
    const sentence = `${view.title} needs ${names.join(view.takesAll ? " and " : " or ")}.`;
    return { view: view.id, sentence, option: wanted[0] as string };
}

const FILES = new Map([
    ["TRACE", "a trace"],
    ["--etrecord", "the ETRecord"],
    ["--program", "the program"],
]);

const ROLES = new Map([
    ["trace", ""],
    ["record", "--etrecord "],
    ["program", "--program "],
    ["debug buffer", "--debug-buffer "],
    ["reference", "--reference-etrecord "],
    ["machine", "--machine "],
]);

/**
 * The command that makes the report again with what is missing: "etscope report TRACE --program
 * model.pte -o report.html". Names that a shell reads otherwise are left to the user.
 */
export function commandWith(option: string, { head }: ReportDocument): string {
    const given = head.inputs.map(({ role, name }) => {
        const isPlain = /^[\w+][\w.+-]*$/.test(name);
        return `${ROLES.get(role) ?? ""}${isPlain ? name : "FILE"}`;
    });
    if (head.inputs.some(({ role }) => !ROLES.has(role))) return `${option} FILE`;
    const words = option === "TRACE" ? ["TRACE", ...given] : [...given, `${option} FILE`];
    return `etscope report ${words.join(" ")} -o report.html`;
}
