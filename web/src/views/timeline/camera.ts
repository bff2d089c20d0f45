/** What part of the axis is seen; moves at once or, where motion is wanted, in a few frames. */
import { clamp, writeSpan } from "./axis";
import type { Span } from "./track";

const GLIDE_MS = 130;
const REST_MS = 160;

export class Camera {
    private timer: ReturnType<typeof setTimeout> | undefined;
    private frame = 0;
    /** Where a glide ends. */
    private goal: Span;
    /** What was last written to the address. */
    private written: string;

    constructor(
        public span: Span,
        public extent: Span,
        private readonly redraw: () => void,
        /** Called when it has come to rest elsewhere. */
        private readonly onRest: (text: string) => void,
    ) {
        this.span = clamp(span, extent);
        this.goal = this.span;
        this.written = writeSpan(this.span);
    }

    /** Where it is, or will be. */
    get target(): Span {
        return this.goal;
    }

    jump(span: Span): void {
        cancelAnimationFrame(this.frame);
        this.goal = this.span = clamp(span, this.extent);
        this.moved();
    }

    glide(span: Span): void {
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.jump(span);
        cancelAnimationFrame(this.frame);
        const from = this.span;
        const to = clamp(span, this.extent);
        this.goal = to;
        const begin = performance.now();
        const step = (now: number) => {
            const part = Math.min(1, Math.max(0, (now - begin) / GLIDE_MS));
            const eased = 1 - (1 - part) ** 3;
            this.span = {
                from: from.from + (to.from - from.from) * eased,
                to: from.to + (to.to - from.to) * eased,
            };
            if (part < 1) this.frame = requestAnimationFrame(step);
            this.moved();
        };
        this.frame = requestAnimationFrame(step);
    }

    /** Follows the address, which another has changed. */
    follow(text: string, span: Span): void {
        if (text === this.written) return;
        this.jump(span);
        this.written = text;
    }

    stop(): void {
        cancelAnimationFrame(this.frame);
        clearTimeout(this.timer);
    }

    private moved(): void {
        this.redraw();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            const text = writeSpan(this.span);
            if (text === this.written) return;
            this.written = text;
            this.onRest(text);
        }, REST_MS);
    }
}
