/** A folder beside the installed packages. */
export declare const compileCacheFolder: string
