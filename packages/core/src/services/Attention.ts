/** Says what is wrong in an organization: reads the facts, and applies the rules of `domain/organizations/Finding`. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access } from "../engine/Access.ts"
import { RetentionPolicy } from "../engine/RetentionPolicy.ts"
import type { attention } from "../api/attention.ts"
import type * as Operation from "../api/Operation.ts"
import { OrganizationNotFound } from "../domain/errors/Errors.ts"
import { hourMillis, quarterMillis, slotOf } from "../domain/money/Total.ts"
import * as Domain from "../domain/organizations/Finding.ts"
import { hasDefaultSender } from "../domain/organizations/Organization.ts"
import * as WebhookProgress from "../domain/webhooks/WebhookProgress.ts"
import { Gateway } from "../ports/Gateway.ts"
import { Store } from "../ports/Store.ts"

export class Attention extends Context.Service<
  Attention,
  Operation.HostMethods<typeof attention>
>()("@countersign/core/services/Attention") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const { states = Effect.succeed([]) } = yield* Gateway
  const { messages: kept } = yield* RetentionPolicy
  const store = yield* Store
  return Attention.of({
    read: Effect.fn("Attention.read")(function* ({ organization: id }) {
      const organization = yield* access.load(id)
      const account = yield* store.account(id)
      if (account === undefined) return yield* new OrganizationNotFound()
      const now = yield* Clock.currentTimeMillis
      const from = slotOf(now - Domain.observedMillis, hourMillis)
      const hours = Math.ceil((now + 1 - from) / hourMillis)
      const starts = Array.from({ length: hours }, (_, index) => from + index * hourMillis)
      const to = from + hours * hourMillis
      const kinds = ["messages", "requests"] as const
      const query = { kinds, from, to, slotMillis: quarterMillis, starts }
      const progress = yield* store.webhookProgress(id)
      const oldest = yield* store.message({ organization: id, sequence: account.firstMessage })
      const facts: Domain.Facts = {
        now,
        hasDefaultSender: hasDefaultSender(organization),
        balance: account.balance,
        balanceLowAt: organization.settings.balanceLowAt,
        gateways: yield* states,
        totals: yield* store.totals(id, query),
        webhooks: organization.webhooks.flatMap((webhook) =>
          webhook.isEnabled
            ? [
                {
                  ...(progress.find((one) => one.id === webhook.id) ??
                    WebhookProgress.initial(id, webhook.id, webhook.startsAfter)),
                  url: webhook.url,
                },
              ]
            : [],
        ),
        oldestMessageAt: oldest?.message?.createdAt,
        keptMillis: Duration.toMillis(kept),
      }
      return { findings: Domain.findings(facts), daysLeft: Domain.daysLeft(facts) ?? null }
    }),
  })
})

export const layer = Layer.effect(Attention, make)
