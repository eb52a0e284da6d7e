// The context read over real HTTP, by statuses, codes and headers, and its citations followed (contract §1, §3).
import { assert, layer } from "@effect/vitest"
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { assertSamePack, readMarkdown } from "@rapport/core/testing/MarkdownPack.ts"
import { exactTokensOf } from "@rapport/core/testing/ExactTokens.ts"
import { Effect, Schedule } from "effect"
import { readinessOf, RunningServer, ServerFixtures, untilSearchable } from "../../testing/ServerFixtures.ts"

const path = "/kw/chatrooms/context/retrieve"
const client = { scope: { entity: "client", id: 501 } }

/** The body of an answer that succeeds. */
const sendOk = Effect.fnUntraced(function* (method: string, path: string, body?: object, login?: string) {
  const { send } = yield* RunningServer
  const key = method === "GET" ? {} : { key: crypto.randomUUID() }
  const of = login === undefined ? {} : { login }
  const answer = yield* send({ method, path, body, ...key, ...of })
  assert.isBelow(answer.status, 300, answer.text)
  return answer.body
})
const post = (body: object, headers: Readonly<Record<string, string>> = {}, login = "administrator") =>
  Effect.flatMap(RunningServer, ({ send }) => send({ path, body, headers, login }))
const asMarkdown = (body: object) => post(body, { accept: "text/markdown" })
const read = Effect.fnUntraced(function* (body: object, login?: string) {
  const answer = yield* post(body, {}, login)
  assert.strictEqual(answer.status, 200, answer.text)
  const pack: ContextPackJson = answer.body
  return { text: answer.text, pack }
})
const limits = {
  RAPPORT_LIMIT_CONTEXT_READS_PER_MINUTE: "100000",
  RAPPORT_LIMIT_REST_PER_MINUTE: "100000"
}

