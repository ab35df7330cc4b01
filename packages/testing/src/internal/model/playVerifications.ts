/**
 * Actions on verifications: requests for codes, and checks with right and wrong codes.
 */
import * as Duration from "@countersign/core/domain/values/Duration"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Samples from "../../Samples.ts"
import { answerOf, callerOf, compare, phoneOf, resultOf } from "./results.ts"
import { learnRequests } from "./learn.ts"
import { keyed } from "./playRetries.ts"
import { cycled, type Real } from "./real.ts"
import { typed } from "./typedCodes.ts"
import type { ModelOrganization, ModelRequest } from "./messageState.ts"
import type { Reference } from "./reference.ts"
import type { Action, Among } from "./scenario.ts"

export const clientOf = (client: number | undefined): string | undefined =>
  client === undefined ? undefined : `client ${client}`

/** Lets an action go to a number that a client has verified, by this client or by strangers. */
const toKnown = (action: Action<"verify">, reference: Reference): Action<"verify"> => {
  const known = reference.organizations.flatMap(({ acquaintances }, org) =>
    acquaintances.flatMap(({ client, person }) =>
      action.count === 1 || person <= 2 ? [{ client, person, org }] : [],
    ),
  )
  if (action.known === undefined || known.length === 0) return action
  const { client, org, person } = cycled(known, action.known)
  return { ...action, org, person, client: action.client === undefined ? undefined : client }
}

export const verify = Effect.fnUntraced(function* (
  drawn: Action<"verify">,
  reference: Reference,
  real: Real,
) {
  const action = toKnown(drawn, reference)
  const { count, key, node, org, tag } = action
  const given = (isOther: boolean) =>
    isOther ? { ...action, purpose: "payment" as const } : action
  const call = (isOther: boolean, idempotencyKey: string) =>
    Verifications.use((verifications) =>
      answerOf(
        verifications.send({
          idempotencyKey,
          ...callerOf(real, org, key),
          phoneNumber: phoneOf(action.person),
          channel: action.channel,
          codeLength: action.codeLength,
          expiresIn:
            action.expirySeconds === undefined
              ? undefined
              : Duration.format(action.expirySeconds * 1_000),
          sender: action.brand,
          client: clientOf(action.client),
          purpose: given(isOther).purpose,
        }),
        ({ channel, expiresInSeconds }) => `sent by ${channel}, expires in ${expiresInSeconds}`,
      ),
    )
  const expect = (isOther: boolean) => reference.verify(given(isOther))
  const both = yield* keyed({ tag, org, key, node, call, expect }, count, reference, real)
  yield* learnRequests(real, reference)
  return both
})

/** A request of the reference, its id, and the caller: the owner by default. */
export const requested = (
  action: {
    readonly request: number
    readonly org: number | undefined
    readonly among?: Among
  },
  reference: Reference,
  real: Real,
) => {
  const { requests } = reference
  const { among, request: place } = action
  const isWanted = (one: ModelRequest, index: number) =>
    among === "newest" ? index === requests.length - 1 : reference.state(one) === among
  const indices = requests.flatMap((one, index) =>
    !one.isDropped && isWanted(one, index) ? [index] : [],
  )
  const index = indices.length === 0 ? place % (requests.length + 1) : cycled(indices, place)
  const request: ModelRequest | undefined = requests[index]
  const known = real.requests[index]
  const org = action.org ?? request?.org ?? 0
  return { request, org, requestId: known?.id ?? Samples.requestId(9), code: known?.code }
}

/** The client of an action on a request: if it is a known one, the last that has verified the request's number. */
export const drawnClient = (
  action: { readonly client: number | undefined; readonly isKnown: boolean },
  { acquaintances }: ModelOrganization,
  request: ModelRequest | undefined,
): number | undefined =>
  acquaintances.findLast(({ person }) => action.isKnown && person === request?.person)?.client ??
  action.client

export const check = Effect.fnUntraced(function* (
  drawn: Action<"check">,
  reference: Reference,
  real: Real,
) {
  const named = requested(drawn, reference, real)
  const { org } = named
  const action = { ...drawn, client: drawnClient(drawn, reference.org(org), named.request) }
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

export const resetGuesses = (action: Action<"resetGuesses">, reference: Reference, real: Real) => {
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
