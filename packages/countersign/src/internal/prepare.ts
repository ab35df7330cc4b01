/**
 * What a host finds when its engine starts for the first time.
 */
import { Brands } from "@countersign/core/services/Brands"
import { OrganizationId } from "@countersign/core/domain/Ids"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Effect from "effect/Effect"
import { defaultOrganization } from "./inputs.ts"
import type { CountersignOptions } from "./optionTypes.ts"

/** What the organization sends from where a request does not say. */
const defaultSender = "default"

/** Makes the organization of hosts that have one, with a sender for each channel; what is there stays. */
export const prepare = Effect.fnUntraced(function* ({
  limits: ownLimits = {},
  senders = {},
}: CountersignOptions) {
  const organization = OrganizationId(defaultOrganization)
  const organizations = yield* Organizations
  const brands = yield* Brands
  const limits =
    ownLimits.checksPerOrganization === undefined ? { checksPerOrganization: null } : {}
  yield* organizations
    .create({ id: organization, settings: { limits } })
    .pipe(Effect.catchTag("OrganizationExists", () => Effect.void))
  const known = yield* brands.list(organization)
  for (const [channel, kind] of [
    ["sms", "non-masking"],
    ["whatsapp", "whatsapp"],
  ] as const) {
    const sender = senders[channel] ?? defaultSender
    const own = known.find(({ id }) => id === channel)
    if (own === undefined || (senders[channel] !== undefined && own.sender !== sender)) {
      yield* brands.save({
        organization,
        id: channel,
        kind,
        sender,
        status: "approved",
        isDefault: own?.isDefault ?? !known.some((one) => one.kind === kind && one.isDefault),
      })
    }
  }
})
