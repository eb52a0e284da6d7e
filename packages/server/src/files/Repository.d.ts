/** The root folder, which contains README.md. */
export declare const repositoryFolder: string
