/**
 * Learns from the engine what the reference cannot know: ids, codes, and the order of concurrent work.
 */
import { RequestId } from "@countersign/core/domain/values/Ids"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ModelMessage } from "./messageState.ts"
import { cycled, type Real } from "./real.ts"
import type { Reference } from "./reference.ts"
import { organizationOf, phoneOf } from "./results.ts"

/** Finds the ids and codes of the requests that the reference has opened since the last call. */
export const learnRequests = Effect.fnUntraced(function* (
  real: Real,
  reference: Reference,
  unsent?: string,
) {
  for (const { message } of reference.requests.slice(real.requests.length)) {
    const total = reference.org(message.org).messages.length
    const query = { from: undefined, to: undefined, skip: total - message.sequence, limit: 1 }
    const page = yield* real.store.messages(organizationOf(real, message.org), query)
    const found = page?.messages[0]
    assert.isNotNull(found?.requestId ?? null, "a request has to be in the log")
    const journal = yield* real.gateway.journal(phoneOf(message.person))
    const text = journal.find(({ id }) => id === found?.id)?.text
    real.requests.push({
      id: RequestId(found?.requestId ?? ""),
      code: text === undefined ? unsent : /\d{4,10}/.exec(text)?.[0],
    })
  }
})

/** Finds the messages that an SMS follows since the reference's last message, in the order of the SMS. */
export const learnFollowers = Effect.fnUntraced(function* (real: Real, reference: Reference) {
  const followed: Array<ModelMessage> = []
  for (const [org, { messages }] of reference.organizations.entries()) {
    const query = { from: undefined, to: undefined, skip: 0, limit: 200 }
    const page = yield* real.store.messages(organizationOf(real, org), query)
    const added = page?.messages.filter(({ sequence }) => sequence > messages.length) ?? []
    for (const { requestId } of added.toReversed()) {
      const index = real.requests.findIndex(({ id }) => id === requestId)
      followed.push(cycled(reference.requests, index).message)
    }
  }
  return followed
})
