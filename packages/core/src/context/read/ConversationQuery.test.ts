import { assert, it } from "@effect/vitest"
import { CONVERSATION_QUERY_POINTS_MAX, queryOf } from "./ConversationQuery.ts"

it("the query begins with the newest message and has less of each older one", () => {
  assert.strictEqual(
    queryOf(["А коли повернуть гроші?", "Де моє замовлення 10245?"]),
    "А коли повернуть гроші? Де моє замовлення 10245?"
  )
  const [newest = "", older = ""] = ["новий ", "старий "].map((word) => word.repeat(200))
  const words = queryOf([newest, older])?.split(" ") ?? []
  const count = (word: string) => words.filter((one) => one === word).length
  assert.strictEqual(words.length, count("новий") + count("старий"), "a word is cut")
  assert.isAbove(count("новий"), count("старий"))
  assert.isAbove(count("старий"), 0)
})

it("a text without spaces is cut at the limit, and blank texts make no query", () => {
  assert.strictEqual(queryOf(["😀".repeat(500)]), "😀".repeat(CONVERSATION_QUERY_POINTS_MAX))
  assert.isNull(queryOf([]))
  assert.isNull(queryOf(["", " \n "]))
})
