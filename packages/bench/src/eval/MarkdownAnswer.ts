// Parses a Markdown pack for an evaluation: appeals by rank, their messages and the number of facts (contract §3.5).

const headingShape = /^### (?:chat|ticket) .* 【(\d+)】$/u
const messageShape = /^- [a-z]+(?: note)? [\d: -]+: (?:cut )?(".*")(?: cut)? 【(\d+)(?:v\d+)?】$/u
const missingShape = /^- .* \(([a-z_]+)(?:: [a-z_]+)?\)$/u

export const markdownAnswer = (markdown: string) => {
  const appeals: Array<{
    readonly appealId: number
    readonly snippets: Array<{ readonly messageId: number; readonly text: string }>
  }> = []
  const reasons = new Set<string>()
  let facts = 0
  for (const line of markdown.split("\n")) {
    if (line.endsWith("】")) facts++
    const [, appealId] = headingShape.exec(line) ?? []
    if (appealId !== undefined) appeals.push({ appealId: Number(appealId), snippets: [] })
    const [, text, messageId] = messageShape.exec(line) ?? []
    if (text !== undefined) {
      appeals.at(-1)?.snippets.push({ messageId: Number(messageId), text: String(JSON.parse(text)) })
      continue
    }
    const [, reason] = missingShape.exec(line) ?? []
    if (reason !== undefined) reasons.add(reason)
  }
  return {
    appeals,
    /** Lines that end with a citation. */
    facts,
    /** Reasons of what is missing, each once. */
    reasons: [...reasons]
  }
}
