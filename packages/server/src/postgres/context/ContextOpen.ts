// The first statement of a context read: the right to open the entity and, in the same snapshot, its sections.
import type { Caller } from "@rapport/core/access/Caller.ts"
import type { ContextScope, Opened, OpenNeeds, StateRows } from "@rapport/core/context/read/ContextStore.ts"
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { callerOf, openedEntity } from "../sql/Visibility.ts"
import {
  Actions,
  actionsPart,
  Conversations,
  conversationsPart,
  Group,
  groupPart,
  Interactions,
  interactionsPart,
  memberRows,
  Members,
  membersPart,
  type OpenValues,
  Properties,
  propertiesPart,
  QuarantinedMemories,
  quarantinedMemoriesPart,
  State,
  statePart
} from "./ContextOpenParts.ts"
import { Rights, rightsColumn, sessionWith } from "../access/AuthenticatedSessions.ts"
import { isoRange, WireTime } from "./RowColumns.ts"
import { rowsOf, type Places, sharedText } from "../sql/Query.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/**
 * UTF-16 units of the texts of parts that a process remembers, at least half of them: some 2,000 clients that are read in turn.
 * With what is made of them they take 100 MiB then, 200 at most.
 */
const PARTS_UNITS_KEPT_MAX = 12 * 1_024 * 1_024

/** What is left in the database counts this many times the bytes of the pack: the text there is canonical JSON or longer. */
const LEFT_FACTOR = 2

/** What the text of the statement depends on, beside which of its values there are. */
interface OpenKind extends Pick<OpenNeeds, "group" | "memories" | "properties" | "session" | "state"> {
  readonly entity: ContextScope["entity"]
}

/** Makes the statement that opens an entity. */
export const makeOpenStatement = (sql: Sql) => {
  const statement = sharedText<OpenKind, OpenValues>(sql, (kind, bound) => openStatement(sql, kind, bound))
  return (caller: Caller, { entity, id }: ContextScope, needs: OpenNeeds): Statement.Statement<unknown> => {
    const { group, memories, properties, session, state } = needs
    const { instanceId, sessionId, tokenId, userId } = caller
    return statement(
      { entity, group, memories, properties, session, state },
      {
        instanceId,
        userId,
        sessionId,
        tokenId,
        entityId: id,
        keptBytes: LEFT_FACTOR * needs.maxResponseBytes,
        // One more than the limit shows whether there are older ones.
        actions: needs.actions && needs.actions.limit + 1,
        actorTypes: needs.actions?.actorTypes ?? null,
        conversations: needs.conversations,
        interactions: needs.interactions,
        ...isoRange(needs)
      }
    )
  }
}

/** One row: what is of this moment, and the parts as one JSON text; what is not needed is null. */
const openStatement = (
  sql: Sql,
  { entity, group, memories, properties, session, state }: OpenKind,
  bound: Places<OpenValues>
): Statement.Statement<unknown> => {
  const when = (needed: boolean, part: () => Fragment): Fragment => (needed ? part() : sql.literal("null"))
  return sql`with ${callerOf(sql, bound)},
    target as materialized (${openedEntity(sql, entity, bound.entityId)})
    select json_build_object('databaseAt', now(), 'snapshot', pg_current_snapshot()::text, 'capabilityEnabled', instances.capability_enabled,
      'contextStoreReady', instances.context_store_ready, 'entityId', (select id from target),
      'rights', ${when(session, () => sql.literal(`(select ${rightsColumn} from caller u)`))}) as opened,
    json_build_object('state', ${when(state, () => statePart(sql, entity, bound))},
      'actions', ${when(bound.actions !== null, () => actionsPart(sql, bound))},
      'members', ${when(properties, () => membersPart(sql, entity, bound))},
      'properties', ${when(properties, () => propertiesPart(sql, entity, bound))},
      'conversations', ${when(bound.conversations !== null, () => conversationsPart(sql, bound))},
      'interactions', ${when(bound.interactions !== null, () => interactionsPart(sql, bound))},
      'quarantinedMemories', ${when(memories, () => quarantinedMemoriesPart(sql, bound))},
      'group', ${when(group, () => groupPart(sql, bound))})::text as parts
    from instances where instances.id = ${bound.instanceId}`
}

