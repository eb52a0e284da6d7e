// The plans of the dialogues, for every subject in every language.
import { assert, describe, it } from "@effect/vitest"
import { dialoguePlans, subjectAliases } from "./Dialogues.ts"
import { languages } from "./Literals.ts"
import { slotNames } from "./Slots.ts"

describe("the dialogue plans", () => {
  it("cover twelve subjects, each with at least ten plans per language", () => {
    assert.strictEqual(subjectAliases.length, 12)
    for (const alias of subjectAliases)
      for (const language of languages)
        assert.isAtLeast(dialoguePlans(alias, language).length, 10, `${alias} ${language}`)
  })

  it("begin with the client, the bot or the system, and then client and operator alternate", () => {
    for (const alias of subjectAliases)
      for (const language of languages)
        for (const plan of dialoguePlans(alias, language)) {
          const voices = plan.turns.map(({ voice }) => voice)
          const talk = voices.filter((voice) => voice === "client" || voice === "operator")
          const where = `${alias} ${language}: ${plan.title.source}`
          assert.notStrictEqual(voices[0], "operator", where)
          assert.isAtLeast(talk.length, 4, where)
          talk.forEach((voice, i) => assert.strictEqual(voice, i % 2 === 0 ? "client" : "operator", where))
        }
  })

  it("refer to existing slots, and have unique titles", () => {
    for (const alias of subjectAliases)
      for (const language of languages) {
        const plans = dialoguePlans(alias, language)
        assert.strictEqual(new Set(plans.map(({ title }) => title.source)).size, plans.length)
        for (const plan of plans)
          for (const { phrase } of [{ phrase: plan.title }, ...plan.turns])
            for (const slot of phrase.slots)
              assert.isTrue(slotNames.has(slot), `${alias} ${language} {${slot}}`)
      }
  })
})
