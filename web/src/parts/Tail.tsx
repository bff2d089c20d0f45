import { show } from "../text/show";

/**
 * The last steps of the first of some paths of modules, where narrow columns differ, and how many more
 * there are; the title has all.
 */
export function Tail(props: { text: string | null; longest: number }) {
    if (props.text === null) return null;
    const paths = props.text.split(", ").map(show);
    const first = paths[0] as string;
    const more = paths.length > 1 ? ` +${paths.length - 1}` : "";
    const shown = lastSteps(first, props.longest - more.length);
    return (
        <>
            <bdi title={shown + more === first ? undefined : paths.join("\n")}>{shown}</bdi>
            {more !== "" && <span class="muted">{more}</span>}
        </>
    );
}

/** As many whole steps as there is room for, at least one. */
function lastSteps(path: string, longest: number): string {
    if (path.length <= longest) return path;
    const from = path.indexOf(".", path.length - longest + 1);
    return `…${path.slice((from < 0 ? path.lastIndexOf(".") : from) + 1)}`;
}
