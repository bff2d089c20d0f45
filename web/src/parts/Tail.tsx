import { show } from "../text/show";

/** The last steps of a path of modules, where narrow columns differ; the title has all of it. */
export function Tail(props: { text: string | null; longest: number }) {
    if (props.text === null) return null;
    const all = show(props.text);
    const shown = lastSteps(all, props.longest);
    return <bdi title={shown === all ? undefined : all}>{shown}</bdi>;
}

/** As many whole steps as there is room for, at least one. */
function lastSteps(path: string, longest: number): string {
    if (path.length <= longest) return path;
    const from = path.indexOf(".", path.length - longest + 1);
    return `…${path.slice((from < 0 ? path.lastIndexOf(".") : from) + 1)}`;
}
