/** The folder that contains a folder for each bundle. */
export declare const bundlesFolder: (root?: string) => string
/** The folder of the bundle of the present sources, which may not exist yet. A source with another size or time gives another folder. */
export declare const bundleFolder: (root?: string) => string
/** The URL of the bundled program. If it is missing, `isMade` builds it; otherwise the result is undefined. */
export declare const bundledProgram: (isMade: boolean) => string | undefined
