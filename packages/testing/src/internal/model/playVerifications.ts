/**
 * Actions on verifications: requests for codes, and checks with right and wrong codes.
 */
import { RequestId } from "@countersign/core/domain/Ids"
import { Verifications } from "@countersign/core/services/Verifications"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Samples from "../../Samples.ts"
import {
  callerOf,
  compare,
  type Of,
  organizationOf,
  phoneOf,
  repeated,
  resultOf,
} from "./results.ts"
import { cycled, type Real } from "./real.ts"
import type { ModelMessage, ModelRequest } from "./messageState.ts"
import type { Reference } from "./reference.ts"

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

const clientOf = (client: number | undefined): string | undefined =>
  client === undefined ? undefined : `client ${client}`

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

export const verify = Effect.fnUntraced(function* (
  action: Of<"verify">,
  reference: Reference,
  real: Real,
) {
  const send = (idempotencyKey: string) =>
    Verifications.use((verifications) =>
      resultOf(
        verifications.send({
          idempotencyKey,
          ...callerOf(real, action.org, action.key),
          phoneNumber: phoneOf(action.person),
          channel: action.channel,
          codeLength: action.codeLength,
          expirySeconds: action.expirySeconds,
          brand: action.brand,
          client: clientOf(action.client),
          purpose: action.purpose,
        }),
        ({ channel, expiresInSeconds }) => `sent by ${channel}, expires in ${expiresInSeconds}`,
      ),
    )
  const both = yield* compare(
    action.count,
    () => reference.verify(action),
    (index) => repeated(real, action.node + index, send),
  )
  yield* learnRequests(real, reference)
  return both
})

const wrongDigits = (code: string): string =>
  code.slice(0, -1) + String((Number(code.at(-1)) + 1) % 10)

const inBangla = (code: string): string =>
  code.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))

const typed = (kind: Of<"check">["code"], code = "0123"): string =>
  ({
    right: code,
    wrong: wrongDigits(code),
    spaced: ` ${code.slice(0, 3)}-${code.slice(3)}\u200b`,
    bangla: inBangla(code),
    letters: "😀 OR 1=1",
    empty: "",
    long: code.repeat(9),
  })[kind]

/** A request of the reference, its id, and the caller: the owner by default. */
export const requested = (
  action: { readonly request: number; readonly org: number | undefined },
  reference: Reference,
  real: Real,
) => {
  const index = action.request % (reference.requests.length + 1)
  const request: ModelRequest | undefined = reference.requests[index]
  const known = real.requests[index]
  const org = action.org ?? request?.org ?? 0
  return { request, org, requestId: known?.id ?? Samples.requestId(9), code: known?.code }
}

export const check = Effect.fnUntraced(function* (
  action: Of<"check">,
  reference: Reference,
  real: Real,
) {
  const named = requested(action, reference, real)
  const { org } = named
  // Calls at once may find the same request, or the next one after it was verified.
  const isByNumber = action.by === "number" && action.count === 1 && named.request !== undefined
  const newest = isByNumber ? reference.newestPending(org, named.request?.person ?? 0) : undefined
  const request = isByNumber ? newest : named.request
  const code = real.requests[reference.requests.findIndex((one) => one === request)]?.code
  const of = isByNumber
    ? { phoneNumber: phoneOf(named.request?.person ?? 0) }
    : { requestId: named.requestId }
  const call = Verifications.use((verifications) =>
    resultOf(
      verifications.check({
        ...callerOf(real, org, action.key),
        ...of,
        purpose: action.purpose,
        code: Redacted.make(typed(action.code, code)),
        client: clientOf(action.client),
      }),
      ({ verifiedAt }) => `verified at ${verifiedAt}`,
    ),
  )
  return yield* compare(
    action.count,
    () => reference.check(action, org, request),
    (index) => real.on(action.node + index, call),
  )
})

export const resetGuesses = (action: Of<"resetGuesses">, reference: Reference, real: Real) => {
  const { node, org, person } = action
  reference.resetGuesses(action)
  const reset = Verifications.use((verifications) =>
    verifications.resetGuesses({
      ...callerOf(real, org, undefined),
      phoneNumber: phoneOf(person),
    }),
  )
  return real.on(node, reset)
}
