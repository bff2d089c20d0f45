import type { ComponentChildren } from "preact";
import { CopyButton } from "./CopyButton";

/** What stands where there is nothing to show: the reason, and what to do about it. */
export function Empty(props: {
    title: string;
    children?: ComponentChildren;
    option?: string | null;
}) {
    const option = props.option;
    return (
        <div class="empty">
            <h2>{props.title}</h2>
            {props.children}
            {option && (
                <p>
                    <code>{option}</code> <CopyButton text={() => option}>Copy</CopyButton>
                </p>
            )}
        </div>
    );
}
