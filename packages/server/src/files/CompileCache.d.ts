/** A folder in node_modules. */
export declare const compileCacheFolder: string
