import type { Account } from "../../domain/Account.ts"
import { logged, type LoggedEvent, type OrganizationEvent } from "../../domain/Event.ts"

interface Recorded {
  readonly account: Account
  readonly events: ReadonlyArray<OrganizationEvent>
  /** The rows to append to the event log. */
  readonly logged: ReadonlyArray<LoggedEvent>
}

/** Gives events the next places in the event log of their organization. No other function gives places. */
export const recorded = (raised: ReadonlyArray<OrganizationEvent>, account: Account): Recorded => {
  const first = account.lastEvent + 1
  return {
    account: { ...account, lastEvent: account.lastEvent + raised.length },
    events: raised.map((event, index) => ({ ...event, sequence: first + index })),
    logged: raised.map((event, index) => logged(event, first + index)),
  }
}
