import { useLayoutEffect, useRef } from "preact/hooks";
import { type Key, keyGroups } from "../parts/keys";
import { RangeBar } from "../parts/RangeBar";

const FILTERS: readonly [string, string][] = [
    ["gemm zoo.py", "operators whose name, kernel, module or line contains all words"],
    ["m:blocks.0", "of this module"],
    ["line:zoo.py:28", "of this source line"],
    ["b:xnnpack", "of this backend; b:portable, b:runtime"],
    [">5%", "that take more than 5 % of a run; <1%: less"],
];

/** Words of the field, and of this page. */
const TERMS: readonly [string, string][] = [
    ["backend, delegate", "a library, such as XNNPACK, that runs a part of the program"],
    ["partition", "operators that went into one delegate call together"],
    ["kernel", "ExecuTorch’s own implementation of an operator, outside of delegates"],
    ["instruction", "a step of the program, by number: a kernel or a delegate call"],
    ["debug handle", "the number that ties an instruction to nodes of the exported graph"],
    ["record", "the ETRecord: what the export knew, with source lines and modules"],
    ["run", "one execution of a method; the first ones are often slower (warm-up)"],
    ["p50, p90", "half, or 90 %, of the runs took at most this long; p50 is the median"],
    ["share of a run", "mean over the middle half of the runs, as part of the same of the run"],
    ["not reported", "time of a delegate call that is in none of the operators that it tells"],
    ["planned memory", "the buffer in which the exporter gave every tensor its place"],
    ["peak", "the most bytes of it that are in use at once"],
    ["roof", "the most that the machine can compute, or move, per second"],
    ["own error", "what an operator adds, computed from the device’s own inputs"],
    ["total error", "how far a value is from its reference, whoever caused it"],
    ["SNR", "signal-to-noise ratio: 20 dB is an error of a tenth, 40 dB of a hundredth"],
    ["guilty", "the first operator whose own error stands out"],
];

/** Of bars that show times. */
const COLOURS: readonly [string, string][] = [
    ["delegate", "delegate calls, and what is inside"],
    ["portable", "kernels (b:portable)"],
    ["runtime", "between operators: the runtime, and the tracer itself"],
    ["mixed", "several of these"],
];

/** Keys, words of the filter, colours, terms. */
export function Help(props: { close: () => void }) {
    const dialog = useRef<HTMLDialogElement>(null);
    useLayoutEffect(() => {
        dialog.current?.showModal();
    }, []);
    return (
        <dialog ref={dialog} class="help" aria-label="Help" onClose={props.close}>
            <form method="dialog">
                <button type="submit">Close</button>
            </form>
            <h2>Keys</h2>
            <div class="groups">
                {[...keysByTitle()].map(([title, keys]) => (
                    <section key={title}>
                        <h3>{title}</h3>
                        <dl>
                            {keys.map((key) => (
                                <div key={key.label}>
                                    <dt>
                                        <Keys of={key} />
                                    </dt>
                                    <dd>{key.label}</dd>
                                </div>
                            ))}
                        </dl>
                    </section>
                ))}
            </div>
            <section>
                <h2>Filter</h2>
                <dl>
                    {FILTERS.map(([word, meaning]) => (
                        <div key={word}>
                            <dt>
                                <code>{word}</code>
                            </dt>
                            <dd>{meaning}</dd>
                        </div>
                    ))}
                </dl>
            </section>
            <section>
                <h2>Colours of times</h2>
                <dl>
                    {COLOURS.map(([kind, meaning]) => (
                        <div key={kind}>
                            <dt>
                                <RangeBar range={{ lower: 1, upper: 1 }} of={1} kind={kind} />
                            </dt>
                            <dd>{meaning}</dd>
                        </div>
                    ))}
                    <div>
                        <dt>
                            <RangeBar range={{ lower: 0, upper: 1 }} of={1} />
                        </dt>
                        <dd>hatched: possible, but not certain</dd>
                    </div>
                </dl>
            </section>
            <section>
                <h2>Words</h2>
                <dl class="terms">
                    {TERMS.map(([word, meaning]) => (
                        <div key={word}>
                            <dt>{word}</dt>
                            <dd>{meaning}</dd>
                        </div>
                    ))}
                </dl>
            </section>
        </dialog>
    );
}

function keysByTitle(): Map<string, Key[]> {
    const found = new Map<string, Key[]>();
    for (const { title, current } of keyGroups()) {
        if (current.length > 0) found.set(title, [...(found.get(title) ?? []), ...current]);
    }
    return found;
}

/** "1 to 9", "j Down". */
function Keys(props: { of: Key }) {
    const { keys } = props.of;
    const isRow = keys.length > 4;
    const shown = isRow ? [keys[0] as string, keys[keys.length - 1] as string] : keys;
    return (
        <>
            {shown.map((name, i) => (
                <span key={name}>
                    {i > 0 && (isRow ? " to " : " ")}
                    <kbd>{name.replace("Arrow", "")}</kbd>
                </span>
            ))}
        </>
    );
}
