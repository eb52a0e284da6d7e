// The promises of contract §3.1, §3.2 and §3.3 as laws for a search index of appeals, and laws for its writes: steps, revisions,
// readiness, and the two copies.
import { AppealIndex, AppealProjection } from "../appeals/AppealIndex.ts"
import { type DocumentQuery, everyDocument } from "../search/DocumentIndex.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import {
  appeal,
  checkpointOf,
  dayMillis,
  firstDay,
  foundIds,
  indexAppeals,
  indexCheckpoint,
  newInstance,
  nothing,
  removal,
  searchAppeals,
  upsert,
  write,
  writeAppeals
} from "./EvidenceFixtures.ts"

type Halves = Layer.Layer<AppealIndex | AppealProjection, unknown>

/** OpenSearch takes minutes to start on a loaded machine. */
const live = { excludeTestServices: true, timeout: 240_000 } as const

/** The appeals found, in order, with the messages that match. */
const foundMessages = (instanceId: number, over: Partial<DocumentQuery>) =>
  Effect.map(searchAppeals(instanceId, over), ({ candidates }) =>
    candidates.map(({ documentId, passages }) => [documentId, passages.map(({ messageId }) => messageId)])
  )

/** Registers the laws for one implementation. Its layer is built several times. */
export const evidenceIndexLaws = (name: string, halves: Halves): void => {
  describe(`AppealIndex: ${name}`, () => {
    recencyLaws(halves)
    queryLaws(halves)
    languageLaws(halves)
    spellingLaws(halves)
    visibilityLaws(halves)
    readingLaws(halves)
    writingLaws(halves)
    copyLaws(halves)
  })
}

const recencyLaws = (halves: Halves) =>
  layer(halves, live)("without a query", (it) => {
    it.effect("returns the latest by createdAt, then id, both descending (contract §3.1 recent)", () =>
      Effect.gen(function* () {
        const sameDay = [4, 2, 3].map((documentId) => ({ documentId, createdAt: firstDay }))
        const id = yield* indexAppeals(...sameDay, { documentId: 1, createdAt: firstDay + 1 })
        assert.deepStrictEqual(yield* foundIds(id), [1, 4, 3, 2])
        const { candidates } = yield* searchAppeals(id)
        assert.deepStrictEqual(candidates[0], { documentId: 1, score: null, passages: [] })
      })
    )
    it.effect("returns appeals with from <= createdAt < to", () =>
      Effect.gen(function* () {
        const texts = ["refund"]
        const id = yield* indexAppeals({ texts }, { texts }, { texts })
        const range = { from: firstDay + dayMillis, to: firstDay + 3 * dayMillis }
        assert.deepStrictEqual(yield* foundIds(id, range), [2, 1])
        assert.deepStrictEqual(yield* foundIds(id, { ...range, to: range.to + 1 }), [3, 2, 1])
        assert.deepStrictEqual(yield* foundIds(id, { ...range, from: range.from + 1 }), [2])
        assert.sameMembers(yield* foundIds(id, { ...range, query: "refund" }), [1, 2])
      })
    )
    it.effect("returns the appeals of a client, subject, operator or group", () =>
      Effect.gen(function* () {
        const texts = ["refund"]
        const id = yield* indexAppeals(
          { clientId: 7, subjectId: 5, operatorId: 9, operatorIds: [8, 9], texts },
          { clientId: 7, subjectId: 6, operatorId: null, operatorIds: [], texts },
          { clientId: 8, subjectId: null, operatorId: null, operatorIds: [9], texts }
        )
        const scopes = [
          [{ _tag: "Client", clientId: 7 }, [2, 1]],
          [{ _tag: "Subject", subjectId: 5 }, [1]],
          [{ _tag: "Participant", userId: 8 }, [1]],
          [{ _tag: "Group", subjectIds: [5, 6, 99], userIds: [] }, [2, 1]],
          [{ _tag: "Group", subjectIds: [], userIds: [8, 9] }, [3, 1]],
          [{ _tag: "Group", subjectIds: [5], userIds: [8, 9] }, [3, 1]],
          [{ _tag: "Group", subjectIds: [], userIds: [] }, []],
          [{ _tag: "Client", clientId: 99 }, []]
        ] as const
        for (const [scope, ids] of scopes) {
          assert.deepStrictEqual(yield* foundIds(id, { scope }), [...ids])
          assert.sameOrderedMembers(
            (yield* foundIds(id, { scope, query: "refund" })).toSorted((a, b) => b - a),
            [...ids]
          )
        }
      })
    )
    it.effect("reports whether more appeals match than the limit", () =>
      Effect.gen(function* () {
        const texts = ["refund"]
        const id = yield* indexAppeals({ texts }, { texts }, { texts })
        for (const query of [null, "refund"]) {
          const some = yield* searchAppeals(id, { query, limit: 2 })
          assert.deepStrictEqual([some.candidates.length, some.more], [2, true])
          const all = yield* searchAppeals(id, { query, limit: 3 })
          assert.deepStrictEqual([all.candidates.length, all.more], [3, false])
        }
      })
    )
  })

