/** Starts a worker from its bundled script: the only address of a script that the page makes. */
const policy = window.trustedTypes?.createPolicy("etscope", {
    createScriptURL: (url) => {
        if (!url.startsWith("blob:")) throw new TypeError("only scripts of the page itself");
        return url;
    },
});

/** `import script from "worker:./name.worker"`, then `startWorker(script)`. */
export function startWorker(script: string): Worker {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    return new Worker(policy?.createScriptURL(url) ?? url);
}
