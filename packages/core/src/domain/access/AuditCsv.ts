/** Entries of the audit as CSV (RFC 4180). */
import { textCell } from "../values/Csv.ts"
import type { AuditRecord } from "./AuditRecord.ts"

/** The first line. */
export const header = "sequence,at,actor,actorName,origin,action,target,reason,before,after\r\n"

const json = (values: AuditRecord["before"]): string | null =>
  values === null ? null : JSON.stringify(values)

/** The lines of entries, without the first line. */
export const lines = (entries: ReadonlyArray<Omit<AuditRecord, "organization">>): string =>
  entries
    .map(({ action, actor, actorName, after, at, before, origin, reason, sequence, target }) => {
      const texts = [actor, actorName, origin, action, target, reason, json(before), json(after)]
      return `${[sequence, new Date(at).toISOString(), ...texts.map(textCell)].join()}\r\n`
    })
    .join("")
