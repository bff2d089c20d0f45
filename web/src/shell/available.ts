import type { Missing, ReportDocument } from "../document/document";
import type { View } from "../views/view";

export function isAvailable(view: View, document: ReportDocument): boolean {
    return view.needs.every((name) => document.has(name)) && (view.isThere?.(document) ?? true);
}

/** Why a view has nothing to show, as the document says it. */
export function whyNot(view: View, document: ReportDocument): Missing {
    const said = document.head.missing.find((missing) => missing.view === view.id);
    const sentence = "The files of this report hold nothing for it.";
    return said ?? { view: view.id, sentence, option: null };
}
