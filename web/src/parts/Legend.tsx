import { Name } from "./Name";

/** What the colours of a drawing mean; `colour` is a name of the style sheet. */
export function Legend(props: { groups: readonly { title: string; colour: string }[] }) {
    return (
        <ul class="colours" aria-label="Colours">
            {props.groups.map(({ title, colour }) => (
                <li key={title}>
                    <span class="swatch" style={{ background: `var(--${colour})` }} />
                    <Name text={title} longest={30} />
                </li>
            ))}
        </ul>
    );
}
