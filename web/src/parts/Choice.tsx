/** A few alternatives in a row, one of them chosen. */
export function Choice<T extends string>(props: {
    label: string;
    options: readonly { value: T; title: string; hint?: string }[];
    value: T;
    onChange: (value: T) => void;
}) {
    return (
        <fieldset class="choice">
            <legend>{props.label}</legend>
            {props.options.map(({ value, title, hint }) => (
                <button
                    type="button"
                    key={value}
                    title={hint}
                    aria-pressed={value === props.value}
                    onClick={() => props.onChange(value)}
                >
                    {title}
                </button>
            ))}
        </fieldset>
    );
}
