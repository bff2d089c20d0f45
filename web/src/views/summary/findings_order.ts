/** Findings in the order of what they mean for a run. */
import type { Finding } from "../../document/document";
import { partOf } from "../../state/operators";
import type { Range } from "../../text/format";

/** Below this part of a run a problem is no alarm. */
const LEAST_ALARM = 0.01;

/** The part of a run that it concerns; null: it is not about time, or not known. */
export function effectOf({ share, share_upper }: Finding): Range | null {
    if (share === null || share === undefined) return null;
    return partOf({ lower: share, upper: share_upper ?? share }, 1);
}

/**
 * How it is drawn: a problem that concerns next to nothing of a run is a note. What is not about
 * time, as a wrong result, stays what it is.
 */
export function severityOf(finding: Finding): Finding["severity"] {
    const effect = effectOf(finding);
    const isSmall = effect !== null && effect.upper < LEAST_ALARM;
    return finding.severity === "bad" && isSmall ? "note" : finding.severity;
}

const RANKS = { bad: 0, note: 1, good: 2 } as const;

/**
 * Alarms first, then notes, then what is good; in each, what takes most of a run first, and behind
 * it what is not about time. What no rule helps comes after what can be changed.
 */
export function orderedFindings(findings: readonly Finding[]): Finding[] {
    const rank = (finding: Finding) =>
        2 * (RANKS[severityOf(finding)] ?? RANKS.note) +
        Number(finding.kind === "expensive_operator");
    const isUntimed = (finding: Finding) => Number(effectOf(finding) === null);
    const middle = (finding: Finding) => {
        const { lower, upper } = effectOf(finding) ?? { lower: 0, upper: 0 };
        return (lower + upper) / 2;
    };
    return [...findings].sort((a, b) => {
        /* An alarm without a time, as a wrong result, comes before those that only cost time. */
        const sign = severityOf(a) === "bad" ? -1 : 1;
        return (
            rank(a) - rank(b) || sign * (isUntimed(a) - isUntimed(b)) || middle(b) - middle(a)
        ); /* others keep their order */
    });
}
