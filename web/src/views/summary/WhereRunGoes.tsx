/** Parts of a run as bars: certain and possible. */
import { RangeBar } from "../../parts/RangeBar";
import { type Page, usePage } from "../../state/page";
import { formatShare } from "../../text/format";
import { show } from "../../text/show";
import { partsOf } from "./parts_of_run";

export function WhereRunGoes() {
    const page = usePage();
    const parts = partsOf(page);
    if (parts.length === 0) return <p class="muted">{whyNone(page)}</p>;
    return (
        <table class="where">
            <tbody>
                {parts.map((part) => (
                    <tr key={part.title}>
                        <th scope="row">{show(part.title)}</th>
                        <td class="where-bar">
                            <RangeBar range={part.share} of={1} kind={part.kind} />
                        </td>
                        <td class="number">{formatShare(part.share)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function whyNone({ block, hasOperators }: Page): string {
    if (block === null || hasOperators) return "No run is in the trace.";
    return block.name === "Execute"
        ? "The operators of these runs are not recorded."
        : "No operator was recorded in the load.";
}