const answeredBy = (speaker: string) => ({ texts: ["it did arrive today", { speaker, text: "fine" }] })

const queryLaws = (halves: Halves) =>
  layer(halves, live)("with a query", (it) => {
    it.effect("returns only appeals that match, with descending scores in 0…1 (contract §3.1 relevant)", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals(
          { texts: ["The invoice is wrong", "I will send a new one"] },
          { texts: ["The parcel is late", "The courier was delayed"] },
          { texts: ["Where is my refund for the invoice?", "The refund was sent"] }
        )
        const { candidates } = yield* searchAppeals(id, { query: "refund of an invoice" })
        assert.deepStrictEqual(
          candidates.map((one) => one.documentId),
          [3, 1]
        )
        const scores = candidates.map((one) => one.score ?? -1)
        assert.isTrue(scores.every((score, at) => score >= 0 && score <= 1 && score <= (scores[at - 1] ?? 1)))
        assert.isAbove(scores[0] ?? 0, scores[1] ?? 0)
      })
    )
    for (const [answered, unanswered, text] of [
      [
        "коли повернуть гроші за зламаний сканер",
        "коли повернуть акваріум Марічки з Буковелю",
        "Поверніть гроші за зламаний сканер"
      ],
      [
        "когда вернут деньги за сломанный сканер",
        "когда вернут аквариум Марины из Буковеля",
        "Верните деньги за сломанный сканер"
      ],
      [
        "refund for the broken scanner",
        "refund for Marina's aquarium in Bukovel",
        "I want a refund for the broken scanner"
      ]
    ] as const) {
      it.effect(`scores "${answered}" higher than "${unanswered}" (§3.2 score)`, () =>
        Effect.gen(function* () {
          const others = Array.from({ length: 8 }, (_, at) => ({
            texts: [`Доставка parcel ${at}`, "Добре, дякую"],
            documentId: at + 2
          }))
          const id = yield* indexAppeals({ texts: [text] }, ...others)
          const scores = []
          for (const query of [answered, unanswered])
            scores.push((yield* searchAppeals(id, { query })).candidates[0]?.score ?? 0)
          // In both engines, so that one minScore suits both.
          assert.isAbove(scores[0] ?? 0, 0.3)
          assert.isBelow(scores[1] ?? 1, 0.05)
        })
      )
    }
    it.effect("ranks an appeal of a subject and of a member of the group first", () =>
      Effect.gen(function* () {
        const texts = ["The refund is late"]
        const id = yield* indexAppeals(
          { subjectId: 5, operatorIds: [8], texts },
          { subjectId: 5, operatorIds: [7], texts },
          { subjectId: 6, operatorIds: [8], texts },
          { subjectId: 5, operatorIds: [], texts },
          // A word of every appeal scores next to nothing.
          ...Array.from({ length: 8 }, (_, at) => ({ documentId: at + 5, subjectId: 6, texts: ["parcel"] }))
        )
        const scope = { _tag: "Group", subjectIds: [5], userIds: [8] } as const
        const { candidates } = yield* searchAppeals(id, { scope, query: "refund" })
        const scores = new Map(candidates.map(({ documentId, score }) => [documentId, score]))
        assert.deepStrictEqual([candidates[0]?.documentId, scores.size], [1, 4])
        assert.isAbove(scores.get(1) ?? 0, scores.get(2) ?? 1)
        assert.deepStrictEqual(new Set([scores.get(2), scores.get(3), scores.get(4)]).size, 1)
      })
    )
    it.effect("finds appeals of the subjects and of the members of a group, also if none is of both", () =>
      Effect.gen(function* () {
        const texts = ["the late parcel"]
        const id = yield* indexAppeals(
          { subjectId: 5, operatorIds: [1], texts },
          { subjectId: 6, operatorIds: [8], texts },
          { subjectId: 5, operatorIds: [1], texts: ["a parcel"] },
          { subjectId: 6, operatorIds: [9], texts }
        )
        const scope = { _tag: "Group", subjectIds: [5], userIds: [8] } as const
        assert.deepStrictEqual(yield* foundIds(id, { scope, query: "late parcel" }), [2, 1, 3])
      })
    )

    it.effect("returns the messages that match, best first, up to the limit", () =>
      Effect.gen(function* () {
        // No other law has the second word: OpenSearch weighs words by all instances of a shard.
        const texts = [
          "hello",
          "refund",
          "no",
          "nothing here",
          "a refund for the gasket please",
          "bye",
          "refund"
        ]
        const id = yield* indexAppeals({ texts })
        const passagesPerDocument = 2
        const { candidates } = yield* searchAppeals(id, { query: "refund gasket", passagesPerDocument })
        const passages = candidates[0]?.passages ?? []
        assert.deepStrictEqual([passages.length, passages[0]?.messageId], [2, 1_005])
        assert.isTrue(passages.every((one) => [1_002, 1_005, 1_007].includes(one.messageId ?? 0)))
        assert.isAtLeast(passages[0]?.score ?? 0, passages[1]?.score ?? 1)
        assert.isTrue(passages.every((one) => one.score >= 0 && one.score <= 1))
      })
    )
    it.effect("finds an appeal by its words only while it has at most 5,000 messages", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ heading: "refund", texts: null })
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [])
        yield* writeAppeals(id, [{ revision: 2, texts: ["refund"] }])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [1])
        yield* writeAppeals(id, [{ revision: 3, texts: null }])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [])
        assert.deepStrictEqual(yield* foundIds(id), [1])
      })
    )
    it.effect("finds a ticket by its title and description, which have no message id", () =>
      Effect.gen(function* () {
        const ticket = { heading: "Broken scanner since Monday" }
        const id = yield* indexAppeals({ ...ticket, texts: ["hello"] })
        assert.deepStrictEqual(yield* foundMessages(id, { query: "scanner" }), [[1, [null]]])
      })
    )
    it.effect("does not match question words or names of speakers", () =>
      Effect.gen(function* () {
        const text = "when did you send what I need"
        const id = yield* indexAppeals({ texts: [{ speaker: "Olena Refund", text }] })
        assert.deepStrictEqual(yield* foundIds(id, { query: "when did the refund arrive" }), [])
        assert.deepStrictEqual(yield* foundIds(id, { query: "коли що" }), [])
        assert.deepStrictEqual(yield* foundIds(id, { query: "what when" }), [1])
        assert.deepStrictEqual(yield* foundIds(id, { query: "?!…" }), [])
      })
    )
    it.effect("finds related words in every language, ranked after the word itself", () =>
      Effect.gen(function* () {
        const cases = [
          ["counseling", "counseling helps", "the counselor called", "the manager called"],
          ["доставити", "було доставлено вчора", "це доставщик", "було оплачено вчора"],
          ["возвращение", "о возвращении", "они возвратили мне", "они объяснили мне"]
        ] as const
        for (const [query, word, family, other] of cases) {
          const id = yield* indexAppeals(
            { texts: [word, other] },
            { texts: [family, other] },
            { texts: [other] }
          )
          assert.deepStrictEqual(yield* foundMessages(id, { query }), [
            [1, [1_001]],
            [2, [2_001]]
          ])
        }
      })
    )
    it.effect("ranks an appeal also by the speakers next to its matches", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals(answeredBy("Olena"), answeredBy("Taras"), answeredBy("Ivan"))
        const [first] = yield* foundIds(id, { query: "what did Olena say about what arrived" })
        assert.strictEqual(first, 1)
      })
    )
    it.effect("does not interpret signs of a query language", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["refund and parcel"] })
        for (const query of [
          '"refund',
          "refund* OR -x:",
          "NEAR(refund parcel)",
          "refund) OR (",
          "scope:refund",
          "%_\\"
        ]) {
          assert.deepStrictEqual(yield* foundIds(id, { query }), query.includes("refund") ? [1] : [])
        }
      })
    )
    it.effect("ranks an appeal of the day in the query first among equals", () =>
      Effect.gen(function* () {
        const texts = ["we spoke about delivery"]
        const id = yield* indexAppeals(...[4, 8, 12].map((documentId) => ({ documentId, texts })))
        for (const query of [
          "delivery on 9 March 2026",
          "доставка delivery 9 березня",
          "delivery 09.03.2026"
        ]) {
          assert.deepStrictEqual((yield* foundIds(id, { query }))[0], 8)
        }
      })
    )
    it.effect("reports the parts of each score (contract §3.2 explain)", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals(
          { texts: ["Верните деньги за сканер", "Хорошо"] },
          { texts: ["Доставка", "Деньги", "Хорошо"] }
        )
        const { candidates } = yield* searchAppeals(id, { query: "вернут деньги за аквариум" })
        const parts = candidates.map((one) => one.parts)
        assert.deepStrictEqual(
          parts.map((one) => [one?.words, one?.missing]),
          [
            [3, 0.3333],
            [3, 0.3333]
          ]
        )
        assert.isAbove(parts[0]?.ranking ?? 0, parts[1]?.ranking ?? Infinity)
        for (const one of parts) {
          assert.isAbove(one?.passage ?? 0, 0)
          assert.isAbove(one?.weighed ?? 0, 0)
          assert.isBelow(one?.passage ?? Infinity, one?.ranking ?? 0)
        }
      })
    )
    it.effect("scores the own topic of a client, though all of their appeals have it (§3.2 score)", () =>
      Effect.gen(function* () {
        const own = Array.from({ length: 6 }, (_, at) => `Заняття з танців ${at}, перенесіть на вечір`)
        const others = Array.from({ length: 40 }, (_, at) => `Доставка посилки ${at}, курʼєр буде ввечері`)
        const id = yield* indexAppeals(
          ...own.map((text, at) => ({ documentId: at + 1, texts: [text] })),
          ...others.map((text, at) => ({ documentId: at + 10, clientId: 2, texts: [text] }))
        )
        const scoreOf = (query: string) =>
          Effect.map(searchAppeals(id, { query }), ({ candidates }) => candidates[0]?.score ?? 0)
        const [topic, other] = [yield* scoreOf("заняття з танців"), yield* scoreOf("перенести рейс")]
        assert.isAbove(topic, 3 * other)
      })
    )
  })

