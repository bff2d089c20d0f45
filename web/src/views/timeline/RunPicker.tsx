/** The runs that stand side by side: leave one out, or add one by its number. */
import { usePage } from "../../state/page";
import { type AlignedPicture, MOST_ALIGNED, notableRuns } from "./aligned_picture";
import { setAligned } from "./aligned_runs";

export function RunPicker(props: { picture: AlignedPicture }) {
    const page = usePage();
    const { base, chosen } = props.picture;
    const set = (runs: readonly number[]) => setAligned(page, base, runs);
    const ends = [base.numbers[0] ?? 0, base.numbers[base.numbers.length - 1] ?? 0];
    return (
        <span class="run-picker">
            {chosen.map((run) => {
                const number = base.numbers[run];
                return (
                    <button
                        type="button"
                        key={run}
                        disabled={chosen.length === 1}
                        aria-label={`leave out run ${number}`}
                        title={`Leave out run ${number}`}
                        onClick={() => set(chosen.filter((each) => each !== run))}
                    >
                        run {number} ×
                    </button>
                );
            })}
            <label>
                add run{" "}
                <input
                    type="number"
                    min={Math.min(...ends)}
                    max={Math.max(...ends)}
                    disabled={chosen.length >= MOST_ALIGNED}
                    onChange={(event) => {
                        const run = base.numbers.indexOf(Number(event.currentTarget.value));
                        event.currentTarget.value = "";
                        if (run >= 0 && !chosen.includes(run)) set([...chosen, run]);
                    }}
                />
            </label>
            <button type="button" class="quiet" onClick={() => set(notableRuns(base))}>
                shortest, median, longest
            </button>
        </span>
    );
}
