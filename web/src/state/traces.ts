/** How a trace is called. */
import type { ReportDocument } from "../document/document";

export function nameOfTrace(document: ReportDocument, trace: number): string {
    const traces = document.table("traces");
    const name = traces.text("path")(trace) ?? `trace ${trace}`;
    return traces.textOrNone("role")(trace) === "before" ? `before: ${name}` : name;
}