const OpenedRow = Schema.Struct({
  opened: Schema.Struct({
    databaseAt: WireTime,
    snapshot: Schema.String,
    capabilityEnabled: Schema.Boolean,
    contextStoreReady: Schema.Boolean,
    entityId: Schema.NullOr(Schema.Int),
    rights: Schema.NullOr(Rights)
  }),
  parts: Schema.String
})
export const openedRows = rowsOf(OpenedRow)

/** What the text of the parts says. */
type Parts = Omit<
  Opened,
  "session" | "databaseAt" | "snapshot" | "capabilityEnabled" | "contextStoreReady" | "entityId"
>

/** Reads the parts of an entity whose state has this shape; a text of another shape is a defect. */
const reading = <S>(state: Schema.Decoder<S>, shown: (state: S) => StateRows | null) => {
  const decode = Schema.decodeUnknownSync(
    Schema.Struct({
      state: Schema.NullOr(state),
      actions: Schema.NullOr(Actions),
      members: Schema.NullOr(Members),
      properties: Schema.NullOr(Properties),
      conversations: Schema.NullOr(Conversations),
      interactions: Schema.NullOr(Interactions),
      quarantinedMemories: Schema.NullOr(QuarantinedMemories),
      group: Schema.NullOr(Group)
    })
  )
  return (text: string, entity: ContextScope["entity"], limit: number): Parts => {
    const { actions, members, properties, state, ...parts } = decode(JSON.parse(text))
    return {
      ...parts,
      state: state && shown(state),
      actions: actions && { more: actions.length > limit, rows: actions.slice(0, limit) },
      properties: properties && [...(members === null ? [] : memberRows(entity, members)), ...properties]
    }
  }
}

const readings = {
  client: reading(State.client, (namespaces) => ({ _tag: "Client", namespaces })),
  operator: reading(State.operator, (operator) => ({ _tag: "Operator", operator })),
  skill_group: reading(State.skill_group, (skillGroup) => ({ _tag: "SkillGroup", skillGroup })),
  subject: reading(Schema.Null, () => null)
}

/** Reads rows of `openStatement`; what has not changed since it was read last is the same objects. */
export const makeOpening = () => {
  const known = new RememberedTexts<Parts>(PARTS_UNITS_KEPT_MAX)
  return (
    caller: Caller,
    { entity }: ContextScope,
    needs: OpenNeeds,
    { opened, parts }: typeof OpenedRow.Type
  ): Opened => {
    const { rights, ...moment } = opened
    const limit = needs.actions?.limit ?? 0
    const found = known.get(`${entity} ${limit} ${parts}`, () => readings[entity](parts, entity, limit))
    return { ...moment, ...found, session: rights && sessionWith(caller, rights) }
  }
}

/**
 * What texts mean, kept for those that come again: the text is the key, so that nothing remembered is ever out of date. Two
 * generations: what was not asked for while the younger one filled up is forgotten.
 */
export class RememberedTexts<Meaning extends object> {
  readonly #generationUnits: number
  #young = new Map<string, Meaning>()
  #old = new Map<string, Meaning>()
  #units = 0

  constructor(unitsMax: number) {
    this.#generationUnits = unitsMax / 2
  }

  get(text: string, read: () => Meaning): Meaning {
    const known = this.#young.get(text)
    if (known !== undefined) return known
    const meaning = this.#old.get(text) ?? read()
    if (text.length > this.#generationUnits) return meaning
    if (this.#units + text.length > this.#generationUnits) {
      this.#old = this.#young
      this.#young = new Map()
      this.#units = 0
    }
    this.#units += text.length
    this.#young.set(text, meaning)
    return meaning
  }
}
