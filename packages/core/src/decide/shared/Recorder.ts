import type { Account } from "../../domain/money/Account.ts"
import * as AuditRecord from "../../domain/access/AuditRecord.ts"
import { logged } from "../../domain/events/Event.ts"
import type { Records } from "../../domain/organizations/RecordOptions.ts"
import type { Decision } from "./Decider.ts"

const none: ReadonlyArray<never> = []

/**
 * Gives the events and the audit entries of a decision the next places of their organization, and adds their
 * rows. No other function gives places. `current` is the account if the decision does not change it.
 */
export const recorded = <A>(
  decision: Decision<A>,
  current: Account,
  records: Records,
): Decision<A> => {
  const raised = records.events ? decision.events : none
  const audited = (records.audit ? decision.audited : undefined) ?? none
  if (raised.length === 0 && audited.length === 0) return decision
  const { account = current } = decision.writes
  const { lastAt: at, organization } = account
  const firstEvent = account.lastEvent + 1
  const firstEntry = account.lastAudit + 1
  const events = raised.length > 0 && {
    events: raised.map((event, index) => logged(event, firstEvent + index)),
  }
  const audit = audited.length > 0 && {
    audit: audited.map((draft, index) =>
      AuditRecord.make(draft, { organization, sequence: firstEntry + index, at }),
    ),
  }
  const numbered: Account = {
    ...account,
    lastEvent: account.lastEvent + raised.length,
    lastAudit: account.lastAudit + audited.length,
  }
  return {
    ...decision,
    events: records.events
      ? raised.map((event, index) => ({ ...event, sequence: firstEvent + index }))
      : decision.events,
    writes: { ...decision.writes, account: numbered, ...events, ...audit },
  }
}