/** A text that a query finds, and another one that it does not find (contract §3.1 relevant). */
const finds: ReadonlyArray<readonly [query: string, text: string, other?: string]> = [
  ["who went there", "Let us go on Sunday"],
  ["children", "The child was asleep"],
  ["повернення коштів", "Кошти повернулися на картку"],
  ["договору", "Ваш договір готовий"],
  ["їжак", "Їжаки сплять"],
  ["доставка", "Д\u043eст\u0430вка завтра".replaceAll("\u0430", "a")],
  ["рахунок", "Раху\u00adнки надіслано"],
  ["сколько лет", "Прошел год"],
  ["Коли прийде мій рахунок", "Рахунок надіслано", "Коли мій?"],
  ["Где мой возврат денег", "Возврат оформлен", "Где мой?"],
  ["Бій за подію", "Подія завтра", "Дякую за все"],
  ["1048576", "Замовлення 1048576 не приїхало", "Замовлення 1048599 теж"],
  ["INV20261101", "Замовлення INV20261101 не приїхало", "Замовлення INV20261199 теж"],
  ["380671234567", "Замовлення 380671234567 не приїхало", "Замовлення 380671239999 теж"],
  ["订单", "我的订单还没有到", "我的发票还没有到"],
  ["注文番号", "私の注文番号は12345です", "天気がいいですね"],
  ["คืนสินค้า", "ฉันต้องการคืนสินค้า", "สวัสดีครับ"]
]

