import { textWidth } from "./fit";
import { show, showName } from "../text/show";

interface Props {
    text: string | null;
    longest?: number;
    class?: string;
    /** In a row without room its middle is left out: names of kernels differ at their ends. */
    ends?: boolean;
}

/** A name of a file: visible, cut, and unable to reorder what is around it. */
export function Name(props: Props) {
    if (props.text === null) return null;
    const shown = showName(props.text, props.longest);
    const full = show(props.text);
    const at = props.ends ? endOf(shown) : 0;
    const of = props.class ?? "";
    if (at === 0) {
        return (
            <bdi class={props.class} title={shown === full ? undefined : full}>
                {shown}
            </bdi>
        );
    }
    const tail = shown.slice(at);
    const room = textWidth(tail, 13, of.includes("group") ? 600 : 400) - 0.5;
    return (
        <bdi class={`ends ${of}`} title={full}>
            <span class="head" style={{ maxWidth: `calc(100% - ${room}px)` }}>
                {shown.slice(0, at)}
            </span>
            <span>{tail}</span>
        </bdi>
    );
}

const LONGEST_END = 12;
const SHORTEST = 10;

/** Where the end begins that stays in sight: behind a space or a bracket if there is one. 0: it has none. */
function endOf(text: string): number {
    if (text.length < SHORTEST) return 0;
    const least = Math.max(1, text.length - LONGEST_END);
    const word = text.slice(least).search(/[\s)._]\S/) + 1;
    return word > 0 && word < LONGEST_END - 1 ? least + word : text.length - LONGEST_END / 2;
}
