// Message templates with {{name}} and {{name|default}}. Inserted values are never read as a template (contract §8).
import { assert, it, onTestFinished } from "@effect/vitest"
import { APPEAL_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { Result } from "effect"
import * as fc from "fast-check"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { fillTemplate, readTemplate, storedTemplate } from "./MessageTemplate.ts"

const fill = (text: string, data: Readonly<Record<string, unknown>>) =>
  fillTemplate(storedTemplate(text), (name) => (Object.hasOwn(data, name) ? data[name] : undefined))
const textOf = (text: string) => ({ _tag: "Text" as const, text })

const names = fc.constantFrom("name", "order", "імʼя", "Замовлення_2", "имя", "_x", "ґ", "数量1")
const plain = fc.string({ unit: "grapheme" }).filter((s) => !s.includes("{{") && !s.endsWith("{"))
const spaces = fc.constantFrom("", " ", "   ")
const value = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("{{name}}", "{{", "}}", "{{x|y}}", "$&", "$1", "\\"),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.boolean(),
  fc.constant(null)
)
const textOfValue = (v: unknown) => (typeof v === "string" ? v : JSON.stringify(v))

it("a message template inserts values unchanged and never interprets them", () => {
  const stretch = fc.record({ before: plain, name: names, left: spaces, right: spaces })
  fc.assert(
    fc.property(
      fc.array(stretch, { maxLength: 6 }),
      plain,
      fc.dictionary(names, value),
      (stretches, after, given) => {
        const data = { ...Object.fromEntries(stretches.map(({ name }) => [name, "✓"])), ...given }
        const written = stretches.map((s) => `${s.before}{{${s.left}${s.name}${s.right}}}`).join("") + after
        const expected = stretches.map((s) => s.before + textOfValue(data[s.name])).join("") + after
        assert.deepStrictEqual(fill(written, data), expected === "" ? { _tag: "Empty" } : textOf(expected))
      }
    )
  )
})

it("a message template uses a default only if the value is missing", () => {
  fc.assert(
    fc.property(names, fc.option(value, { nil: undefined }), spaces, (name, given, space) => {
      const data = given === undefined ? {} : { [name]: given }
      const filled = fill(`<{{${space}${name}${space}|${space}Шановний клієнте${space}}}>`, data)
      assert.deepStrictEqual(
        filled,
        textOf(`<${given === undefined ? "Шановний клієнте" : textOfValue(given)}>`)
      )
    })
  )
})

it("a message template reports each missing value once, and each object", () => {
  assert.deepStrictEqual(fill("{{a}} {{b|}} {{c}} {{a}} {{d}}", { d: { x: 1 } }), {
    _tag: "Missing",
    missing: ["a", "c"],
    unprintable: ["d"]
  })
})

it("a message template ignores inherited members of the data", () => {
  assert.deepStrictEqual(fill("{{constructor}}{{__proto__}}", {}), {
    _tag: "Missing",
    missing: ["constructor", "__proto__"],
    unprintable: []
  })
})

it.each([
  "{{",
  "{{}}",
  "{{ }}",
  "{{1a}}",
  "{{a b}}",
  "{{a.b}}",
  "{{a",
  "x {{a}",
  "{{{a}}}",
  "{{a|{{b}}}}",
  "{{|x}}",
  "{{a\n}}",
  "{{и\u0306}}"
])("a message template refuses %j", (template) => assert.isTrue(Result.isFailure(readTemplate(template))))

it.each([
  ["}}", "}}"],
  ["{a}", "{a}"],
  ["{{a|b}}}", "x}"],
  ["{ {a}}", "{ {a}}"],
  ["{{z|a | b}}", "a | b"],
  ["{{z|}}.", "."],
  ["{{a}}{{a}}", "xx"],
  ["{{{{", "{{"],
  ["{{{{a}}", "{{a}}"],
  ["{{{{{{a}}", "{{x"],
  ["{{{{{a}}", "{{{a}}"],
  ["{{{{{{{{", "{{{{"],
  ["{{a}}{{{{a}}{{z|y}}", "x{{a}}y"]
])("a message template accepts %j", (template, expected) =>
  assert.deepStrictEqual(fill(template, { a: "x" }), textOf(expected))
)

it("a filled template above the length of a message is reported as too long", () => {
  const half = "я".repeat(APPEAL_TEXT_POINTS_MAX / 2)
  assert.strictEqual(fill("{{a}}{{a}}", { a: half })._tag, "Text")
  assert.strictEqual(fill("{{a}}{{a}}.", { a: half })._tag, "Long")
  const long = "x".repeat(60_000)
  assert.strictEqual(fill("{{a}}".repeat(2_000), { a: long })._tag, "Long")
})

it("a message template reports an empty text", () => {
  assert.deepStrictEqual(fill("{{a}}", { a: "" }), { _tag: "Empty" })
})

/** Reads and fills a template. Only a thread can be stopped during a synchronous call, so that quadratic work fails the test. */
const inThread = `
  import { workerData } from "node:worker_threads"
  const { fillTemplate, readTemplate } = await import(workerData.module)
  const template = readTemplate(workerData.text)
  if (template._tag === "Success") fillTemplate(template.success, () => "x")
`

// A million million steps would exceed the timeout of a test on every machine.
it.each([
  ["separators", `{{a|${"|".repeat(1_000_000)}`],
  ["spaces", `{{${" ".repeat(1_000_000)}a}}`],
  ["open braces", "{".repeat(1_000_000)],
  ["placeholders", "{{a}}".repeat(200_000)]
])("a message template with a million characters takes no quadratic time: %s", async (_, text) => {
  const module = new URL("MessageTemplate.ts", import.meta.url).href
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(inThread)}`), {
    workerData: { module, text }
  })
  onTestFinished(() => void thread.terminate())
  assert.deepStrictEqual(await once(thread, "exit"), [0])
})
