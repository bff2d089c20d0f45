declare module "*.css";

/** A worker with all that it imports, as one script (build.mjs). */
declare module "worker:*" {
    const script: string;
    export default script;
}

interface Window {
    trustedTypes?: {
        createPolicy(
            name: string,
            rules: { createScriptURL: (url: string) => string },
        ): { createScriptURL(url: string): string };
    };
}
