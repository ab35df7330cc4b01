/**
 * The recent requests and checks of one client of an organization, over all phone numbers. A client is what the
 * host names so: an address, a device or a session.
 */
import type { OrganizationId } from "../values/Ids.ts"
import { empty as emptyWindow, type SlidingWindow } from "../limits/SlidingWindow.ts"

export interface ClientActivity {
  readonly organization: OrganizationId
  /** A keyed digest of the host's name for the client. */
  readonly client: string
  readonly sends: SlidingWindow
  readonly checks: SlidingWindow
}

export const empty = (organization: OrganizationId, client: string): ClientActivity => ({
  organization,
  client,
  sends: emptyWindow,
  checks: emptyWindow,
})

/** Whether the row has the effect of an empty one. `earliest` begins the longest window. */
export const isIdle = ({ checks, sends }: ClientActivity, earliest: number): boolean =>
  (sends.at(-1) ?? -Infinity) < earliest && (checks.at(-1) ?? -Infinity) < earliest