layer(ServerFixtures.searchable(limits), { timeout: "120 seconds", excludeTestServices: true })(
  "POST /kw/chatrooms/context/retrieve (contract §3)",
  (it) => {
    it.effect("every url in a pack resolves for the same caller", () =>
      Effect.gen(function* () {
        const { send } = yield* RunningServer
        for (const login of ["administrator", "operator", "supervisor"]) {
          const targets = [
            "previous_client_appeals",
            "previous_client_conversations",
            "recent_client_interactions"
          ]
          const { pack } = yield* read({ ...client, targets, actions: { limit: 2 }, topK: 2 }, login)
          const group = yield* read({ scope: { entity: "skill_group", id: 3 } }, login)
          assert.includeMembers(
            pack.citations.map(({ sourceType }) => sourceType),
            ["action", "appeal", "appeal_message", "property", "session_message", "state"]
          )
          const seen = new Set<string>()
          for (const { sourceId, sourceType, url } of [...pack.citations, ...group.pack.citations]) {
            if (url === null || seen.has(url)) continue
            seen.add(url)
            const { status, text: found } = yield* send({ path: url, login })
            assert.strictEqual(status, 200, `${login} ${sourceType} ${url}: ${found}`)
            if (["appeal_message", "action", "session_message"].includes(sourceType))
              assert.include(found, sourceId)
          }
          assert.isAbove(seen.size, 5)
        }
      })
    )

    it.effect("Accept: text/markdown returns the same pack in less than a third of the tokens", () =>
      Effect.gen(function* () {
        const ratios: Array<number> = []
        for (const query of ["двічі списали гроші з картки", "не пришёл счёт", "invoice with VAT number"]) {
          const body = {
            ...client,
            targets: ["relevant_appeals", "recent_client_interactions"],
            actions: { limit: 3 },
            topK: 2,
            query,
            maxResponseBytes: ContextLimits.maxResponseBytes.maximum
          }
          const json = yield* read(body)
          assert.deepStrictEqual(json.pack.coverage.reasons, [])
          const answer = yield* asMarkdown(body)
          const { text } = answer
          assert.strictEqual(answer.status, 200, text)
          assert.strictEqual(answer.headers.get("content-type"), "text/markdown; charset=utf-8")
          assert.strictEqual(answer.headers.get("cache-control"), "no-store")
          assert.strictEqual(answer.headers.get("x-pack-hash"), json.pack.packHash)
          const known = { ...body, knownPackHash: json.pack.packHash }
          const unchanged = { unchanged: true, packHash: json.pack.packHash }
          assert.deepStrictEqual((yield* post(known)).body, unchanged)
          const short = yield* asMarkdown(known)
          assert.strictEqual(short.text, `unchanged ${json.pack.packHash}\n`)
          assert.strictEqual(short.headers.get("x-pack-hash"), json.pack.packHash)
          assertSamePack(text, json.pack)
          assert.deepStrictEqual(readMarkdown(text).missing, [])
          assert.strictEqual((yield* asMarkdown(body)).text, text)
          ratios.push(exactTokensOf(text) / exactTokensOf(json.text))
        }
        assert.isAtMost(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length, 0.3, ratios.join(" "))
      })
    )

    it.effect("a citation shows that its message was edited or deleted, and packs follow", () =>
      Effect.gen(function* () {
        const readSnippet = (word: string) =>
          Effect.map(
            read({ ...client, targets: ["relevant_appeals"], topK: 1, maxSnippetsPerAppeal: 1, query: word }),
            ({ pack }) => ({
              pack,
              snippet: pack.sections.evidence?.appeals[0]?.snippets.find(({ text }) => text.includes(word))
            })
          )
        const until = (word: string, isShown: boolean) =>
          readSnippet(word).pipe(
            Effect.repeat({
              until: ({ snippet }) => (snippet !== undefined) === isShown,
              schedule: Schedule.spaced("50 millis")
            })
          )
        const root = "/kw/api/v1/OpChatRooms/9012/messages"
        const { message } = yield* sendOk("POST", root, { text: "Код доступу флорбінт" })
        const { pack, snippet } = yield* until("флорбінт", true)
        assert.strictEqual(snippet?.messageId, message.id)
        const cited = pack.citations.find(({ sourceId }) => sourceId === String(message.id))
        const follow = Effect.fnUntraced(function* (url = "") {
          const { cited, data } = yield* sendOk("GET", url)
          return { cited, message: data.find(({ id }: { readonly id: number }) => id === message.id) }
        })
        const same = { id: message.id, changed: false, deleted: false }
        assert.deepStrictEqual(yield* follow(cited?.url), { cited: same, message })
        yield* sendOk("PATCH", `${root}/${message.id}`, { text: "Код доступу граміксон", expectedVersion: 1 })
        yield* until("флорбінт", false)
        const second = yield* until("граміксон", true)
        assert.strictEqual(second.snippet?.messageId, message.id)
        const recited = second.pack.citations.find(({ sourceId }) => sourceId === String(message.id))
        assert.deepInclude(recited, { mark: `${message.id}v2`, url: `${root}?around=${message.id}v2` })
        const request = { ...client, targets: ["relevant_appeals"], topK: 1, query: "граміксон" }
        assert.include((yield* asMarkdown(request)).text, `"Код доступу граміксон" 【${message.id}v2】`)
        const edited = yield* follow(cited?.url)
        assert.deepStrictEqual(edited.cited, { ...same, changed: true })
        assert.strictEqual(edited.message.text, "Код доступу граміксон")
        assert.deepStrictEqual((yield* follow(recited?.url)).cited, same)
        yield* sendOk("DELETE", `${root}/${message.id}`)
        yield* until("граміксон", false)
        for (const url of [cited?.url, recited?.url]) {
          const deleted = yield* follow(url)
          assert.deepStrictEqual(deleted.cited, { id: message.id, changed: true, deleted: true })
          assert.strictEqual(deleted.message.text, "")
        }
        const latest = { ...client, targets: ["previous_client_appeals"], maxSnippetsPerAppeal: 5 }
        assert.notInclude((yield* read(latest)).text, `"messageId":${message.id}`)
      })
    )

    it.effect("a note of the demo chat is found and marked as a note in both forms", () =>
      Effect.gen(function* () {
        const body = { ...client, targets: ["relevant_appeals"], topK: 1, query: "телефонувати після 18:00" }
        const { pack } = yield* read(body)
        const [snippet] = pack.sections.evidence?.appeals[0]?.snippets ?? []
        assert.deepInclude(snippet, { authorType: "operator", visibility: "internal" })
        const { text } = yield* asMarkdown(body)
        assert.match(text, /^- operator note [^"]+: "Для колег: клієнт просить телефонувати/mu)
        assertSamePack(text, pack)
      })
    )

    it.effect.each([
      ["Ukrainian", "yt ghbqijd hf[eyjr", "рахунок", "не прийшов рахунок"],
      ["Russian", "yt hf,jnftn bynthytn", "интернет", "не работает интернет"]
    ] as const)(
      "JSON and Markdown report a query corrected from the wrong keyboard layout: %s",
      ([, query, readAs, meant]) =>
        Effect.gen(function* () {
          const request = { ...client, targets: ["relevant_appeals"] }
          const { pack } = yield* read({ ...request, query })
          const readings = pack.sections.evidence?.readings ?? []
          const word = query.split(" ").at(-1) ?? ""
          assert.deepInclude(readings, { word, readAs, why: "layout" as const })
          assert.isNotEmpty(pack.sections.evidence?.appeals ?? [])
          const { text } = yield* asMarkdown({ ...request, query })
          assert.include(text, `\nquery word "${word}" read as "${readAs}": layout\n`)
          assertSamePack(text, pack)
          const right = yield* read({ ...request, query: meant })
          assert.notProperty(right.pack.sections.evidence ?? {}, "readings")
          assert.notInclude((yield* asMarkdown({ ...request, query: meant })).text, "query word")
        })
    )

    it.effect("a pack names the author of a ticket's title and of each message of a session", () =>
      Effect.gen(function* () {
        const { id: clientId } = yield* sendOk("POST", "/kw/api/v1/clients", { name: "Параска" })
        const session = (yield* sendOk("POST", "/kw/context/sessions", { clientId }, "integrator")).session.id
        const path = `/kw/context/sessions/${session}/messages`
        const roles = ["client", "operator", "assistant", "system", "tool"]
        for (const role of roles) yield* sendOk("POST", path, { role, content: `каже ${role}` }, "integrator")
        const title = "Посилка загубилась"
        const titled = { clientId, title }
        yield* sendOk("POST", "/kw/api/v1/Ticket", titled, "integrator")
        yield* sendOk("POST", "/kw/api/v1/Ticket", { ...titled, authorType: "operator" }, "integrator")
        const request = {
          scope: { entity: "client", id: clientId },
          sections: ["evidence"],
          targets: ["previous_client_appeals", "recent_client_interactions", "relevant_client_memory"]
        }
        const { pack } = yield* read({ ...request, query: "каже посилка" }).pipe(
          Effect.repeat({
            until: ({ pack: { sections } }) =>
              sections.evidence?.appeals.length === 2 && sections.evidence.memories.length === roles.length,
            schedule: Schedule.spaced("50 millis")
          }),
          Effect.timeout("90 seconds")
        )
        const evidence = pack.sections.evidence
        assert.sameMembers(
          (evidence?.appeals ?? []).flatMap(({ snippets }) => snippets.map(({ authorType }) => authorType)),
          ["client", "operator"]
        )
        for (const entries of [evidence?.interactions ?? [], evidence?.memories ?? []])
          assert.sameMembers(
            entries.map(({ role, text }) => `${role} ${text}`),
            roles.map((role) => `${role} каже ${role}`)
          )
        const markdown = yield* asMarkdown({ ...request, query: "каже посилка" })
        assert.include(markdown.text, ' message assistant: "каже assistant" 【')
        assert.match(markdown.text, /^- operator [^\n]*"Посилка загубилась" 【ticket】$/mu)
        assert.match(markdown.text, /^- client [^\n]*"Посилка загубилась" 【ticket】$/mu)
      })
    )

    it.effect("one new message changes only the last tenth of a Markdown pack, for prompt caches", () =>
      Effect.gen(function* () {
        const sections = ["actions", "properties", "evidence"]
        const markdown = (more: object) =>
          Effect.map(asMarkdown({ ...client, sections, ...more }), ({ text }) => text)
        const byQuery = {
          query: "двічі списали гроші з картки",
          targets: ["previous_client_appeals", "relevant_appeals", "relevant_client_memory"],
          topK: 5
        }
        const latest = { sections: ["evidence"], targets: ["previous_client_appeals"], topK: 1 }
        const { pack } = yield* read({ ...client, ...latest })
        const [newest] = pack.sections.evidence?.appeals ?? []
        const before = yield* Effect.all([markdown({}), markdown(byQuery)])
        const path = `/kw/api/v1/OpChatRooms/${newest?.appealId}/messages`
        yield* sendOk("POST", path, { text: "Чи є новини?", authorType: "client" })
        const after = yield* Effect.all([markdown({}), markdown(byQuery)])
        for (const [index, text] of before.entries()) {
          const next = after[index] ?? ""
          assert.notStrictEqual(next, text)
          let same = 0
          while (same < text.length && text[same] === next[same]) same++
          assert.isAtLeast(same / text.length, 0.9)
        }
      })
    )

    it.effect("GET /kw/context/readiness shows the status of the sources of the instance", () =>
      Effect.gen(function* () {
        const running = yield* RunningServer
        // The index may still have to follow the writes of earlier tests.
        yield* untilSearchable(running)
        assert.deepInclude(yield* readinessOf(running), {
          capability: "enabled",
          contextStore: "ready",
          searchIndex: "ready",
          quarantined: 1
        })
      })
    )
  }
)
