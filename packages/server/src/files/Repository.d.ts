/** The folder of README.md. */
export declare const repositoryFolder: string
