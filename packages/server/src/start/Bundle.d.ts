/** Holds a folder for each bundle. */
export declare const bundlesFolder: (root?: string) => string
/** The folder of the bundle of the present sources, made or not: a source whose size or time changes gives another. */
export declare const bundleFolder: (root?: string) => string
/** The program of the bundle as a URL; where it is missing it is made, if `isMade`. Undefined: there is none. */
export declare const bundledProgram: (isMade: boolean) => string | undefined
