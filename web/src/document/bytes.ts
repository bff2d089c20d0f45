/** Reads the numbers of a section: LEB128, zigzag, and bits. Every read is bounded. */

/** A document that cannot be read; the message is for the reader of the page. */
export class DocumentError extends Error {
    override name = "DocumentError";
}

const LARGEST_VARINT_BYTES = 10;
const EXACT_VARINT_BYTES = 7; /* 49 bits: exact as a double, before and after zigzag */

export class ByteReader {
    private at: number;

    constructor(
        private readonly bytes: Uint8Array,
        private readonly place: string,
        start = 0,
        private readonly end = bytes.length,
    ) {
        if (start < 0 || end < start || end > bytes.length) this.fail("is cut off");
        this.at = start;
    }

    get position(): number {
        return this.at;
    }

    get left(): number {
        return this.end - this.at;
    }

    fail(reason: string): never {
        throw new DocumentError(`${this.place} ${reason}: the report is damaged, write it again`);
    }

    /** The next `size` bytes, without a copy. */
    take(size: number): Uint8Array {
        if (!Number.isSafeInteger(size) || size < 0 || size > this.left) this.fail("is cut off");
        this.at += size;
        return this.bytes.subarray(this.at - size, this.at);
    }

    /** An unsigned number of at most 2^53 - 1. */
    unsigned(): number {
        let value = 0;
        let scale = 1;
        for (let i = 0; i < 8; i++) {
            const byte = this.byte();
            value += (byte & 0x7f) * scale;
            if (byte < 0x80) {
                if (!Number.isSafeInteger(value)) this.fail("holds a number that is too large");
                return value;
            }
            scale *= 128;
        }
        return this.fail("holds a number that is too large");
    }

    /**
     * `count` signed numbers, each the difference to the number before it, or without `deltas` the
     * number itself. Sums wrap at 64 bits; beyond 2^53 the numbers are rounded.
     */
    signed(count: number, deltas: boolean): Float64Array {
        if (count > this.left) this.fail("is cut off"); /* at least one byte each */
        const values = new Float64Array(count);
        const start = this.at;
        let sum = 0;
        for (let i = 0; i < count; i++) {
            const difference = this.short();
            sum = deltas ? sum + difference : difference;
            if (!Number.isSafeInteger(sum)) {
                this.at = start;
                return this.wide(values, deltas);
            }
            values[i] = sum;
        }
        return values;
    }

    /** A zigzag number; NaN if it takes more than 49 bits. */
    private short(): number {
        let low = 0;
        let shift = 0;
        for (; shift < 28; shift += 7) {
            const byte = this.byte();
            low |= (byte & 0x7f) << shift;
            if (byte < 0x80) return (low >>> 1) ^ -(low & 1);
        }
        let value = low >>> 0;
        let scale = 2 ** 28;
        for (let i = 4; i < EXACT_VARINT_BYTES; i++) {
            const byte = this.byte();
            value += (byte & 0x7f) * scale;
            if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
            scale *= 128;
        }
        return Number.NaN;
    }

    private wide(values: Float64Array, deltas: boolean): Float64Array {
        let sum = 0n;
        for (let i = 0; i < values.length; i++) {
            let value = 0n;
            for (let k = 0; ; k++) {
                if (k === LARGEST_VARINT_BYTES) this.fail("holds a number that is too large");
                const byte = this.byte();
                value |= BigInt(byte & 0x7f) << BigInt(7 * k);
                if (byte < 0x80) break;
            }
            const difference = (value >> 1n) ^ -(value & 1n);
            sum = BigInt.asIntN(64, deltas ? sum + difference : difference);
            values[i] = Number(sum);
        }
        return values;
    }

    private byte(): number {
        if (this.at >= this.end) this.fail("is cut off");
        return this.bytes[this.at++] as number;
    }
}
