import { assert, describe, it } from "@effect/vitest"
import { SNIPPET_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import * as fc from "fast-check"
import { Effect, Fiber } from "effect"
import { spawnSync } from "node:child_process"
import { type Snippet, SNIPPET_POINTS_AIM, snippetsFor, withSnippets } from "./Snippets.ts"
import { textQueryOf } from "./TextQuery.ts"
import { stem, words } from "./Words.ts"

const snippetOf = (query: string | null): ((text: string) => Snippet) =>
  snippetsFor(query === null ? null : textQueryOf(query))

const highlightedIn = (text: string, query: string): ReadonlyArray<string> => {
  const snippet = snippetOf(query)(text)
  return snippet.highlights.map(([from, to]) => Array.from(snippet.text).slice(from, to).join(""))
}

const filler = (word: string) => `${`${word} `.repeat(30).trim()}.`

const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 600 }),
  fc.string({ unit: "binary", maxLength: 600 }),
  fc
    .array(fc.constantFrom(..."refund|п’ять|рахунки|😀|. |\n| |слово |e\u0301".split("|"), "ё".repeat(90)), {
      maxLength: 500
    })
    .map((parts) => parts.join(""))
)
const queries = fc.oneof(
  fc.constant(null),
  fc.constantFrom("refund", "рахунок п'ять", "when", "ё".repeat(70)),
  fc.string({ unit: "grapheme" })
)

