/** The first screen: where to drop, what can be dropped, an example, and where files go. */
const KINDS: [string, string][] = [
    ["Traces", ".etdp, .etdump; profiles of ONNX Runtime, PyTorch and LiteRT"],
    ["Programs", ".pte, .bpte: what runs where, memory, size"],
    ["ETRecords", ".etrecord: source lines, modules, the graph"],
    ["Captured tensors", ".bin, beside the trace of their run: which value is wrong first"],
    ["A measured machine", ".json of etscope machine: how far operators are from its roofs"],
];

interface Properties {
    choose: (list: FileList | null) => void;
    example: () => void;
    isOver: boolean;
}

export function Start({ choose, example, isOver }: Properties) {
    return (
        <main class="start">
            <h1>etscope</h1>
            <p class="lead">Where an ExecuTorch model spends its time, its memory and its bytes.</p>
            <div class="area" data-over={isOver}>
                <p class="drop">Drop files or a folder here</p>
                <p class="choices">
                    <label class="button main">
                        Choose files
                        <input
                            type="file"
                            multiple
                            onChange={(event) => choose(event.currentTarget.files)}
                        />
                    </label>
                    <label class="button">
                        Choose a folder
                        <input
                            type="file"
                            ref={(input) => input?.setAttribute("webkitdirectory", "")}
                            onChange={(event) => choose(event.currentTarget.files)}
                        />
                    </label>
                    <button onClick={example}>Open an example</button>
                </p>
                <p class="private">
                    Files stay on this machine: the page reads them itself, and its browser forbids
                    it any network.
                </p>
            </div>
            <dl class="kinds">
                {KINDS.map(([name, what]) => (
                    <div key={name}>
                        <dt>{name}</dt>
                        <dd>{what}</dd>
                    </div>
                ))}
            </dl>
            <p class="more">
                Any of them may be missing. What is dropped together is read together, such as
                model.etdp with model.etrecord and model.pte. Drop a second trace later to compare.
            </p>
        </main>
    );
}
