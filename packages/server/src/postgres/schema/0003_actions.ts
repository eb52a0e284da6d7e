// What a repeat of an external event answers: the command's fingerprint, its receipt and the state it wrote (§4).
export const actions: ReadonlyArray<string> = [
  `alter table client_actions
    add column fingerprint text,
    add column receipt json,
    add column state_written json`
]
