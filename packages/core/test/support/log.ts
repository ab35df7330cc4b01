import * as Effect from "effect/Effect"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Store } from "../../src/ports/Store.ts"

/** Every message of the log as `status, hold, attempt`, oldest first. */
export const logOf = (organization: OrganizationId) =>
  Effect.map(
    Store.use((store) =>
      store.messages(organization, { from: undefined, to: undefined, skip: 0, limit: 1_000 }),
    ),
    (page) =>
      (page?.messages ?? [])
        .map(({ dispatchNumber, hold, status }) => `${status}, ${hold}, ${dispatchNumber}`)
        .toReversed(),
  )

/** As in `99.50 + 0.50 held, 3 entries`. */
export const moneyOf = (organization: OrganizationId) =>
  Effect.map(
    Store.use((store) => store.account(organization)),
    (account) =>
      account === undefined
        ? "no account"
        : `${Money.format(account.balance)} + ${Money.format(account.held)} held, ${account.entries} entries`,
  )
