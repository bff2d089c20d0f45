/** Of workers alone, which the library of types for pages leaves out. */
declare class FileReaderSync {
    readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
