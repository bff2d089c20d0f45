/** A canvas that is sharp on every screen and drawn anew when its size or the theme changes. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Colours of the theme, as the style sheet names them: `colour("accent")` is --accent. */
export type Colours = (name: string) => string;

export interface Surface {
    context: CanvasRenderingContext2D;
    /** In CSS pixels. */
    width: number;
    height: number;
    colour: Colours;
}

/** Of the element in which the colours are asked for. */
export function themeColours(element: Element): Colours {
    const style = getComputedStyle(element);
    const known = new Map<string, string>();
    return (name) => {
        let value = known.get(name);
        if (value === undefined) {
            value = style.getPropertyValue(`--${name}`).trim() || "#888";
            known.set(name, value);
        }
        return value;
    };
}

/** Calls back when colours change: system theme, the page's own, and before and after printing. */
export function onThemeChange(listener: () => void): () => void {
    const queries = ["(prefers-color-scheme: dark)", "print"].map((text) => matchMedia(text));
    for (const query of queries) query.addEventListener("change", listener);
    const observer = new MutationObserver(listener);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
        for (const query of queries) query.removeEventListener("change", listener);
        observer.disconnect();
    };
}

/**
 * Draws after every render, when the size changes, and when the theme changes; at most once a
 * frame. The canvas must have its size from the style sheet.
 */
export function useCanvas(draw: (surface: Surface) => void): {
    ref: RefObject<HTMLCanvasElement | null>;
    /** Asks for a frame, where something changed that is not rendered. */
    redraw: () => void;
} {
    const ref = useRef<HTMLCanvasElement | null>(null);
    const current = useRef(draw);
    current.current = draw;
    const frame = useRef(0);
    const redraw = useRef(() => {
        if (frame.current !== 0) return;
        frame.current = requestAnimationFrame(() => {
            frame.current = 0;
            if (ref.current !== null) paint(ref.current, current.current);
        });
    }).current;
    useLayoutEffect(() => {
        redraw();
    });
    useLayoutEffect(() => {
        const observer = new ResizeObserver(redraw);
        if (ref.current !== null) observer.observe(ref.current);
        const stop = onThemeChange(redraw);
        return () => {
            observer.disconnect();
            stop();
            cancelAnimationFrame(frame.current);
        };
    }, []);
    return { ref, redraw };
}

function paint(canvas: HTMLCanvasElement, draw: (surface: Surface) => void): void {
    const ratio = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    const pixelWidth = Math.round(width * ratio);
    const pixelHeight = Math.round(height * ratio);
    if (canvas.width !== pixelWidth) canvas.width = pixelWidth;
    if (canvas.height !== pixelHeight) canvas.height = pixelHeight;
    const context = canvas.getContext("2d");
    if (context === null || width === 0 || height === 0) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw({ context, width, height, colour: themeColours(canvas) });
}
