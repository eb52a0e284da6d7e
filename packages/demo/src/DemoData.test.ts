// The demo data is reproducible and realistic, with the logins and ids of contract §11.
import { assert, describe, it } from "@effect/vitest"
import { DAY_MILLIS, DAYS } from "./Calendar.ts"
import { demoQueries, fixedIds, INVITED_USER } from "./Company.ts"
import { BATCH_ROWS_MAX, demoData } from "./DemoData.ts"
import { byAppeal, gather, midnight } from "./DemoDataFixtures.ts"

const demo = gather("demo")
const small = gather("small")

const batches = (at: number) => [...demoData({ size: "small", midnight: at })]
const mine = <A extends { readonly clientId: number }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.filter((row) => row.clientId === fixedIds.client)
const own = (rows: ReadonlyArray<{ readonly instanceId: number }>): number =>
  rows.filter(({ instanceId }) => instanceId === fixedIds.instance).length

describe("the demo", () => {
  it("has one company and a second small instance in the numbers of the contract", () => {
    assert.deepStrictEqual(
      [
        demo("instances").length,
        own(demo("users")),
        own(demo("subjects")),
        own(demo("skillGroups")),
        own(demo("clients")),
        own(demo("appeals"))
      ],
      [2, 26, 12, 3, 2_000, 20_000]
    )
    assert.closeTo(own(demo("appealMessages")), 200_000, 10_000)
    assert.isAbove(demo("appeals").filter(({ instanceId }) => instanceId === 2).length, 50)
  })

  it("repeats no text of more than 40 characters more than 20 times", () => {
    const texts = [
      ...demo("appealMessages").map((row) => row.text),
      ...demo("appeals").flatMap((row) => [row.title, row.description]),
      ...demo("sessionMessages").map((row) => row.content),
      ...demo("clientActions").map((row) => row.summary)
    ].filter((text) => text !== null && text.length > 40)
    const repeated = [...Map.groupBy(texts, (text) => text)].filter(([, same]) => same.length > 20)
    assert.deepStrictEqual(
      repeated.map(([text]) => text),
      []
    )
  })

  it("has no notation of phrases in its texts", () => {
    const wrong = demo("appealMessages").filter(({ text }) => /[{}[\]|<>]|\s\s|^\s|^$|undefined/u.test(text))
    assert.deepStrictEqual(wrong, [])
  })

  it("has texts in Ukrainian, Russian and English, with all three apostrophes", () => {
    const texts = demo("appealMessages").map(({ text }) => text)
    for (const letters of [/[їєґ]/u, /[ыэё]/u, /\bthe\b/iu, /п'я/u, /п’я/u, /пʼя/u])
      assert.isAbove(texts.filter((text) => letters.test(text)).length, 50, String(letters))
  })

  it("has users of every role, an invited user, and actions of every actor type", () => {
    const invited = demo("users").filter(({ status }) => status === "invited")
    assert.deepStrictEqual(
      invited.map(({ id }) => id),
      [INVITED_USER]
    )
    assert.strictEqual(new Set(demo("users").flatMap(({ roles }) => roles)).size, 8)
    assert.strictEqual(new Set(demo("clientActions").map(({ actorType }) => actorType)).size, 5)
  })
})

for (const [size, data] of [
  ["demo", demo],
  ["small", small]
] as const)
  describe(`every row of ${size}`, () => {
    it("is within the two years before midnight, and in order within its appeal", () => {
      const messages = byAppeal(data("appealMessages"))
      const wrong = data("appeals").filter((appeal) => {
        const times = [
          appeal.createdAt,
          ...(messages.get(appeal.id) ?? []).map(({ occurredAt }) => occurredAt)
        ]
        const last = times.at(-1) ?? midnight
        return (
          appeal.createdAt < midnight - DAYS * DAY_MILLIS ||
          times.some((time, i) => i > 0 && time < (times[i - 1] ?? time)) ||
          (appeal.closedAt ?? last) < last ||
          Math.max(last, appeal.updatedAt, appeal.closedAt ?? 0) >= midnight
        )
      })
      assert.deepStrictEqual(wrong, [])
      const others = [
        ...data("clientActions").flatMap(({ occurredAt, recordedAt }) => [occurredAt, recordedAt]),
        ...data("contextSessions").map(({ closedAt, createdAt }) => closedAt ?? createdAt),
        ...data("sessionMessages").map(({ occurredAt }) => occurredAt),
        ...data("propertyValues").map(({ updatedAt }) => updatedAt),
        ...data("clientStateHistory").map(({ updatedAt }) => updatedAt)
      ]
      assert.deepStrictEqual(
        others.filter((time) => time >= midnight),
        []
      )
    })

    it("has the waiting, first response, participation and closing of contract §7", () => {
      const messages = byAppeal(data("appealMessages"))
      const wrong = data("appeals").filter((appeal) => {
        const own = messages.get(appeal.id) ?? []
        const visible = own.filter(({ visibility }) => visibility === "public")
        const lastAnswer = visible.findLastIndex(({ authorType }) => authorType === "operator")
        const unanswered = visible.slice(lastAnswer + 1).find(({ authorType }) => authorType === "client")
        const done = appeal.statusGroup === "done"
        const waiting =
          unanswered?.occurredAt ??
          (appeal.status === "waiting" && visible.length === 0 ? appeal.createdAt : null)
        const first = visible.findIndex(({ authorType }) => authorType === "client")
        const response = visible.find(
          ({ authorType }, i) => first >= 0 && i > first && authorType === "operator"
        )
        const took = new Set(own.flatMap((row) => (row.authorType === "operator" ? [row.authorId] : [])))
        if (appeal.operatorId !== null) took.add(appeal.operatorId)
        return !(
          own.every(({ sequence }, i) => sequence === i + 1) &&
          appeal.messageCount === own.length &&
          appeal.waitingSince === (done ? null : waiting) &&
          appeal.firstResponseAt === (response?.occurredAt ?? null) &&
          appeal.lastMessageAt === (visible.at(-1)?.occurredAt ?? null) &&
          (appeal.closedAt !== null) === done &&
          took.size === appeal.operatorIds.length &&
          appeal.operatorIds.every((id) => took.has(id)) &&
          (appeal.kind === "ticket" || (appeal.operatorId === null) === (appeal.status === "waiting")) &&
          own.every((row) => row.authorType !== "client" || row.authorId === appeal.clientId)
        )
      })
      assert.deepStrictEqual(wrong, [])
    })

    it("has actions and sessions only of appeals of their client", () => {
      const owner = new Map(data("appeals").map(({ clientId, id }) => [id, clientId]))
      const stray = [...data("clientActions"), ...data("contextSessions")].filter(
        ({ appealId, clientId }) => appealId !== null && owner.get(appealId) !== clientId
      )
      assert.deepStrictEqual(stray, [])
    })

    it("has the ids of contract §11", () => {
      const appeal = (id: number) => data("appeals").find((row) => row.id === id)
      for (const [id, count] of Object.entries(fixedIds.longChats)) {
        assert.strictEqual(appeal(Number(id))?.messageCount, count)
        assert.strictEqual(appeal(Number(id))?.clientId, 502)
        assert.strictEqual(appeal(Number(id))?.kind, "chat")
      }
      assert.strictEqual(appeal(9005)?.clientId, 502)
      assert.deepStrictEqual(
        data("quarantine").map(({ instanceId, key, kind }) => ({ instanceId, key, kind })),
        [{ instanceId: 1, key: 9005, kind: "evidence" }]
      )
      const group = data("skillGroups").find(({ id }) => id === 3)
      assert.include(group?.subjectIds ?? [], 12)
      const login = (id: number) => data("users").find((user) => user.id === id)?.login ?? ""
      for (const name of ["operator", "supervisor", "light_agent"])
        assert.include(group?.memberIds.map(login) ?? [], name)
      assert.strictEqual(login(31), "operator")
      assert.strictEqual(data("clients").find(({ id }) => id === 601)?.instanceId, 2)
      assert.strictEqual(data("subjects").find(({ id }) => id === 12)?.alias, "billing")
    })

    it("has the demo password only for the demo logins, one for each role", () => {
      const logins = data("users").filter(({ hasDemoPassword }) => hasDemoPassword)
      for (const { instanceId, login, roles, status } of logins) {
        assert.strictEqual(login, instanceId === 1 ? roles[0] : "other.administrator")
        assert.strictEqual(status, "active")
      }
      assert.strictEqual(logins.length, 9)
    })

    it("belongs to a company whose client 501 has appeals in two languages and all context data", () => {
      const own = data("appeals").filter(({ clientId }) => clientId === 501)
      const billing = own.filter(({ subjectId }) => subjectId === 12)
      assert.isTrue(billing.some(({ operatorIds }) => operatorIds.includes(31)))
      assert.isTrue(billing.some(({ operatorIds }) => operatorIds.length > 0 && !operatorIds.includes(31)))
      assert.isTrue(own.some(({ statusGroup }) => statusGroup !== "done"))
      const texts = data("appealMessages")
        .filter((row) => own.some(({ id }) => id === row.appealId))
        .map(({ text }) => text)
      assert.isTrue(texts.some((text) => /[їєі]/u.test(text)) && texts.some((text) => /\bthe\b/u.test(text)))
      assert.isAtLeast(mine(data("clientState")).length, 2)
      assert.strictEqual(new Set(mine(data("clientActions")).map(({ actorType }) => actorType)).size, 5)
      assert.isTrue(mine(data("contextSessions")).some(({ status }) => status === "open"))
      assert.isTrue(mine(data("contextSessions")).some(({ appealId }) => appealId !== null))
      const roles = new Set(mine(data("sessionMessages")).map(({ role }) => role))
      for (const role of ["client", "assistant", "operator", "tool", "system"] as const)
        assert.isTrue(roles.has(role), role)
      assert.isAtLeast(
        data("propertyValues").filter((row) => row.entity === "client" && row.entityId === 501).length,
        9
      )
    })

    it("includes two billing appeals of client 501 that answer the example questions", () => {
      assert.notStrictEqual<number>(demoQueries.uk.finds, demoQueries.en.finds)
      for (const { finds } of Object.values(demoQueries)) {
        const found = data("appeals").find(({ id }) => id === finds)
        assert.deepStrictEqual([found?.clientId, found?.subjectId, found?.statusGroup], [501, 12, "done"])
      }
    })
  })

describe("the sizes", () => {
  it("small has a hundredth of the clients and appeals", () => {
    assert.isAtMost(own(small("clients")), 30)
    assert.closeTo(own(small("appeals")), 225, 5)
  })

  it("equal sizes and midnights give equal batches of at most 2,000 rows, another midnight gives others", () => {
    const first = batches(midnight)
    assert.isTrue(first.every(({ rows }) => rows.length <= BATCH_ROWS_MAX))
    assert.isTrue(JSON.stringify(batches(midnight)) === JSON.stringify(first))
    assert.isFalse(JSON.stringify(batches(midnight + DAY_MILLIS)) === JSON.stringify(first))
  })
})
