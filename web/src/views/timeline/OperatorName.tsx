import { Name } from "../../parts/Name";

/** A name with the backend beside it, which gives way first: names of one kind differ at their ends. */
export function OperatorName(props: { name: string | null; backend: string }) {
    return (
        <span class="operator-name">
            <Name text={props.name} ends />
            {props.backend !== "" && props.backend !== "runtime" && <small>{props.backend}</small>}
        </span>
    );
}