const languageLaws = (halves: Halves) =>
  layer(halves, live)("in every language", (it) => {
    for (const [query, text, other = "nothing of that, ничего такого, нічого такого"] of finds) {
      it.effect(`finds "${text}" by "${query}", and not "${other}"`, () =>
        Effect.gen(function* () {
          const id = yield* indexAppeals({ texts: [text] }, { texts: [other] })
          assert.deepStrictEqual(yield* foundIds(id, { query }), [1])
        })
      )
    }
  })

/** Spellings that are found for each other, and similar ones that are not. */
const spellings: ReadonlyArray<
  readonly [same: ReadonlyArray<string>, others: ReadonlyArray<string>, around: readonly [string, string]]
> = [
  [
    ["+380671234567", "067 123-45-67", "+38 (067) 123-45-67", "0671234567", "380671234567"],
    ["+380671234568", "067 123-45-66", "380671239999"],
    ["Мій номер", "передзвоніть"]
  ],
  [
    ["+79161234567", "8 916 123-45-67", "+7 (916) 123 45 67", "8(916)1234567"],
    ["+79161234568", "8 916 123-45-66"],
    ["Мой номер", "перезвоните"]
  ],
  [
    ["2500", "2 500", "2,500", "2\u00a0500", "2.500"],
    ["2501", "2 600", "25000", "3 500"],
    ["Сума", "гривень"]
  ],
  [
    ["RX5521", "RX-5521", "rx-5521"],
    ["RX5522", "RX-5512", "RY-5521"],
    ["Модель", "зламалась"]
  ],
  [
    ["INV-2026-1101", "INV20261101", "inv-20261101"],
    ["INV-2026-1102", "INV20261199"],
    ["Invoice", "is missing"]
  ],
  [
    ["3шт", "3 шт"],
    ["4шт", "5 шт"],
    ["Замовив", "вчора"]
  ],
  [
    ["WiFi", "Wi-Fi", "wi-fi", "WIFI"],
    ["hi-fi", "lifi"],
    ["Не працует", "дома"]
  ],
  [["замовлення10245", "замовлення 10245", "замовлення-10245"], [], ["Де", "зараз"]],
  [
    ["4149 4390 1234 5678", "4149439012345678", "4149-4390-1234-5678"],
    ["4149 4390 1234 5679"],
    ["Картка", "втрачена"]
  ],
  [
    ["👍", "👍🏽"],
    ["👎", "👌"],
    ["Дякую", "клас"]
  ],
  [["🇺🇦"], ["🇺🇸"], ["Доставка", "будь ласка"]]
]

