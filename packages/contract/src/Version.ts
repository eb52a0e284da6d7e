/** The version of this contract; the document and the command line say it. */
export const version = "0.1.0"
