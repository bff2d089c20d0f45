import { useLayoutEffect, useRef } from "preact/hooks";
import { keyGroups } from "../parts/keys";

const FILTERS: readonly [string, string][] = [
    ["gemm zoo.py", "operators whose name, kernel, module or line contains all words"],
    ["m:blocks.0", "of this module"],
    ["line:zoo.py:28", "of this source line"],
    ["b:xnnpack", "of this backend; b:portable, b:runtime"],
    [">5%", "that take more than 5 % of a run; <1%: less"],
];

/** Keys and words of the filter. */
export function Help(props: { close: () => void }) {
    const dialog = useRef<HTMLDialogElement>(null);
    useLayoutEffect(() => {
        dialog.current?.showModal();
    }, []);
    return (
        <dialog ref={dialog} class="help" aria-label="Help" onClose={props.close}>
            <h2>Keys</h2>
            <dl>
                {keyGroups().map((group) =>
                    group.current.map((key) => (
                        <div key={`${group.title} ${key.label}`}>
                            <dt>
                                {(key.keys.length > 4
                                    ? [`${key.keys[0]}`, `${key.keys.at(-1)}`]
                                    : key.keys
                                ).map((name, i) => (
                                    <>
                                        {i > 0 && (key.keys.length > 4 ? " to " : " ")}
                                        <kbd>{name.replace("Arrow", "")}</kbd>
                                    </>
                                ))}
                            </dt>
                            <dd>
                                {key.label} <small>{group.title}</small>
                            </dd>
                        </div>
                    )),
                )}
            </dl>
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
            <form method="dialog">
                <button type="submit">Close</button>
            </form>
        </dialog>
    );
}
