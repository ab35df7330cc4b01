import * as Effect from "effect/Effect"
import * as Organization from "../../domain/organizations/Organization.ts"
import { nextAt } from "../../domain/messages/Message.ts"
import type { MessageRef, OrganizationId } from "../../domain/values/Ids.ts"
import * as Money from "../../domain/values/Money.ts"
import * as WebhookProgress from "../../domain/webhooks/WebhookProgress.ts"
import type { StoreState, UnableToSend } from "../../ports/StoreState.ts"
import type { OrganizationState } from "./organizationState.ts"

type Now = <A>(f: (at: number) => A) => Effect.Effect<A>

/** When the events that a webhook has not got were raised, or first tried. */
const waitingSince = ({ account, events, organization, webhooks }: OrganizationState) =>
  organization.webhooks.flatMap(({ id, isEnabled, startsAfter }) => {
    const progress = webhooks.get(id) ?? WebhookProgress.initial(organization.id, id, startsAfter)
    if (!isEnabled || progress.status !== "active") return []
    const next = events[Math.max(0, progress.position + 1 - account.firstEvent)]
    return [...(next === undefined ? [] : [next.at]), ...progress.retries.map((one) => one.firstAt)]
  })

const dueRetries = ({ organization, webhooks }: OrganizationState, now: number) =>
  organization.webhooks.flatMap(({ id, isEnabled }) => {
    const progress = webhooks.get(id)
    const isDue = isEnabled && progress?.status === "active" && progress.leaseUntil <= now
    return isDue && progress.retryAt !== null ? [progress.retryAt] : []
  })

const unableOf = (state: OrganizationState): keyof UnableToSend | undefined => {
  const { account, organization } = state
  if (organization.settings.isSuspended) return "suspended"
  if (!Organization.hasDefaultSender(organization)) return "noSender"
  return account.balance < (state.message(account.lastMessage)?.charge ?? 0)
    ? "noBalance"
    : undefined
}

/** The state of the store in memory. */
export const makeStoreState = (
  states: ReadonlyMap<OrganizationId, OrganizationState>,
  open: ReadonlyMap<string, MessageRef>,
  now: Now,
): StoreState => ({
  isMigrated: Effect.succeed(true),
  connections: Effect.succeed({ inUse: 0, waiting: 0, max: 0 }),
  rowsInMemory: Effect.succeed(0),
  summary: now((at) => {
    const all = [...states.values()]
    const unable = all.map(unableOf)
    const count = (reason: keyof UnableToSend) => unable.filter((one) => one === reason).length
    const lag = (times: ReadonlyArray<number | null | undefined>) =>
      Math.max(0, ...times.map((time) => at - (time ?? at)))
    return {
      lags: {
        settlement: lag(
          [...open.values()].map(({ organization, sequence }) => {
            const message = states.get(organization)?.message(sequence)
            return message && nextAt(message)
          }),
        ),
        outbox: lag(all.flatMap(({ outbox }) => [...outbox.values()].map(({ dueAt }) => dueAt))),
        webhooks: lag(all.flatMap((state) => dueRetries(state, at))),
        events: lag(all.flatMap(waitingSince)),
      },
      unableToSend: {
        suspended: count("suspended"),
        noSender: count("noSender"),
        noBalance: count("noBalance"),
      },
      held: Money.fromUnits(all.reduce((sum, { account }) => sum + account.held, 0)),
    }
  }),
})
