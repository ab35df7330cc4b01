import type { Command } from "@countersign/core/decide/Command"
import * as Erasure from "@countersign/core/decide/maintenance/Erasure"
import type { ErasedCounts } from "@countersign/core/domain/events/Event"
import type { Digests } from "@countersign/core/domain/verifications/KnownClient"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { delivered, open, present, run, settled, type StoreService, transcript } from "./support.ts"

const { messageId, organizationId, requestId } = Samples

/** `person` is erased. `other` has the same masked number. */
export const [person, other] = [Samples.phoneNumber(0), Samples.phoneNumber(1_000)]
const digestsOf = (phoneNumber: PhoneNumber): Digests =>
  phoneNumber === person ? ["digest"] : ["digest of another"]
export const digests = digestsOf(person)
export const answer = '{"erased":true}'

export const subject = { organization: organizationId, phoneNumber: person, digests }

/** Erases in steps until none is left. */
export const erase = Effect.fnUntraced(function* (
  store: StoreService,
  options: { readonly limit?: number; readonly kinds?: ReadonlyArray<Erasure.Kind> } = {},
) {
  const { kinds = Erasure.kinds, limit = 100 } = options
  let counts: ErasedCounts = Erasure.noCounts
  let left = 0
  let steps = 0
  for (const kind of kinds) {
    let after: string | undefined
    do {
      const step = present(yield* store.erase({ ...subject, kind, after, limit, answer }))
      counts = Erasure.add(counts, step.counts)
      left += step.left
      after = step.next
      assert.isBelow(++steps, 1_000, "it does not come to an end")
    } while (after !== undefined)
  }
  return { counts, left }
})

export const personal = Effect.fnUntraced(function* (
  store: StoreService,
  phoneNumber: PhoneNumber = person,
  limit = 100,
) {
  const found: Array<Erasure.Rows> = []
  for (const kind of Erasure.kinds) {
    let after: string | undefined
    do {
      const of = { ...subject, phoneNumber, digests: digestsOf(phoneNumber) }
      const page = yield* store.personalRows({ ...of, kind, after, limit })
      const { next, rows } = present(page)
      found.push(Erasure.ofNumber(rows, phoneNumber))
      after = next
    } while (after !== undefined)
  }
  return {
    recipients: found.flatMap(({ recipient }) => recipient ?? []),
    erasedRecipients: found.flatMap(({ erasedRecipients }) => erasedRecipients),
    messages: found.flatMap(({ messages }) => messages),
    reports: found.flatMap(({ reports }) => reports),
    verifications: found.flatMap(({ verifications }) => verifications),
    events: found.flatMap(({ events }) => events.map(({ event }) => event)),
    keys: found.flatMap(({ keys }) => keys.map(({ key }) => key)),
    refusals: found.flatMap(({ refusals }) => refusals),
    queued: found.flatMap(({ queued }) => queued),
  }
})

const draft = (index: number, to = person) =>
  Samples.newMessage({ id: messageId(index), text: `${to} has a parcel` })

/** A gateway's id that contains the number, as the ids of WhatsApp do. */
export const wamid = (to: PhoneNumber, index: number) => `wamid.${btoa(`${to.slice(1)}:${index}`)}`

export const deliver = (store: StoreService, messageSequence: number, to: PhoneNumber) =>
  run(store, settled(messageSequence, delivered(wamid(to, messageSequence))))

const accept = (messageSequence: number) =>
  settled(messageSequence, { _tag: "Accepted", gatewayId: wamid(person, messageSequence) })

const hold = (index: number, phoneNumber = person) =>
  Samples.holdMessage({ phoneNumber, draft: draft(index, phoneNumber) })

export const report = (messageSequence: number, to: PhoneNumber) =>
  Samples.applyReport({
    messageSequence,
    detail: `to ${to}`,
    source: Samples.reportSource({
      gatewayId: wamid(to, messageSequence),
      evidence: JSON.stringify({ id: wamid(to, messageSequence) }),
    }),
  })

export const code = (index: number, to: PhoneNumber): Command<"RequestVerification"> =>
  Samples.requestVerification({
    requestId: requestId(index),
    phoneNumber: to,
    purpose: `login of ${to}`,
    metadata: `{"user":"${to}"}`,
    draft: draft(index, to),
  })

/**
 * The log of both. 1, 4 and 6 are messages to `person`, and 6 is open. 2 and 5 carry codes to `person`: the first is
 * verified, and the second expires. 3 and 7 are a code and a message to `other`.
 */
export const history = Effect.fnUntraced(function* (store: StoreService) {
  yield* open(store)
  const failed = { _tag: "Rejected", reason: "recipient", message: `bad ${person}` } as const
  yield* transcript(store, [
    { ...hold(1), idempotency: Samples.idempotentCall() },
    accept(1),
    report(1, person),
    Samples.recordAnswer({ answer: wamid(person, 1) }),
    code(2, person),
    settled(2, delivered(wamid(person, 2)), { requestId: requestId(2) }),
    Samples.checkCode({ requestId: requestId(2), client: ["visitor"] }),
    Samples.consumeVerification({ requestId: requestId(2) }),
    code(3, other),
    settled(3, delivered(wamid(other, 3))),
    Samples.checkCode({ requestId: requestId(3) }),
    hold(4),
    settled(4, failed),
    code(5, person),
    settled(5, delivered(wamid(person, 5))),
  ])
  yield* TestClock.adjust(300_000)
  yield* transcript(store, [
    hold(6),
    accept(6),
    hold(7, other),
    settled(7, delivered(wamid(other, 7))),
  ])
})