describe("snippetsFor", () => {
  it("shows a short message completely and highlights the words of the query (contract §3.2)", () => {
    const text = "Добрий день! Де мої Рахунки за п’ятницю?"
    assert.deepStrictEqual(snippetOf("рахунок за п'ятниця")(text), {
      text,
      cutBefore: false,
      cutAfter: false,
      highlights: [
        [20, 27],
        [31, 39]
      ]
    })
  })

  it("counts an emoji as one code point", () => {
    assert.deepStrictEqual(snippetOf("refund")("😀😀 refund").highlights, [[3, 9]])
  })

  it("highlights every form, case and spelling of a word, but no question words", () => {
    assert.deepStrictEqual(highlightedIn("When will the INVOICES and the Café come?", "when invoice cafe"), [
      "INVOICES",
      "Café"
    ])
    assert.deepStrictEqual(highlightedIn("Коли прийде посилка, п'ять днів чекаю", "коли п’ять посилок"), [
      "посилка",
      "п'ять"
    ])
  })

  it("shows the matched sentence and as many adjacent sentences as fit", () => {
    const text = `${filler("before")} ${filler("near")} The refund is late. Please hurry! ${filler("after")} ${filler("far")}`
    const { text: shown } = snippetOf("refund")(text)
    assert.include(shown, "The refund is late. Please hurry!")
    assert.isAtMost(pointsOf(shown), SNIPPET_POINTS_AIM)
    assert.notInclude(shown, "far")
  })

  it("shows a message of up to 300 characters completely, whichever sentence matches", () => {
    for (const [query, text] of [
      [
        "товар зламаний",
        "Хочу повернення. Товар зламаний. Ні, зачекайте. Я перевірила ще раз. Товар працює. Повернення не потрібне."
      ],
      ["delivery", "Hi. Where is my delivery? I paid. On Monday. By card. Order 77410. To Lviv. Thanks."],
      ["оплата", `Оплата.\n${"Так. ".repeat(57)}Ні.`],
      ["оплата", `Оплата ${"😀".repeat(293)}`],
      [null, "Да. Нет. Не знаю."]
    ] as const)
      assert.deepInclude(snippetOf(query)(text), { text, cutBefore: false, cutAfter: false })
  })

  it("fills the bound with adjacent sentences, also if they are short", () => {
    const text = `${"Так. ".repeat(200)}Де посилка? ${"Ні. ".repeat(200)}`
    const shown = snippetOf("посилка")(text)
    assert.isAtLeast(pointsOf(shown.text), SNIPPET_POINTS_AIM - 5)
    assert.isAtMost(pointsOf(shown.text), SNIPPET_POINTS_AIM)
    assert.deepInclude(shown, { cutBefore: true, cutAfter: true })
  })

  it("fills most of the bound with words if the next sentences are too long", () => {
    const long = `${"слово ".repeat(80).trim()}.`
    for (const [text, before, after] of [
      [`Де посилка? ${long}`, false, true],
      [`${long} Де посилка?`, true, false],
      [`${long} Де посилка? ${long}`, true, true]
    ] as const)
      for (const query of ["посилка", ...(text.startsWith("Де") ? [null] : [])]) {
        const shown = snippetOf(query)(text)
        assert.include(shown.text, "Де посилка?")
        assert.isAtLeast(pointsOf(shown.text), 200)
        assert.isAtMost(pointsOf(shown.text), SNIPPET_POINTS_AIM)
        assert.deepInclude(shown, { cutBefore: before && shown.cutBefore, cutAfter: after })
      }
  })

  it("reports on which sides the message is cut", () => {
    fc.assert(
      fc.property(texts, queries, (text, query) => {
        const { cutAfter, cutBefore, text: shown } = snippetOf(query)(text)
        const isComplete = shown === text.trim()
        assert.strictEqual(cutBefore || cutAfter, !isComplete)
        if (!cutBefore) assert.isTrue(text.trimStart().startsWith(shown))
        if (!cutAfter) assert.isTrue(text.trimEnd().endsWith(shown))
        if (pointsOf(text.trim()) <= SNIPPET_POINTS_AIM) assert.isTrue(isComplete)
        // Only a word that does not fit may leave most of the snippet unused.
        else assert.isTrue(pointsOf(shown) >= 150 || text.split(/\s/u).some((word) => pointsOf(word) > 150))
      }),
      { numRuns: 500, examples: [[`refund ${"ё".repeat(295)}`, "refund"]] }
    )
  })

  it("prefers the sentence with more words of the query", () => {
    const text = `A parcel. ${"x ".repeat(200)}. The parcel and the refund. ${"y ".repeat(200)}.`
    assert.deepStrictEqual(highlightedIn(text, "refund parcel"), ["parcel", "refund"])
  })

  it("cuts a very long sentence around its matches", () => {
    const text = `${"слово ".repeat(2_000)}повернення коштів ${"слово ".repeat(2_000)}`
    const { text: shown } = snippetOf("повернення кошти")(text)
    assert.isAtMost(pointsOf(shown), SNIPPET_POINTS_AIM)
    assert.deepStrictEqual(highlightedIn(text, "повернення кошти"), ["повернення", "коштів"])
    assert.match(shown, /^слово.*слово$/u)
  })

  it("shows the beginning of the message without a query or a match", () => {
    const text = `${"Один два три. ".repeat(100)}`
    for (const query of [null, "nothing", "what"]) {
      const { highlights, text: shown } = snippetOf(query)(text)
      assert.deepStrictEqual(highlights, [])
      assert.isTrue(text.startsWith(shown) && pointsOf(shown) <= SNIPPET_POINTS_AIM && shown.endsWith("три."))
    }
  })

  it("never cuts inside a character: surrogates, marks, joined emoji, flags", () => {
    const family = "👨‍👩‍👧"
    for (const character of ["😀", "e\u0301", family, "🇺🇦", "👍🏽"]) {
      const { text } = snippetOf(null)(`a${character.repeat(400)}`)
      assert.isTrue(`a${character.repeat(400)}`.startsWith(text))
      assert.strictEqual((text.length - 1) % character.length, 0)
    }
  })

  it("returns a verbatim and bounded part with valid highlights", () => {
    fc.assert(
      fc.property(texts, queries, (text, query) => {
        const snippet = snippetOf(query)(text)
        const points = Array.from(snippet.text)
        assert.isTrue(text.includes(snippet.text))
        assert.isAtMost(points.length, query === null ? SNIPPET_POINTS_AIM : SNIPPET_POINTS_MAX)
        let last = -1
        for (const [from, to] of snippet.highlights) {
          assert.isTrue(from > last && to > from && to <= points.length)
          last = to
        }
        if (query === "refund") {
          // A related word is highlighted only if the text has no word of the query.
          const stems = snippet.highlights.map(([a, b]) => stem(points.slice(a, b).join("")))
          const isThere = words(text).some((word) => word.stem === "refund")
          assert.isTrue(stems.every((one) => (isThere ? one === "refund" : one.startsWith("refun"))))
        }
      }),
      { numRuns: 500 }
    )
  })

  it("highlights a related word if the text has no form of the word itself", () => {
    assert.deepStrictEqual(highlightedIn("Місяць закінчується, а рахунка досі немає.", "рахунок"), [
      "рахунка"
    ])
    assert.deepStrictEqual(highlightedIn("Де рахунок? Рахунка немає.", "рахунок"), ["рахунок"])
  })

  it("finds a word far inside a long text", () => {
    for (const far of ["повернення", "возврат", "refund"]) {
      const text = `${"слово word ".repeat(300)}. Де ${far}? ${"інше ".repeat(300)}`
      assert.deepStrictEqual(highlightedIn(text, far), [far])
    }
  })

  // Eight times the text may need about eight times the work. Quadratic work would be 64 times as much.
  const parts = `!|?.|"!|!)|. |\n|a|a |refund |refund! |ї|ї'|e\u0301|😀|\u200d`.split("|")
  const repeated = fc.sample(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 }), 30)

  it("does linear work, also for repetitive texts", () => {
    const modules = ["./Snippets.ts", "./TextQuery.ts"].map((name) => new URL(name, import.meta.url).href)
    // Counts how often each block of code runs, which does not depend on the speed of the machine. Blocks are counted only of code
    // that is loaded afterwards.
    const counting = `
      import { Session } from "node:inspector/promises"
      const session = new Session()
      session.connect()
      await session.post("Profiler.enable")
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
      const [{ snippetsFor }, { textQueryOf }] = await Promise.all(${JSON.stringify(modules)}.map((url) => import(url)))
      const cut = snippetsFor(textQueryOf("refund їжак"))
      const workOf = async (part, units) => {
        const text = "refund " + part.repeat(Math.ceil(units / part.length)) + "x"
        await session.post("Profiler.takePreciseCoverage")
        cut(text)
        const { result } = await session.post("Profiler.takePreciseCoverage")
        return result
          .filter(({ url }) => url.includes("/search/text/"))
          .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
          .reduce((sum, { count }) => sum + count, 0)
      }
      const counted = []
      for (const parts of ${JSON.stringify(repeated)}) {
        const part = parts.join("")
        counted.push([part, await workOf(part, 1_000), await workOf(part, 8_000)])
      }
      console.log(JSON.stringify(counted))`
    const { stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", counting], {
      encoding: "utf8"
    })
    assert.notStrictEqual(stdout, "", stderr)
    const counted: ReadonlyArray<[part: string, work: number, more: number]> = JSON.parse(stdout)
    assert.lengthOf(counted, repeated.length)
    for (const [part, work, more] of counted) {
      // Fewer would mean that blocks are not counted.
      assert.isAbove(work, 500, JSON.stringify(part))
      assert.isBelow(more, 24 * work, JSON.stringify(part))
    }
  }, 60_000)

  it("yields to other requests between texts, and ends when it is interrupted", async () => {
    const texts = Array.from({ length: 100 }, () => ({ text: `refund ${"! ".repeat(4_000)}` }))
    const cutting = withSnippets(textQueryOf("refund"), texts, () => true)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const found = await Effect.runPromise(cutting)
    clearInterval(timer)
    assert.lengthOf(found, 100)
    assert.isAbove(turns, 2)
    let ended = false
    const fiber = Effect.runFork(Effect.tap(cutting, () => Effect.sync(() => (ended = true))))
    await Effect.runPromise(Fiber.interrupt(fiber))
    assert.isFalse(ended)
  })
})
