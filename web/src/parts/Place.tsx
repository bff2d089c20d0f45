import { show } from "../text/show";
import { textWidth } from "./fit";

/**
 * The first of source lines, "models/zoo.py:28, models/nn.py:5", by its file and line alone, and how
 * many more there are: in narrow columns the folder is what one can do without, then the end of the
 * file's name; the line is always there. The title has all. `whole`: with the folder.
 */
export function Place(props: { text: string | null; whole?: boolean }) {
    if (props.text === null || props.text === "") return null;
    const places = props.text.split(", ").map(show);
    const all = places[0] as string;
    const first = props.whole ? all : all.replace(/^.*\//, "");
    const line = /:\d+$/.exec(first)?.[0] ?? "";
    const more = places.length > 1 ? ` +${places.length - 1}` : "";
    const style = { maxWidth: `calc(100% - ${textWidth(line + more, 13) - 0.5}px)` };
    return (
        <span class="source-place" title={places.join("\n")}>
            <bdi class="file" style={style}>
                {first.slice(0, first.length - line.length)}
            </bdi>
            <bdi>{line}</bdi>
            {more !== "" && <span class="muted">{more}</span>}
        </span>
    );
}
