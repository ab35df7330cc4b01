/** Finds what a support call names. Each kind of id is one read, so the cost does not depend on history. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FieldProblems, requestIdOf } from "../api/internal/fieldProblems.ts"
import type { SearchError } from "../api/messages.ts"
import type * as Operation from "../api/Operation.ts"
import type { searches } from "../api/search.ts"
import type { ApiKey } from "../domain/access/ApiKey.ts"
import { Limits } from "../domain/limits/Limits.ts"
import * as Message from "../domain/messages/Message.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import { Access } from "../engine/Access.ts"
import { Store } from "../ports/Store.ts"
import { Installation } from "./Installation.ts"
import { statusOf } from "./internal/queuedVerification.ts"
import { makeSearch } from "./internal/search.ts"
import { stateOf } from "./verifications/requestLife.ts"

type Operations = typeof searches

export type Hit = Operations["find"]["output"]["Type"]["hits"][number]

export class Searches extends Context.Service<
  Searches,
  Operation.Methods<Operations, SearchError>
>()("@countersign/core/services/Searches") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const store = yield* Store
  const hostLimits = yield* Limits
  const { gateways } = yield* Installation
  const search = yield* makeSearch

  const byPhoneNumber = Effect.fnUntraced(function* (
    { id: organization }: Organization.Organization,
    phoneNumber: string,
  ) {
    const asked = { organization, phoneNumber, limit: maxOfNumber }
    const { verifications } = yield* search.verifications(asked)
    const { messages } = yield* search.messages(asked)
    return [...verifications.map(ofVerification), ...messages.map(ofMessage)]
  })

  const byRequestId = Effect.fnUntraced(function* (
    organization: Organization.Organization,
    text: string,
  ) {
    const requestId = requestIdOf(text)
    const limits = Organization.limitsOf(organization, hostLimits)
    const read = yield* store.verification(organization.id, requestId)
    if (read !== undefined)
      return [ofVerification(stateOf(read.verification, limits, read.now, null))]
    const queued = yield* store.queued(organization.id, requestId)
    const status = queued && statusOf(queued, limits)
    return status === undefined ? [] : [ofVerification(status)]
  })

  const bySequence = Effect.fnUntraced(function* (
    { id: organization }: Organization.Organization,
    sequence: number,
  ) {
    const message = (yield* store.message({ organization, sequence }))?.message
    return message === undefined ? [] : [message]
  })

  const byMessageId = Effect.fnUntraced(function* (
    organization: Organization.Organization,
    text: string,
  ) {
    const found = yield* bySequence(organization, Message.sequenceIn(text) ?? 0)
    return found.filter((message) => Message.logId(message) === text).map(ofMessage)
  })

  /** The messages of the organization to which a gateway has given this id. */
  const byGatewayId = Effect.fnUntraced(function* (
    organization: Organization.Organization,
    text: string,
  ) {
    const refs = yield* Effect.forEach(yield* gateways, ({ gateway }) =>
      store.locate(gateway, text),
    )
    const own = refs.flatMap((ref) => (ref?.organization === organization.id ? [ref] : []))
    const found = yield* Effect.forEach(own, ({ sequence }) => bySequence(organization, sequence))
    return found.flat().map(ofMessage)
  })

  const byPaymentId = Effect.fnUntraced(function* (
    { id }: Organization.Organization,
    text: string,
  ) {
    const entry = yield* store.payment(id, text)
    if (entry === undefined) return []
    return [hit("payment", text, entry.note ?? text, { at: entry.at })]
  })

  return Searches.of({
    find: Effect.fn("Searches.find")(function* ({ organization: id, query }) {
      const problems = new FieldProblems()
      const text = query.trim()
      problems.printable("query", text, maxQueryLength)
      if (problems.error !== undefined) return yield* problems.error
      const organization = yield* access.load(id)
      const number = PhoneNumber.parseE164(text, "optional")
      if (number._tag === "Success") return { hits: yield* byPhoneNumber(organization, text) }
      const found = yield* Effect.all([
        byRequestId(organization, text),
        byMessageId(organization, text),
        byGatewayId(organization, text),
        byPaymentId(organization, text),
      ])
      return { hits: [...ofSettings(organization, text), ...found.flat()] }
    }),
  })
})

export const layer = Layer.effect(Searches, make)

/** The most messages, and verifications, of a phone number. */
export const maxOfNumber = 5

const maxQueryLength = 200

const hit = (
  kind: Hit["kind"],
  id: string,
  label: string,
  { at = null, status = null }: Partial<Pick<Hit, "at" | "status">>,
): Hit => ({ kind, id, label, status, at })

const ofVerification = ({
  createdAt: at,
  phoneNumber,
  requestId,
  status,
}: Pick<ReturnType<typeof stateOf>, "createdAt" | "phoneNumber" | "requestId" | "status">): Hit =>
  hit("verification", requestId, phoneNumber, { at, status })

const ofMessage = (message: Message.Message): Hit =>
  hit("message", Message.logId(message), message.phoneNumber, {
    at: message.createdAt,
    status: message.status,
  })

/** The fewest characters of a key's id, so that the beginning that all keys share finds none. */
const minKeyCharacters = 4

/** Whether the text is the beginning of the key, or goes on after it. */
const isBeginningOf = ({ environment, id }: ApiKey, text: string): boolean => {
  const own = `csk_${environment}_${id}`
  const isLong = (part: string): boolean => part.length >= minKeyCharacters
  return (
    text.startsWith(own) ||
    (own.startsWith(text) && isLong(text.slice(own.length - id.length))) ||
    (id.startsWith(text) && isLong(text))
  )
}

const ofSettings = (
  { keys, webhooks }: Organization.Organization,
  text: string,
): ReadonlyArray<Hit> => [
  ...keys
    .filter((key) => isBeginningOf(key, text))
    .map(({ createdAt: at, id, name, revokedAt }) =>
      hit("api_key", id, name, { at, status: revokedAt === null ? null : "revoked" }),
    ),
  ...webhooks.filter(({ id }) => id === text).map(({ id, url }) => hit("webhook", id, url, {})),
]