const spellingLaws = (halves: Halves) =>
  layer(halves, live)("with different spellings (§3.1 relevant)", (it) => {
    for (const [same, others, [before, after]] of spellings) {
      it.effect(`finds ${[...same, ...others.map((other) => `not ${other}`)].join(", ")}`, () =>
        Effect.gen(function* () {
          const texts = [...same, ...others].map((one) => `${before} ${one} ${after}`)
          const id = yield* indexAppeals(...texts.map((text, at) => ({ documentId: at + 1, texts: [text] })))
          const wanted = same.map((_, at) => at + 1)
          // "3 шт" is two words, and each of them may match.
          for (const query of same.filter((one) => !/ \D|^\D+ /u.test(one)))
            assert.sameMembers(yield* foundIds(id, { query }), wanted, query)
        })
      )
    }
    it.effect("finds the parts of a code and of a grouped number, and words next to a number", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals(
          { texts: ["Модель RX-5521 за 12 500 грн"] },
          { texts: ["замовлення10245 і ще 3шт"] },
          { texts: ["Dates 2026-05-08, 08.05.2023 and 192.168.1.1"] }
        )
        for (const [query, ids] of [
          ["5521", [1]],
          ["500", [1]],
          ["замовлення", [2]],
          ["шт", [2]],
          ["2026", [3]],
          ["192", [3]]
        ] as const)
          assert.deepStrictEqual(yield* foundIds(id, { query }), [...ids], query)
      })
    )
  })

