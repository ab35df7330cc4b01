/**
 * The organizations to try things with.
 *
 * Everything is looked up before it is made, so a start that was cut short is
 * completed by the next one, and later changes of users stay.
 * Two processes must not do this at once on one database: see `Database.alone`.
 */
import { Access } from "@countersign/core/engine/Access"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import type { Kind } from "@countersign/core/domain/messages/Sender"
import { Senders, type SaveSender } from "@countersign/core/services/Senders"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

interface Sender {
  readonly id: string
  readonly kind: Kind
  readonly sender: string
  readonly status: SaveSender["status"]
  readonly isDefault: boolean
}

interface Organization {
  readonly name: string
  readonly allowList: ReadonlyArray<string>
  readonly balance: Money.Money
  readonly senders: ReadonlyArray<Sender>
}

/** Who can call, and with what. */
export interface OrganizationKey {
  readonly name: string
  readonly apiKey: string
}

const number = (sender: string): Sender => ({
  id: "brd_number",
  kind: "non-masking",
  sender,
  status: "approved",
  isDefault: true,
})

const profile = (id: string, sender: string, isDefault: boolean): Sender => ({
  id,
  kind: "whatsapp",
  sender,
  status: "approved",
  isDefault,
})

const masking = (id: string, sender: string, status: "approved" | "pending"): Sender => ({
  id,
  kind: "masking",
  sender,
  status,
  isDefault: false,
})

/** `acme` can do everything, `globex` is soon out of money, `initech` admits only 203.0.113.0/24. */
const organizations = (acmeBalance: Money.Money): ReadonlyArray<Organization> => [
  {
    name: "acme",
    allowList: [],
    balance: acmeBalance,
    senders: [
      number("8809612000101"),
      masking("brd_acme", "ACME", "approved"),
      masking("brd_acme_new", "ACME-NEW", "pending"),
      profile("brd_whatsapp", "acme-whatsapp", true),
      profile("brd_whatsapp_support", "acme-support", false),
    ],
  },
  {
    name: "globex",
    allowList: [],
    balance: Money.make("1"),
    senders: [number("8809612000102"), profile("brd_whatsapp", "globex-whatsapp", true)],
  },
  {
    name: "initech",
    allowList: ["203.0.113.0/24"],
    balance: Money.make("100"),
    senders: [number("8809612000103"), profile("brd_whatsapp", "initech-whatsapp", true)],
  },
]

/** The note of the top-up that an organization starts with: how it is known to have been made. */
const openingNote = "Quickstart: opening balance"

/** Where the opening top-up is looked for: it is made before the first key is. */
const openingEntries = 100

const prepareOrganization = Effect.fnUntraced(function* (
  { allowList, balance, name, senders }: Organization,
  known: ReadonlyArray<OrganizationKey>,
) {
  const organization = OrganizationId(name)
  // With its allow list at once: there is never a moment without it.
  yield* (yield* Organizations)
    .create({ id: name, allowList })
    .pipe(Effect.catchTag("OrganizationExists", () => Effect.void))

  const service = yield* Senders
  const existing = new Set((yield* service.list({ organization })).map(({ id }): string => id))
  const missing = senders.filter(({ id }) => !existing.has(id))
  yield* Effect.forEach(missing, (sender) => service.save({ organization, ...sender }), {
    discard: true,
  })

  const accounts = yield* Accounts
  const entries = yield* accounts.entries({ organization, limit: openingEntries })
  if (balance > 0 && !entries.some(({ note }) => note === openingNote)) {
    yield* accounts.topUp({ organization, amount: balance, note: openingNote })
  }
  return yield* keyFor(organization, known)
})

/**
 * The key that this folder has for an organization, as long as the database
 * knows it. A start that was cut short may leave a key behind that is in
 * no file: no caller can use it.
 */
const keyFor = Effect.fnUntraced(function* (
  organization: OrganizationId,
  known: ReadonlyArray<OrganizationKey>,
) {
  const access = yield* Access
  for (const { apiKey, name } of known) {
    if (name !== organization) continue
    const isGood = yield* access.authenticate(Redacted.make(apiKey)).pipe(
      Effect.tap((caller) => access.confirm(caller)),
      Effect.map((caller) => caller.organization === organization),
      Effect.catchTags({
        Unauthorized: () => Effect.succeed(false),
        OrganizationNotFound: () => Effect.succeed(false),
      }),
    )
    if (isGood) return { name, apiKey }
  }
  const { key } = yield* (yield* ApiKeys).create({
    organization,
    name: "quickstart",
    environment: "test",
  })
  return { name: organization, apiKey: Redacted.value(key) }
})

/** Creates missing rows, and returns a key of each organization. */
export const prepare = (options: {
  readonly balance: Money.Money
  /** Keys from an earlier start, which are kept where they are still good. */
  readonly known: ReadonlyArray<OrganizationKey>
}) =>
  Effect.forEach(organizations(options.balance), (organization) =>
    prepareOrganization(organization, options.known),
  )
