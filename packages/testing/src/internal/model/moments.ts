/**
 * Moments of a history at which a state ends.
 */
import { minute } from "./guards.ts"
import { keptMillis } from "./keyedCalls.ts"
import type { Reference } from "./reference.ts"
import { type Action, leaseMillis, settleMillis } from "./scenario.ts"

type Until = Extract<Action, { readonly tag: "until" }>

/** Returns the time at which a state ends; `undefined` if there is no such state. */
export const momentOf = (reference: Reference, { index, moment }: Until): number | undefined => {
  const { allMessages, config, effects, organizations, requests } = reference
  const moments = {
    expiry: () => requests.map(({ createdAt, expirySeconds }) => createdAt + expirySeconds * 1_000),
    resend: () => requests.map(({ sentAt }) => sentAt + config.cooldownMillis),
    follow: () => allMessages.flatMap(({ followAt }) => followAt ?? []),
    lease: () => allMessages.map(({ createdAt }) => createdAt + leaseMillis),
    deadline: () => allMessages.map(({ createdAt }) => createdAt + settleMillis),
    key: () => effects.map(({ at }) => at + keptMillis),
    minute: () =>
      organizations
        .flatMap(({ requests, checked, counted, tries }) => [
          ...requests.map(({ at }) => at),
          ...checked,
          ...tries.map(({ at }) => at),
          ...counted,
        ])
        .map((at) => at + minute),
  }[moment]()
  return moments[index % moments.length]
}