const visibilityLaws = (halves: Halves) =>
  layer(halves, live)("with a caller's visibility", (it) => {
    it.effect("returns exactly the appeals that one of its members admits (contract §2, §3.3)", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals(
          { closed: true, subjectId: 1, operatorIds: [1], texts: ["refund"] },
          { closed: false, subjectId: 2, operatorIds: [1, 2], texts: ["refund"] },
          { closed: false, subjectId: 3, operatorId: null, operatorIds: [], texts: ["refund"] },
          { closed: false, subjectId: null, authorId: 5, operatorIds: [3], texts: ["refund"] }
        )
        const cases = [
          [everyDocument, [4, 3, 2, 1]],
          [nothing, []],
          [{ ...nothing, closed: true }, [1]],
          [{ ...nothing, subjectIds: [2, 3] }, [3, 2]],
          [{ ...nothing, unassignedSubjectIds: [2, 3] }, [3]],
          [{ ...nothing, participantIds: [1] }, [2, 1]],
          [{ ...nothing, authorIds: [5] }, [4]],
          [{ ...nothing, authorIds: [5], participantIds: [2] }, [4, 2]],
          [{ ...everyDocument, hiddenIds: [3, 1] }, [4, 2]],
          [{ ...nothing, authorIds: [5], participantIds: [2], hiddenIds: [4] }, [2]]
        ] as const
        for (const [visibility, ids] of cases) {
          assert.deepStrictEqual(yield* foundIds(id, { visibility }), [...ids])
          assert.sameMembers(yield* foundIds(id, { visibility, query: "refund" }), [...ids])
        }
      })
    )
    it.effect("continues past any number of hidden candidates (contract §3.3)", () =>
      Effect.gen(function* () {
        const hidden = Array.from({ length: 700 }, (_, at) => ({
          documentId: at + 2,
          subjectId: 2,
          texts: ["refund refund"]
        }))
        const id = yield* indexAppeals({ subjectId: 1, texts: ["one refund among other words"] }, ...hidden)
        const visibility = { ...nothing, subjectIds: [1] }
        for (const query of [null, "refund"]) {
          const answer = yield* searchAppeals(id, { visibility, query, limit: 1 })
          assert.deepStrictEqual([answer.candidates.map((one) => one.documentId), answer.more], [[1], false])
        }
      })
    )
    it.effect("keeps instances apart, also with equal ids", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* newInstance, yield* newInstance]
        yield* writeAppeals(one, [{ texts: ["refund of one"] }])
        yield* writeAppeals(two, [{ revision: 9, texts: ["parcel of two"] }])
        assert.deepStrictEqual(yield* foundIds(one, { query: "parcel" }), [])
        assert.deepStrictEqual(yield* foundIds(two, { query: "parcel" }), [1])
        yield* write(two, [removal(1, 10)])
        assert.deepStrictEqual(yield* foundIds(one, { query: "refund" }), [1])
      })
    )
  })

