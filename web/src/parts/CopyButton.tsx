import { useState } from "preact/hooks";
import { copyText } from "./copy";

/** Copies a text that is made when the button is pressed, and says so. */
export function CopyButton(props: { text: () => string; children: string; title?: string }) {
    const [said, say] = useState("");
    const onClick = async () => {
        say((await copyText(props.text())) ? "copied" : "copying is not allowed here");
        setTimeout(() => say(""), 1500);
    };
    return (
        <button type="button" class="quiet" title={props.title} onClick={onClick}>
            {said || props.children}
        </button>
    );
}
