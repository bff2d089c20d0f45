/** A uPlot chart that fills its element and is made anew when the theme changes. */
import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { type Colours, onThemeChange, themeColours } from "./canvas";

interface Props {
    /** Says what is drawn, and where the same is told as text. */
    label: string;
    height: number;
    data: uPlot.AlignedData;
    /** Without a size; called again for other colours. */
    options: (colour: Colours) => Omit<uPlot.Options, "width" | "height">;
    /** Called with the index of the nearest point. */
    onClick?: (index: number, event: MouseEvent) => void;
}

export const CHART_FONT = "12px system-ui, sans-serif";

/** An axis in the colours of the page. */
export function axis(colour: Colours, more: uPlot.Axis = {}): uPlot.Axis {
    return {
        stroke: colour("muted"),
        font: CHART_FONT,
        labelFont: CHART_FONT,
        grid: { stroke: colour("line"), width: 1 },
        ticks: { stroke: colour("line"), width: 1, size: 4 },
        ...more,
    };
}

export function Chart(props: Props) {
    const element = useRef<HTMLDivElement>(null);
    const current = useRef(props);
    current.current = props;
    const plot = useRef<uPlot | null>(null);
    useLayoutEffect(() => {
        const target = element.current as HTMLDivElement;
        const make = () => {
            plot.current?.destroy();
            const { options, data, height } = current.current;
            const size = { width: target.clientWidth, height };
            plot.current = new uPlot({ ...options(themeColours(target)), ...size }, data, target);
            plot.current.over.addEventListener("click", (event) => {
                const index = plot.current?.cursor.idx;
                if (index !== null && index !== undefined) current.current.onClick?.(index, event);
            });
        };
        make();
        const observer = new ResizeObserver(() =>
            plot.current?.setSize({ width: target.clientWidth, height: current.current.height }),
        );
        observer.observe(target);
        const stop = onThemeChange(make);
        return () => {
            observer.disconnect();
            stop();
            plot.current?.destroy();
            plot.current = null;
        };
    }, [props.data]);
    useLayoutEffect(() => plot.current?.redraw(false));
    return <div class="chart" role="img" aria-label={props.label} ref={element} />;
}
