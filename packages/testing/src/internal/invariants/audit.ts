import * as OrganizationChange from "@countersign/core/decide/OrganizationChange"
import type { AuditRecord, Values } from "@countersign/core/domain/access/AuditRecord"
import * as Money from "@countersign/core/domain/values/Money"
import * as Equal from "effect/Equal"
import { orderProblems } from "./records.ts"
import type { Snapshot } from "./snapshot.ts"

/** The name and the id of the changed part; `undefined` if the entry is not about a part of the organization. */
const partOf = ({ action, target }: AuditRecord): string | undefined => {
  const [, name] = /^(.+)\.(?:created|changed|revoked|removed)$/.exec(action) ?? []
  return name === undefined || target === null ? undefined : `${name} ${target}`
}

/** The changes of each part form a chain that ends with the part as it is now. */
const chainProblems = ({ account, audit, organization }: Snapshot): ReadonlyArray<string> => {
  const found: Array<string> = []
  const known = new Map<string, Values | null>()
  for (const entry of audit) {
    const part = partOf(entry)
    if (part === undefined) continue
    const before = known.get(part) ?? (account.firstAudit === 1 ? null : entry.before)
    if (!Equal.equals(before, entry.before)) {
      found.push(`I36: entry ${entry.sequence} of ${part} does not begin where the last one ended`)
    }
    if (Equal.equals(entry.before, entry.after)) {
      found.push(`I36: entry ${entry.sequence} of ${part} states no change`)
    }
    known.set(part, entry.after)
  }
  const parts = OrganizationChange.parts(organization)
  const current = new Map(parts.map(({ id, name, values }) => [`${name} ${id}`, values]))
  if (account.firstAudit === 1) {
    for (const part of current.keys()) {
      if (!known.has(part)) found.push(`I36: there is no entry of ${part}`)
    }
  }
  for (const [part, after] of known) {
    if (!Equal.equals(current.get(part) ?? null, after)) {
      found.push(`I36: ${part} is not as the audit left it`)
    }
  }
  return found
}

const shown = (units: number): Values => ({ balance: Money.format(Money.fromUnits(units)) })

/** Each booking of the ledger has one entry, with the balances of the ledger. */
const bookingProblems = ({ account, audit, entries }: Snapshot): ReadonlyArray<string> => {
  const found: Array<string> = []
  const audited = new Map<string, AuditRecord>()
  for (const entry of audit) {
    if (!entry.action.startsWith("account.")) continue
    const ledger = String(entry.target)
    if (audited.has(ledger)) found.push(`I36: booking ${ledger} has two entries`)
    audited.set(ledger, entry)
  }
  for (const { amount, balance, kind, note, sequence } of entries) {
    if (kind !== "top-up" && kind !== "adjustment") continue
    const entry = audited.get(String(sequence))
    if (entry === undefined) {
      if (account.firstAudit === 1) found.push(`I36: booking ${sequence} has no entry`)
      continue
    }
    if (
      !Equal.equals(entry.before, shown(balance - amount)) ||
      !Equal.equals(entry.after, shown(balance)) ||
      (entry.reason ?? "") !== (note ?? "")
    ) {
      found.push(`I36: the entry of booking ${sequence} states something else`)
    }
  }
  return found
}

/** The account of an organization without any entry may belong to a store whose audit is off. */
export const auditProblems = (snapshot: Snapshot): ReadonlyArray<string> => {
  const { account, audit, messages } = snapshot
  if (account.lastAudit === 0) return []
  const { firstAudit: first, lastAt, lastAudit: last } = account
  const numbers = new Set(messages.map(({ phoneNumber }): string => phoneNumber))
  const tells = audit.some(({ target }) => target !== null && numbers.has(target))
  return [
    ...orderProblems("I36: entry", audit, { first, last, lastAt }),
    ...chainProblems(snapshot),
    ...bookingProblems(snapshot),
    ...(tells ? ["I36: an entry tells a phone number"] : []),
  ]
}
