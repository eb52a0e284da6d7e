/** The version of the contract, shown in the document and on the command line. */
export const version = "0.1.0"
