// Criteria, checklists and assessments over HTTP: every step from every status, permissions and visibility
// (contract §9.4).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  expectFaults,
  expectStatus,
  newInstance,
  RestFixtures,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const make = (path: string, body: object, who = admin) => who.makeId(path, body)
  const subject = yield* make("/subjects", { name: "Рахунки", alias: "billing" })
  const group = yield* make("/skill-groups", { name: "Перша лінія", subjectIds: [subject] })
  const client = yield* make("/clients", { name: "Олена" })
  const users = {
    admin,
    lead: yield* rest.user(instance, ["qa_lead"]),
    specialist: yield* rest.user(instance, ["qa_specialist"]),
    analyst: yield* rest.user(instance, ["analyst"]),
    supervisor: yield* rest.user(instance, ["supervisor"], [group]),
    stranger: yield* rest.user(instance, ["supervisor"]),
    operator: yield* rest.user(instance, ["operator"], [group]),
    colleague: yield* rest.user(instance, ["operator"], [group])
  }
  const chat = (more: object = {}) =>
    make("/OpChatRooms", {
      clientId: client,
      channel: "web",
      subjectId: subject,
      operatorId: users.operator.id,
      createdAt: "2026-03-01T08:00:00Z",
      status: "closed",
      closedAt: "2026-03-01T09:00:00Z",
      ...more
    })
  const criteria = [
    yield* make("/quality/criteria", { name: "Вітається", weight: 30 }),
    yield* make("/quality/criteria", { name: "Verifies identity", weight: 10, critical: true }),
    yield* make("/quality/criteria", { name: "Грамотность", weight: 20, penalty: 5 })
  ] as const
  const checklist = yield* make("/quality/checklists", {
    name: "Письмова підтримка",
    criterionIds: [...criteria].toReversed()
  })
  return { rest, instance, users, make, chat, criteria, checklist, subject, client }
})

const take = (who: RestCaller, step: string, assessment: number) =>
  who.post(`/quality/assessments/${assessment}/${step}`, { comment: "Не так" })

