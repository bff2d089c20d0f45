/** Which parts were measured slower and which faster, also where no test decides whether they are. */
import { useMemo } from "preact/hooks";
import { Name } from "../../parts/Name";
import type { Difference } from "../../state/differences";
import type { TimeUnit } from "../../text/format";
import { describe, measuredChanges, nameOf, sayChange, titleOfMeasured } from "./rows";
import { tellApart } from "./steps";

const MOST_MEASURED = 3;

export function Measured(props: {
    lines: readonly Difference[];
    unit: TimeUnit;
    select: (line: Difference) => void;
}) {
    const { slower, faster } = useMemo(() => measuredChanges(props.lines), [props.lines]);
    const apart = useMemo(() => tellApart([...slower, ...faster], props.lines), [slower, faster]);
    const said = (lines: readonly Difference[]) => [
        ...lines.slice(0, MOST_MEASURED).map((line) => {
            const { mark, word } = describe(line.verdict);
            return (
                <li key={line.id}>
                    <button type="button" class="link" onClick={() => props.select(line)}>
                        <Name text={nameOf(line)} longest={160} ends />
                    </button>
                    {apart.has(line) && <span class="muted">{apart.get(line)}</span>}
                    <span class="number">
                        {sayChange(line.change, props.unit)} {props.unit.name}
                    </span>
                    <span class="muted">
                        {mark} {word}
                    </span>
                </li>
            );
        }),
        lines.length > MOST_MEASURED && (
            <li key="more" class="muted">
                and {lines.length - MOST_MEASURED} more
            </li>
        ),
    ];
    if (slower.length + faster.length === 0) return null;
    return (
        <dl class="measured" aria-label="Measured changes">
            {[
                { title: "Measured slower", lines: slower },
                { title: "Measured faster", lines: faster },
            ].map(({ title, lines }) => (
                <div key={title}>
                    <dt>{titleOfMeasured(title, lines)}</dt>
                    <dd>{lines.length === 0 ? "nothing" : <ul>{said(lines)}</ul>}</dd>
                </div>
            ))}
        </dl>
    );
}
