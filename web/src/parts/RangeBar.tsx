import type { Range } from "../text/format";

/** A bar that is solid to the lower bound and hatched to the upper; `of` is its full width. */
export function RangeBar(props: { range: Range | null; of: number; kind?: string | undefined }) {
    const { range, of } = props;
    if (range === null || !(of > 0)) return <span class="bar" />;
    const part = (value: number) => Math.max(0, Math.min(100, (value / of) * 100));
    const lower = part(range.lower);
    return (
        <span class="bar" data-kind={props.kind}>
            <span class="bar-solid" style={{ width: `${lower}%` }} />
            <span class="bar-open" style={{ width: `${part(range.upper) - lower}%` }} />
        </span>
    );
}
