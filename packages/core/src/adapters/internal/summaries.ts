/** The list of organizations in the memory store. */
import * as Order from "effect/Order"
import { dayMillis } from "../../domain/money/Total.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import * as Organization from "../../domain/organizations/Organization.ts"
import type { OrganizationSummary, SummarySelection } from "../../ports/Store.ts"
import type { OrganizationState } from "./organizationState.ts"

interface Asked extends SummarySelection {
  readonly after: OrganizationId | undefined
  readonly limit: number
  /** Epoch milliseconds. */
  readonly at: number
}

const byId = Order.mapInput(Order.String, ({ id }: Pick<OrganizationSummary, "id">): string => id)

const byBalance = Order.combine(
  Order.mapInput(Order.Number, ({ balance }: OrganizationSummary): number => balance),
  byId,
)

const summaryOf = ({ account, organization, totals }: OrganizationState, at: number) => {
  const sent = totals
    .rows()
    .filter((one) => one.kind === "messages" && one.at >= at - dayMillis)
    .reduce((sum, { count }) => sum + count, 0)
  return Organization.summaryOf(organization, account, at, sent)
}

export const summariesOf = (
  states: ReadonlyMap<OrganizationId, OrganizationState>,
  { after, at, hasPendingSenders = false, limit, order = "id", search }: Asked,
): ReadonlyArray<OrganizationSummary> => {
  const inOrder = order === "balance" ? byBalance : byId
  const last = after === undefined ? undefined : states.get(after)
  // An id that does not exist has a place among ids, and none among balances.
  const isLater = (one: OrganizationSummary): boolean =>
    after === undefined ||
    (order === "id" ? one.id > after : last !== undefined && inOrder(summaryOf(last, at), one) < 0)
  return [...states.values()]
    .filter(({ organization }) => Organization.isNamed(organization, search))
    .map((state) => summaryOf(state, at))
    .filter((one) => isLater(one) && (!hasPendingSenders || one.pendingSenders > 0))
    .toSorted(inOrder)
    .slice(0, limit)
}
