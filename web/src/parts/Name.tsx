import { show, showName } from "../text/show";

/** A name of a file: visible, cut, and unable to reorder what is around it. */
export function Name(props: { text: string | null; longest?: number; class?: string }) {
    if (props.text === null) return null;
    const shown = showName(props.text, props.longest);
    const full = show(props.text);
    return (
        <bdi class={props.class} title={shown === full ? undefined : full}>
            {shown}
        </bdi>
    );
}
