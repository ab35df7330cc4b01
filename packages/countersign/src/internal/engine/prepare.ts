import { Senders } from "@countersign/core/services/Senders"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Effect from "effect/Effect"
import { defaultOrganization } from "@countersign/core/api/Fields"
import type { CountersignOptions } from "../types/options.ts"

/**
 * Creates the default organization and its senders, unless `defaultOrganization` is `false`. Changes an existing sender
 * only if `senders` names another one, and no other existing data.
 */
export const prepare = Effect.fnUntraced(function* ({
  defaultOrganization: isWanted = true,
  limits: ownLimits = {},
  senders = {},
}: CountersignOptions) {
  if (!isWanted) return
  const organization = OrganizationId(defaultOrganization)
  const organizations = yield* Organizations
  const service = yield* Senders
  const limits =
    ownLimits.checksPerOrganization === undefined ? { checksPerOrganization: null } : {}
  yield* organizations
    .create({ id: organization, limits })
    .pipe(Effect.catchTag("OrganizationExists", () => Effect.void))
  const known = yield* service.list({ organization })
  for (const [channel, kind] of [
    ["sms", "non-masking"],
    ["whatsapp", "whatsapp"],
  ] as const) {
    const sender = senders[channel] ?? "default"
    const own = known.find(({ id }) => id === channel)
    if (own === undefined || (senders[channel] !== undefined && own.sender !== sender)) {
      yield* service.save({
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
