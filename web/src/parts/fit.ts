/** Texts of drawings in the room that they have. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { showName } from "../text/show";

let context: CanvasRenderingContext2D | null = null;
let family = "";
const widths = new Map<string, number>();

/** How wide a text is in the font of the page, in pixels. */
export function textWidth(text: string, size: number, weight = 400): number {
    const key = `${weight} ${size} ${text}`;
    let width = widths.get(key);
    if (width === undefined) {
        context ??= document.createElement("canvas").getContext("2d");
        if (family === "") family = getComputedStyle(document.documentElement).fontFamily;
        if (context === null) return text.length * size * 0.62;
        context.font = `${weight} ${size}px ${family}`;
        width = context.measureText(text).width;
        widths.set(key, width);
    }
    return width;
}

/** A name, cut in its middle so that it takes at most so many pixels. */
export function fitName(text: string, width: number, size = 12): string {
    const fits = (shown: string) => textWidth(shown, size) <= width;
    const whole = showName(text);
    if (fits(whole)) return whole;
    let [least, most] = [3, whole.length];
    while (least < most) {
        const middle = Math.ceil((least + most) / 2);
        if (fits(showName(text, middle))) least = middle;
        else most = middle - 1;
    }
    return showName(text, least);
}

/** The width of an element, which a drawing in it takes. */
export function useWidth(least: number): [RefObject<HTMLDivElement | null>, number] {
    const element = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(800);
    useLayoutEffect(() => {
        const target = element.current as HTMLDivElement;
        const measure = () => setWidth(Math.max(least, target.clientWidth));
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(target);
        return () => observer.disconnect();
    }, []);
    return [element, width];
}