const readingLaws = (halves: Halves) =>
  layer(halves, live)("corrects words that occur nowhere (contract §3.2 readings)", (it) => {
    const cases: ReadonlyArray<
      readonly [query: string, text: string, word: string, readAs: string, why: string]
    > = [
      ["gjdthytyyz", "Повернення буде завтра", "gjdthytyyz", "повернення", "layout"],
      ["djpdhfn", "Оформили возврат", "djpdhfn", "возврат", "layout"],
      ["куагтв", "Your refund is here", "куагтв", "refund", "layout"],
      ["povernennya", "Повернення буде завтра", "povernennya", "повернення", "transliteration"],
      ["vozvrat", "Оформили возврат", "vozvrat", "возврат", "transliteration"],
      ["доставкк", "Доставка завтра", "доставкк", "доставк", "spelling"],
      ["Івано-Фраківськ", "Їду в Івано-Франківськ", "Фраківськ", "франківськ", "spelling"]
    ]
    for (const [query, text, word, readAs, why] of cases) {
      it.effect(`reads "${query}" as ${why} of "${readAs}"`, () =>
        Effect.gen(function* () {
          const id = yield* indexAppeals({ texts: [text] }, { texts: ["nothing of that"] })
          const { candidates, readings } = yield* searchAppeals(id, { query })
          assert.deepStrictEqual([candidates.map(({ documentId }) => documentId), readings.length], [[1], 1])
          assert.deepStrictEqual([readings[0]?.word, readings[0]?.why], [word, why])
          assert.match(readings[0]?.readAs ?? "", new RegExp(`^${readAs}`, "u"))
        })
      )
    }
    it.effect("does not correct numbers and words that occur in the scope", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["refund of order 4711234"] }, { texts: ["defund it"] })
        for (const query of ["defund", "refund", "4711235 refund", "коли"]) {
          assert.deepStrictEqual((yield* searchAppeals(id, { query })).readings, [])
        }
      })
    )
    it.effect("gives the same corrections whatever the hidden appeals contain (contract §3.3)", () =>
      Effect.gen(function* () {
        const answers: Array<unknown> = []
        const hiddenIds = Array.from({ length: 20 }, (_, at) => at + 2)
        for (const [hidden, visibility] of ["доставкк", "доставка доставак", "нічого"].flatMap(
          (text) =>
            [
              [text, { ...nothing, subjectIds: [1] }],
              [text, { ...everyDocument, hiddenIds }]
            ] as const
        )) {
          const id = yield* indexAppeals(
            { subjectId: 1, texts: ["Доставка завтра"] },
            ...hiddenIds.map((documentId) => ({ documentId, subjectId: 2, texts: [hidden] }))
          )
          const { candidates, readings } = yield* searchAppeals(id, { query: "доставкк", visibility })
          answers.push([candidates.map(({ documentId }) => documentId), readings])
        }
        assert.deepStrictEqual(answers[0], [[1], [{ word: "доставкк", readAs: "доставка", why: "spelling" }]])
        for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
      })
    )
    it.effect("corrects the keyboard layout of a whole question, including its question words", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["Возврат денег за подключение"] })
        const { candidates, readings } = yield* searchAppeals(id, {
          query: "rjulf ,eltn djpdhfn pf gjlrk.xtybt?"
        })
        assert.deepStrictEqual(candidates.length, 1)
        assert.deepStrictEqual(readings.map(({ readAs }) => readAs).toSorted(), [
          "будет",
          "возврат",
          "за",
          "когда",
          "подключение"
        ])
      })
    )
  })

