// Packs that were written, for reads that would write the same: by a hash of all that a pack is written of, so that nothing
// remembered is ever out of date.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { PACK_UNITS_KEPT_MAX } from "../PackLimits.ts"
import type { SourceUrls } from "../pack/Citations.ts"
import { USED_MILLIS_MOST, type Moment, type PackFormat, type WrittenPack } from "../pack/PackForm.ts"
import type { ContextPlan } from "./ContextPlan.ts"
import type { Confirmation } from "./ContextStore.ts"
import type { OpenedSections } from "./OpenSections.ts"

/** How much of a section a pack shows. */
export type Outcome = "complete" | "trimmed" | "unavailable"

/** A pack with what else a read needs of it. */
export interface ReadPack {
  readonly pack: WrittenPack
  readonly outcomes: ReadonlyArray<{ readonly section: ContextSection; readonly outcome: Outcome }>
  /** What is to be confirmed before it leaves. */
  readonly shown: Pick<Confirmation, "appealIds" | "namedAppealIds" | "propertyDefinitionIds">
}

/** Units that a pack counts beside its texts: its numbers, and its place here. */
const ENTRY_UNITS = 512

export class RememberedPacks {
  readonly #packs = new Map<string, ReadPack>()
  readonly #unitsMax: number
  #units = 0

  constructor(unitsMax = PACK_UNITS_KEPT_MAX) {
    this.#unitsMax = unitsMax
  }

  /** What was not asked for longest is forgotten first. */
  get(key: string): ReadPack | undefined {
    const found = this.#packs.get(key)
    if (found !== undefined) {
      this.#packs.delete(key)
      this.#packs.set(key, found)
    }
    return found
  }

  set(key: string, read: ReadPack): void {
    this.#forget(key)
    this.#packs.set(key, read)
    this.#units += unitsOf(read)
    for (const oldest of this.#packs.keys()) {
      if (this.#units <= this.#unitsMax) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    const found = this.#packs.get(key)
    if (found === undefined) return
    this.#packs.delete(key)
    this.#units -= unitsOf(found)
  }
}

const unitsOf = ({ pack }: ReadPack): number => pack.units + ENTRY_UNITS

/**
 * By what the pack of a read is remembered: whose it is, all that was asked, all that the database said, and what else it is
 * written of. Null where it is made of more than that: of evidence, or of parts that were read one by one.
 */
export const keyOf = (
  hex: (text: string) => string,
  { instanceId }: AuthorizedSession,
  plan: ContextPlan,
  format: PackFormat,
  { entityId, text }: OpenedSections,
  urls: SourceUrls,
  { requestId, usedMillis }: Moment
): string | null => {
  if (text === null || entityId === null || plan.sections.has("evidence")) return null
  // A longer time takes more of the budget.
  if (usedMillis > USED_MILLIS_MOST) return null
  const of = {
    ...plan,
    sections: [...plan.sections],
    instanceId,
    entityId,
    format,
    // Of the addresses of sections only that of the record depends on the caller.
    record: urls.record(plan.scope.entity, entityId),
    // It takes as much of the budget as it is long.
    requestIdUnits: JSON.stringify(requestId).length
  }
  return hex(`${JSON.stringify(of)}\n${text}`)
}
