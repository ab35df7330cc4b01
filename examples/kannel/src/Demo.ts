/**
 * One organization to send with. Existing rows stay as they are.
 */
import { Access } from "@countersign/core/engine/Access"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Senders } from "@countersign/core/services/Senders"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

export const organization = OrganizationId("acme")

const openingBalance = Money.make("100")

const isGood = Effect.fnUntraced(function* (apiKey: string) {
  const access = yield* Access
  return yield* access.authenticate(Redacted.make(apiKey)).pipe(
    Effect.tap((caller) => access.confirm(caller)),
    Effect.map((caller) => caller.organization === organization),
    Effect.catchTags({
      Unauthorized: () => Effect.succeed(false),
      OrganizationNotFound: () => Effect.succeed(false),
    }),
  )
})

/** Creates missing rows, and returns a key: the known one while it is valid. */
export const prepare = Effect.fnUntraced(function* (known: string | undefined) {
  yield* (yield* Organizations)
    .create({ id: organization })
    .pipe(Effect.catchTag("OrganizationExists", () => Effect.void))

  const senders = yield* Senders
  if ((yield* senders.list({ organization })).length === 0) {
    yield* senders.save({
      organization,
      id: "line",
      kind: "non-masking",
      sender: "8809612000101",
      status: "approved",
      isDefault: true,
    })
  }

  const accounts = yield* Accounts
  if ((yield* accounts.entries({ organization, limit: 1 })).length === 0) {
    yield* accounts.topUp({ organization, amount: openingBalance, note: "Opening balance" })
  }

  if (known !== undefined && (yield* isGood(known))) return known
  const { key } = yield* (yield* ApiKeys).create({ organization, name: "kannel" })
  return Redacted.value(key)
})