const writingLaws = (halves: Halves) =>
  layer(halves, live)("as a projection", (it) => {
    it.effect("finds an appeal by its latest version only", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["refund", "parcel"], operatorIds: [1] })
        const texts = ["refund", "invoice", "thanks"]
        yield* writeAppeals(id, [{ revision: 2, subjectId: 9, operatorIds: [1, 2], texts }])
        const scope = { _tag: "Subject", subjectId: 9 } as const
        const former = { _tag: "Subject", subjectId: 1 } as const
        for (const [query, ids] of [
          [{ scope, query: "invoice" }, [1]],
          [{ scope: { _tag: "Participant", userId: 2 }, query: "refund" }, [1]],
          [{ query: "parcel" }, []],
          [{ scope: former, query: "refund" }, []],
          [{ scope: former }, []]
        ] as const)
          assert.deepStrictEqual(yield* foundIds(id, query), [...ids])
      })
    )
    it.effect("ignores a write or removal of an older revision", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ revision: 5, texts: ["refund"] })
        yield* write(id, [upsert(appeal({ revision: 4, texts: ["parcel"] })), removal(1, 3)])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund parcel" }), [1])
        assert.deepStrictEqual(yield* foundIds(id, { query: "parcel" }), [])
        yield* write(id, [removal(1, 6)])
        yield* writeAppeals(id, [{ revision: 5, texts: ["refund"] }])
        assert.deepStrictEqual(yield* foundIds(id), [])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [])
        yield* writeAppeals(id, [{ revision: 7, texts: ["refund"] }])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [1])
      })
    )
    it.effect("applies a step only from the current checkpoint", () =>
      Effect.gen(function* () {
        const projection = yield* AppealProjection
        const id = yield* indexAppeals({})
        const stale = { copy: "active", from: "elsewhere", to: indexCheckpoint(id, "9") } as const
        const refused = yield* Effect.flip(projection.apply(stale, [upsert(appeal({ documentId: 2 }))]))
        assert.strictEqual(refused._tag, "IndexCheckpointMoved")
        assert.deepStrictEqual([yield* checkpointOf(id), yield* foundIds(id)], ["1", [1]])
      })
    )
    it.effect("fails with search_index_not_ready until an instance was complete (contract §3.4)", () =>
      Effect.gen(function* () {
        const id = yield* newInstance
        const [index, projection] = [yield* AppealIndex, yield* AppealProjection]
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        assert.isFalse((yield* index.status(id)).ready)
        const step = { copy: "active", from: null, to: indexCheckpoint(id, "1", false) } as const
        yield* projection.apply(step, [upsert(appeal({}))])
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        yield* write(id, [])
        assert.deepStrictEqual(yield* foundIds(id), [1])
        const { ready, lagMillis, indexedAt } = yield* index.status(id)
        assert.deepStrictEqual(
          { ready, lagMillis, indexedAt },
          { ready: true, lagMillis: 0, indexedAt: firstDay }
        )
      })
    )
    it.effect("fails with search_index_not_ready while its writer has disabled it", () =>
      Effect.gen(function* () {
        const [index, projection] = [yield* AppealIndex, yield* AppealProjection]
        const id = yield* indexAppeals({})
        yield* projection.serve(false)
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        assert.isFalse((yield* index.status(id)).ready)
        yield* projection.serve(true)
        assert.deepStrictEqual(yield* foundIds(id), [1])
      })
    )
    it.effect("reports the lag that its writer observed", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals()
        const [index, projection] = [yield* AppealIndex, yield* AppealProjection]
        yield* projection.observe(id, firstDay)
        assert.isAtLeast((yield* index.status(id)).lagMillis, 1)
        yield* projection.observe(id, null)
        assert.strictEqual((yield* index.status(id)).lagMillis, 0)
      })
    )
    it.effect("fails with timeout after its deadline (contract §3.4)", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["refund"] })
        for (const query of [null, "refund"]) {
          const late = yield* Effect.flip(searchAppeals(id, { query, deadline: 1 }))
          assert.deepStrictEqual(
            [late._tag, late.source, late.reason],
            ["SourceUnavailable", "search", "timeout"]
          )
        }
      })
    )
  })

const copyLaws = (halves: Halves) =>
  layer(halves, live)("with an active and a building copy", (it) => {
    it.effect("answers from the active copy until the building copy is published", () =>
      Effect.gen(function* () {
        const projection = yield* AppealProjection
        const id = yield* indexAppeals({ texts: ["refund"] })
        assert.deepStrictEqual(yield* projection.checkpoints("building"), [])
        yield* projection.reset("building")
        yield* writeAppeals(id, [{ documentId: 2, texts: ["refund"] }], "building")
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [1])
        yield* writeAppeals(id, [{ documentId: 3, texts: ["refund"] }])
        assert.deepStrictEqual([yield* foundIds(id), yield* checkpointOf(id, "building")], [[3, 1], "1"])
        yield* projection.publish
        assert.deepStrictEqual([yield* foundIds(id), yield* checkpointOf(id)], [[2], "1"])
        assert.deepStrictEqual(yield* projection.checkpoints("building"), [])
        yield* projection.reset("active")
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        assert.isNull(yield* checkpointOf(id))
      })
    )
  })