layer(RestFixtures)("quality", (it) => {
  it.effect("the penalty of a criterion follows critical unless another was given", () =>
    Effect.gen(function* () {
      const { users } = yield* world
      const { lead } = users
      const id = yield* lead.makeId("/quality/criteria", { name: "x" })
      for (const [members, penalty] of [
        [{ critical: true }, 100],
        [{ critical: true, name: "y" }, 100],
        [{ critical: false }, 0],
        [{ critical: true }, 100],
        // Critical, with another penalty.
        [{ penalty: 0 }, 0],
        [{ critical: true, weight: 2 }, 0],
        [{ penalty: 30 }, 30],
        [{ critical: false }, 30],
        [{ critical: true, penalty: 0 }, 0]
      ] as const)
        assert.strictEqual((yield* lead.change(`/quality/criteria/${id}`, members)).body.penalty, penalty)
    })
  )

  it.effect("criteria and checklists have defaults and versions, and are deleted only when unused", () =>
    Effect.gen(function* () {
      const { checklist, chat, criteria, make, users } = yield* world
      const { admin, lead, specialist } = users
      const usual = { description: null, weight: 1, critical: false, penalty: 0, version: 1 }
      const plain = yield* lead.make("/quality/criteria", { name: "x" })
      assert.deepStrictEqual(plain, { ...usual, id: plain.id, name: "x" })
      const verifies = {
        id: criteria[1],
        name: "Verifies identity",
        weight: 10,
        critical: true,
        penalty: 100
      }
      assert.deepStrictEqual(yield* lead.read(`/quality/criteria/${criteria[1]}`), { ...usual, ...verifies })
      for (const [body, path] of [
        [{ name: "x", weight: 0 }, "weight"],
        [{ name: "x", weight: 101 }, "weight"],
        [{ name: "x", penalty: -1 }, "penalty"],
        [{ name: "x", penalty: 101 }, "penalty"],
        [{ name: "x", weight: 1.5 }, "weight"],
        [{ name: "x", description: null }, "description"],
        [{ weight: 1 }, "name"]
      ] as const)
        expectFaults(yield* admin.post("/quality/criteria", body), [path])
      const list = yield* specialist.read(`/quality/checklists/${checklist}`)
      assert.deepStrictEqual(list.criterionIds, [...criteria].toReversed(), "in the order given")
      const createChecklist = (...criterionIds: ReadonlyArray<number>) =>
        lead.post("/quality/checklists", { name: "x", criterionIds })
      const twice = yield* createChecklist(criteria[0], criteria[0])
      assert.deepStrictEqual(twice.body.criterionIds, [criteria[0]])

      // In use: by a checklist, by an assessment.
      expectStatus(yield* lead.remove(`/quality/criteria/${criteria[0]}`), 409, "STATE_NOT_ALLOWED")
      yield* make("/quality/assessments", { appealId: yield* chat(), checklistId: checklist }, lead)
      expectStatus(yield* lead.remove(`/quality/checklists/${checklist}`), 409, "STATE_NOT_ALLOWED")
      const emptied = yield* lead.change(`/quality/checklists/${checklist}`, { criterionIds: [] })
      assert.deepInclude(emptied.body, { version: 2, criterionIds: [] })
      expectStatus(yield* lead.remove(`/quality/criteria/${criteria[2]}`), 409, "STATE_NOT_ALLOWED")
      for (const path of [`/quality/checklists/${twice.body.id}`, `/quality/criteria/${plain.id}`])
        for (const status of [204, 404]) expectStatus(yield* lead.remove(path), status)
    })
  )

  it.effect("an assessment copies its criteria and computes its score", () =>
    Effect.gen(function* () {
      const { chat, checklist, criteria, users } = yield* world
      const { lead, operator, specialist } = users
      const appealId = yield* chat()
      const made = yield* specialist.post("/quality/assessments", {
        appealId,
        checklistId: checklist,
        automatic: [
          { criterionId: criteria[0], result: "met" },
          { criterionId: criteria[2], result: "violated" }
        ]
      })
      expectStatus(made, 201)
      const { createdAt, id } = made.body
      assert.strictEqual(made.headers.get("location"), `/kw/api/v1/quality/assessments/${id}`)
      assert.strictEqual(made.headers.get("etag"), '"1"')
      const base = { critical: false, penalty: 0, human: null, comment: null, criterionVersion: 1 }
      const literacy = { name: "Грамотность", weight: 20, penalty: 5 }
      const identity = { name: "Verifies identity", weight: 10, critical: true, penalty: 100 }
      const ids = { id, appealId, operatorId: operator.id, assessorId: specialist.id }
      assert.deepStrictEqual(made.body, {
        ...ids,
        checklistId: checklist,
        checklistVersion: 1,
        status: "draft",
        // 100 × 30 / 50 − 5
        score: 55,
        criteria: [
          { ...base, ...literacy, criterionId: criteria[2], automatic: "violated" },
          { ...base, ...identity, criterionId: criteria[1], automatic: null },
          { ...base, criterionId: criteria[0], name: "Вітається", weight: 30, automatic: "met" }
        ],
        createdAt,
        approvedAt: null,
        version: 1
      })
      yield* lead.change(`/quality/criteria/${criteria[0]}`, { weight: 99, name: "Інше" })
      assert.deepStrictEqual(yield* lead.read(`/quality/assessments/${id}`), made.body)

      const setResult = (criterionId: number, body: object, who = specialist) =>
        who.patch(`/quality/assessments/${id}/criteria/${criterionId}`, body)
      const bare = yield* setResult(criteria[0], { expectedVersion: 1, result: "violated" })
      expectFaults(bare, ["comment"])
      const early = yield* specialist.post(`/quality/assessments/${id}/approve`)
      assert.strictEqual(early.body.code, "STATE_NOT_ALLOWED", "a criterion has no result")
      const same = yield* setResult(criteria[0], { expectedVersion: 1, result: "met" })
      assert.deepInclude(same.body, { version: 2, score: 55 })
      const stale = yield* setResult(criteria[1], { expectedVersion: 1, result: "met" })
      expectStatus(stale, 409, "VERSION_CONFLICT")
      assert.strictEqual(stale.body.currentVersion, 2)
      const free = yield* setResult(criteria[1], { expectedVersion: 2, result: "met" })
      assert.strictEqual(free.body.score, 61.67, "100 × 40 / 60 − 5")
      const contradiction = { result: "not_applicable", comment: "Написано вірно" }
      const against = yield* setResult(criteria[2], { expectedVersion: 3, ...contradiction })
      assert.deepInclude(against.body, { score: 100, version: 4 })
      assert.strictEqual(against.body.criteria[0].comment, contradiction.comment)
      const critical = yield* setResult(criteria[1], { expectedVersion: 4, result: "violated" })
      assert.strictEqual(critical.body.score, 0)
      expectFaults(yield* setResult(criteria[1], { expectedVersion: 5, result: "good" }), ["result"])
    })
  )

  it.effect("automatic assessment covers closed appeals and reports what it cannot assess", () =>
    Effect.gen(function* () {
      const { chat, checklist, client, criteria, make, rest, users } = yield* world
      const { admin, lead } = users
      const open = yield* chat({ status: "active", closedAt: undefined })
      const closed = yield* chat()
      const ticket = yield* make("/Ticket", {
        clientId: client,
        title: "Повернення",
        status: "resolved",
        createdAt: "2026-03-01T08:00:00Z",
        closedAt: "2026-03-02T08:00:00Z"
      })
      const assess = (appealId: number, who = lead, more: object = {}) =>
        who.post("/quality/assessments", { appealId, checklistId: checklist, ...more })
      expectStatus(yield* assess(open, admin), 409, "STATE_NOT_ALLOWED")
      // Quality roles do not see open appeals.
      expectFaults(yield* assess(open), ["appealId"])
      expectStatus(yield* assess(ticket), 201)
      const foreigner = yield* rest.user(yield* rest.instance, ["administrator"])
      expectFaults(yield* assess(closed, foreigner), ["appealId", "checklistId"])
      const automatic = [
        { criterionId: 2 ** 53 - 1, result: "met" },
        { criterionId: criteria[0], result: "met" },
        { criterionId: criteria[0], result: "violated" }
      ]
      const results = yield* assess(closed, lead, { automatic })
      expectFaults(results, ["automatic[0].criterionId", "automatic[2].criterionId"])
      yield* lead.change(`/quality/checklists/${checklist}`, { active: false })
      expectStatus(yield* assess(closed), 409, "STATE_NOT_ALLOWED")

      yield* lead.change(`/quality/checklists/${checklist}`, { active: true })
      assert.strictEqual((yield* assess(closed)).body.checklistVersion, 3)
    })
  )

  it.effect("an assessment changes its status by each allowed step, and a refused one changes nothing", () =>
    Effect.gen(function* () {
      const { chat, make, users } = yield* world
      const { lead } = users
      const criterion = yield* make("/quality/criteria", { name: "c" })
      const checklistId = yield* make("/quality/checklists", { name: "l", criterionIds: [criterion] })
      const automatic = [{ criterionId: criterion, result: "met" }]
      const id = yield* make(
        "/quality/assessments",
        { appealId: yield* chat(), checklistId, automatic },
        lead
      )
      const path = `/quality/assessments/${id}`
      const take = (step: string, body?: object) => lead.post(`${path}/${step}`, body)
      for (const step of ["dispute", "resolve", "void"]) expectFaults(yield* take(step, {}), ["comment"])
      for (const [step, status, refused, ofResult] of [
        ["approve", "approved", "resolve", 409],
        ["reopen", "draft", "dispute", 200],
        ["approve", "approved", "approve", 409],
        ["dispute", "disputed", "reopen", 200],
        ["resolve", "resolved", "approve", 409],
        ["reopen", "draft", "resolve", 200],
        ["void", "void", "reopen", 409]
      ] as const) {
        const { approvedAt, version } = yield* lead.read(path)
        const answer = yield* take(step, step === "approve" ? undefined : { comment: "так" })
        expectStatus(answer, 200)
        const after = yield* lead.read(path)
        assert.deepStrictEqual(answer.body, after)
        assert.deepInclude(after, { status, version: version + 1 })
        assert.strictEqual(answer.headers.get("etag"), `"${after.version}"`)
        if (step === "approve") assert.isString(after.approvedAt)
        else assert.strictEqual(after.approvedAt, step === "reopen" ? null : approvedAt)
        expectStatus(yield* take(refused, { comment: "так" }), 409, "STATE_NOT_ALLOWED")
        assert.deepStrictEqual(yield* lead.read(path), after)
        expectStatus(
          yield* lead.patch(`${path}/criteria/${criterion}`, {
            expectedVersion: after.version,
            result: "met"
          }),
          ofResult
        )
      }
    })
  )

  it.effect("an operator sees and disputes the own assessment unless it is a draft or void", () =>
    Effect.gen(function* () {
      const { chat, make, rest, users } = yield* world
      const { admin, colleague, lead, operator, specialist, stranger, supervisor } = users
      const checklistId = yield* make("/quality/checklists", { name: "порожній" })
      const assess = (operatorId = operator.id) =>
        Effect.flatMap(chat({ operatorId }), (appealId) =>
          make("/quality/assessments", { appealId, checklistId }, specialist)
        )
      const id = yield* assess()
      const sees = Effect.fnUntraced(function* (who: RestCaller) {
        const { status } = yield* who.get(`/quality/assessments/${id}`)
        const { total } = yield* who.read(`/quality/assessments?filter[id]=${id}`)
        assert.strictEqual(total, status === 200 ? 1 : 0)
        return status
      })
      const callers = [operator, supervisor, yield* rest.token(admin, ["quality.read"]), stranger, colleague]
      assert.strictEqual(yield* sees(operator), 404)
      for (const [who, step, status] of [
        [specialist, "approve", 200],
        [operator, "dispute", 200],
        [lead, "resolve", 200],
        [lead, "reopen", 404],
        [lead, "void", 404]
      ] as const) {
        expectStatus(yield* take(colleague, "dispute", id), 404)
        expectStatus(yield* take(who, step, id), 200)
        assert.deepStrictEqual(yield* Effect.forEach(callers, sees), [status, 200, 200, 404, 404], step)
      }

      // A supervisor who answered the client may dispute like an operator, and so may quality.manage.
      for (const [assessed, disputing] of [
        [supervisor, supervisor],
        [stranger, stranger],
        [operator, lead]
      ] as const) {
        const own = yield* assess(assessed.id)
        yield* take(lead, "approve", own)
        expectStatus(yield* take(colleague, "dispute", own), 404)
        assert.strictEqual((yield* take(disputing, "dispute", own)).body.status, "disputed")
      }
    })
  )
})
