/** The choices of the audit filters. */
import type { AuditRecord } from "../../api/types.ts"

type Entry = Pick<AuditRecord, "actor" | "actorName" | "target">

/** At most this many of each are offered. */
const maxChoices = 20

/** The actors and the targets of entries, in their order, each once. */
export const choicesOf = (entries: ReadonlyArray<Entry>) => {
  const actors = new Map<string, string>()
  const targets = new Set<string>()
  for (const { actor, actorName, target } of entries) {
    if (!actors.has(actor))
      actors.set(actor, actorName === null ? actor : `${actorName} (${actor})`)
    if (target !== null) targets.add(target)
  }
  return {
    actors: [...actors].slice(0, maxChoices).map(([value, label]) => ({ value, label })),
    targets: [...targets].slice(0, maxChoices).map((value) => ({ value, label: value })),
  }
}
