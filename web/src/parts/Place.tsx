import { show } from "../text/show";

/**
 * The first of source lines, "models/zoo.py:28, models/nn.py:5", by its file and line alone, and how
 * many more there are: in narrow columns the folder is what one can do without. The title has all.
 */
export function Place(props: { text: string | null }) {
    if (props.text === null || props.text === "") return null;
    const places = props.text.split(", ").map(show);
    const first = places[0] as string;
    return (
        <span title={places.join("\n")}>
            <bdi>{first.slice(first.lastIndexOf("/") + 1)}</bdi>
            {places.length > 1 && <span class="muted"> +{places.length - 1}</span>}
        </span>
    );
}
