import * as Erasure from "@countersign/core/decide/Erasure"
import * as ErasedRecipient from "@countersign/core/domain/ErasedRecipient"
import type { ErasedCounts } from "@countersign/core/domain/Event"
import { OrganizationId } from "@countersign/core/domain/Ids"
import type { Digests } from "@countersign/core/domain/KnownClient"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { day, prune, sound } from "./prune.ts"
import { messageSearch, verificationSearch } from "./searchPages.ts"
import { open, present, run, type StoreService, type Test, times, transcript } from "./support.ts"

const { messageId, now, organizationId, requestId } = Samples

/** `person` is erased. `other` has the same masked number. */
const [person, other] = [Samples.phoneNumber(0), Samples.phoneNumber(1_000)]
const digestsOf = (phoneNumber: PhoneNumber): Digests =>
  phoneNumber === person ? ["digest"] : ["digest of another"]
const digests = digestsOf(person)
const answer = '{"erased":true}'

const subject = { organization: organizationId, phoneNumber: person, digests }

/** Erases in steps until none is left. */
const erase = Effect.fnUntraced(function* (
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

const personal = Effect.fnUntraced(function* (
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
  }
})

const draft = (index: number, to = person) =>
  Samples.draft({ id: messageId(index), text: `${to} has a parcel` })

/** A gateway's id that contains the number, as those of WhatsApp do. */
const wamid = (to: PhoneNumber, index: number) => `wamid.${btoa(`${to.slice(1)}:${index}`)}`

const deliver = (store: StoreService, messageSequence: number, to: PhoneNumber) =>
  run(
    store,
    Samples.recordDispatch({
      messageSequence,
      outcome: { _tag: "Delivered", gatewayId: wamid(to, messageSequence) },
    }),
  )

const report = (messageSequence: number, to: PhoneNumber) =>
  Samples.applyReport({
    messageSequence,
    detail: `to ${to}`,
    source: Samples.reportSource({
      gatewayId: wamid(to, messageSequence),
      evidence: JSON.stringify({ id: wamid(to, messageSequence) }),
    }),
  })

const code = (index: number, to: PhoneNumber) =>
  Samples.requestVerification({
    requestId: requestId(index),
    phoneNumber: to,
    purpose: `login of ${to}`,
    metadata: `{"user":"${to}"}`,
    draft: draft(index, to),
  })

/**
 * The log of both: 1, 4 and 6 are messages to `person`, of which 6 is open; 2 and 5 carry codes to `person`, of
 * which the first is verified and the second expires; 3 and 7 are a code and a message to `other`.
 */
const history = Effect.fnUntraced(function* (store: StoreService) {
  yield* open(store)
  const idempotency = Samples.idempotentCall()
  yield* run(store, Samples.holdMessage({ phoneNumber: person, draft: draft(1), idempotency }))
  yield* run(
    store,
    Samples.recordDispatch({ outcome: { _tag: "Accepted", gatewayId: wamid(person, 1) } }),
  )
  yield* run(store, report(1, person))
  yield* run(store, Samples.recordAnswer({ answer: wamid(person, 1) }))
  yield* run(store, code(2, person))
  yield* run(
    store,
    Samples.recordDispatch({
      messageSequence: 2,
      requestId: requestId(2),
      outcome: { _tag: "Delivered", gatewayId: wamid(person, 2) },
    }),
  )
  yield* run(store, Samples.checkCode({ requestId: requestId(2), client: ["visitor"] }))
  yield* run(store, Samples.consumeVerification({ requestId: requestId(2) }))
  yield* run(store, code(3, other))
  yield* deliver(store, 3, other)
  yield* run(store, Samples.checkCode({ requestId: requestId(3) }))
  yield* run(store, Samples.holdMessage({ phoneNumber: person, draft: draft(4) }))
  const failed = { _tag: "Rejected", reason: "recipient", message: `bad ${person}` } as const
  yield* run(store, Samples.recordDispatch({ messageSequence: 4, outcome: failed }))
  yield* run(store, code(5, person))
  yield* deliver(store, 5, person)
  yield* TestClock.adjust(300_000)
  yield* run(store, Samples.holdMessage({ phoneNumber: person, draft: draft(6) }))
  yield* run(
    store,
    Samples.recordDispatch({
      messageSequence: 6,
      outcome: { _tag: "Accepted", gatewayId: wamid(person, 6) },
    }),
  )
  yield* run(store, Samples.holdMessage({ phoneNumber: other, draft: draft(7, other) }))
  yield* deliver(store, 7, other)
})

const counted = { messages: 4, verifications: 2, reports: 1, events: 3, answers: 1 }

export const privacySection = (test: Test): void => {
  test("an erasure leaves nothing of a number but its country, and the money as it was", (store) =>
    Effect.gen(function* () {
      yield* history(store)
      const before = yield* sound(store)
      const ofOther = yield* personal(store, other)
      assert.deepStrictEqual(yield* erase(store), { counts: counted, left: 1 })
      const after = yield* sound(store)
      assert.deepStrictEqual(after.entries, before.entries)
      assert.deepStrictEqual(after.totals, before.totals)
      assert.deepStrictEqual(after.account, before.account)
      assert.deepStrictEqual(yield* personal(store, other), ofOther)
      // The open message stays until its outcome is known.
      yield* deliver(store, 6, person)
      const again = yield* erase(store)
      assert.deepStrictEqual(again, { counts: { ...Erasure.noCounts, messages: 1 }, left: 0 })
      const none = {
        recipients: [],
        messages: [],
        reports: [],
        verifications: [],
        events: [],
        keys: [],
      }
      const rest = yield* personal(store)
      assert.deepStrictEqual<unknown>(rest, { ...none, erasedRecipients: rest.erasedRecipients })
      const { messages, reports, verifications, events } = yield* sound(store)
      const erased = JSON.stringify([messages, reports, verifications, events, rest], (_, value) =>
        value instanceof Uint8Array ? null : value,
      )
      for (const text of [person.slice(1), btoa(person.slice(1, 13)), "visitor"]) {
        assert.notInclude(erased, text)
      }
      assert.deepStrictEqual(
        messages.map((message) => message.phoneNumber),
        times(7, (index) => ([2, 6].includes(index) ? other : "erased:BD")),
      )
    }))

  test("a repeat of an erasure changes nothing", (store) =>
    Effect.gen(function* () {
      yield* history(store)
      yield* erase(store)
      const rows = yield* sound(store)
      const limits = (yield* personal(store)).erasedRecipients
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* erase(store), { counts: Erasure.noCounts, left: 1 })
      assert.deepStrictEqual(yield* sound(store), rows)
      assert.deepStrictEqual((yield* personal(store)).erasedRecipients, limits)
    }))

  test("small steps read and erase the same as large ones", (store) =>
    Effect.gen(function* () {
      yield* history(store)
      const all = yield* personal(store)
      for (const limit of [1, 2, 3]) {
        assert.deepStrictEqual(yield* personal(store, person, limit), all, String(limit))
      }
      assert.deepStrictEqual(
        [all.recipients, all.messages, all.reports, all.verifications, all.events, all.keys].map(
          ({ length }) => length,
        ),
        [1, 5, 1, 2, 3, 1],
      )
      assert.deepStrictEqual(yield* erase(store, { limit: 1 }), { counts: counted, left: 1 })
      yield* sound(store)
    }))

  test("no command finds a request that is erased", (store) =>
    Effect.gen(function* () {
      yield* history(store)
      yield* erase(store)
      assert.isUndefined(yield* store.verification(organizationId, requestId(2)))
      const id = { requestId: requestId(2) }
      const found = yield* transcript(store, [
        Samples.checkCode(id),
        Samples.consumeVerification(id),
        Samples.cancelVerification(id),
        Samples.admitResend(id),
        Samples.resendVerification(id),
        { _tag: "ObserveVerification", organization: organizationId, ...id },
      ])
      assert.deepStrictEqual(
        found,
        times(6, () => "NotFound"),
      )
      const byNumber = { phoneNumber: person }
      const requests = yield* store.searchVerifications(
        organizationId,
        verificationSearch(byNumber),
      )
      assert.deepStrictEqual(present(requests).rows, [])
      const messages = yield* store.searchMessages(organizationId, messageSearch(byNumber))
      assert.deepStrictEqual(
        present(messages).rows.map(({ sequence }) => sequence),
        [6],
      )
    }))

  test("a repeat of a call with a key gets the answer of an erased message", (store) =>
    Effect.gen(function* () {
      yield* history(store)
      yield* erase(store)
      const repeated = yield* run(store, {
        _tag: "FindCall",
        organization: organizationId,
        idempotency: Samples.idempotentCall(),
      })
      assert.strictEqual(repeated._tag === "Repeated" && repeated.key.answer, answer)
      // The node of the first call may record its answer late.
      const late = yield* run(store, Samples.recordAnswer({ answer: wamid(person, 1) }))
      assert.deepStrictEqual(late, { _tag: "Answered", answer })
    }))

  test("what comes in late on an erased message is stored without words and ids", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* run(store, code(1, person))
      yield* run(store, Samples.cancelVerification())
      yield* run(store, report(1, person))
      yield* store.keepReport({
        gateway: "simulated",
        gatewayId: wamid(person, 1),
        status: "delivered",
        detail: null,
        evidence: null,
      })
      yield* run(store, { ...report(1, person), status: "undelivered" })
      const { counts } = yield* erase(store)
      assert.deepStrictEqual(counts, { ...Erasure.noCounts, ...counts, messages: 1, reports: 2 })
      yield* run(
        store,
        Samples.recordDispatch({
          requestId: requestId(),
          request: { purpose: "login", metadata: `{"user":"${person}"}` },
          outcome: { _tag: "Accepted", gatewayId: wamid(person, 1) },
        }),
      )
      yield* run(store, { ...report(1, person), status: "failed" })
      assert.isUndefined(yield* store.locate("simulated", wamid(person, 1)))
      const { messages, reports } = yield* sound(store)
      assert.deepStrictEqual(
        [messages[0]?.gatewayId, messages[0]?.anomalies, reports.length],
        [null, 2, 3],
      )
      assert.deepStrictEqual(yield* erase(store), { counts: Erasure.noCounts, left: 0 })
    }))

  test("a report that was kept for an erased message is forgotten", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* run(store, Samples.holdMessage({ phoneNumber: person }))
      yield* deliver(store, 1, person)
      const kept = { status: "delivered", detail: null, evidence: null } as const
      const gateway = "simulated"
      yield* store.keepReport({ ...kept, gateway, gatewayId: wamid(person, 1) })
      yield* store.keepReport({ ...kept, gateway, gatewayId: wamid(other, 1) })
      yield* store.keepReport({ ...kept, gateway: "another", gatewayId: wamid(person, 1) })
      yield* erase(store)
      const { reports } = yield* store.keptReports(undefined, 10)
      assert.sameMembers(
        reports.map((one) => `${one.gateway} ${one.gatewayId}`),
        [`another ${wamid(person, 1)}`, `simulated ${wamid(other, 1)}`],
      )
    }))

  test("requests and events whose messages retention has dropped are erased as well", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      for (const [index, to] of [
        [1, person],
        [2, other],
        [3, person],
      ] as const) {
        yield* run(store, code(index, to))
        yield* deliver(store, index, to)
        yield* run(store, Samples.checkCode({ requestId: requestId(index) }))
      }
      yield* TestClock.adjust(day + 1)
      yield* prune(store, "messages")
      const dropped = { messages: 0, verifications: 2, reports: 0, events: 2, answers: 0 }
      assert.deepStrictEqual(
        (yield* personal(store, person, 1)).verifications.map((one) => one.requestId),
        [requestId(1), requestId(3)],
      )
      const counts = (yield* erase(store, { limit: 1 })).counts
      assert.deepStrictEqual(counts, dropped)
      assert.lengthOf((yield* personal(store, other)).verifications, 1)
      // Nothing tells whose the events of dropped requests were.
      yield* prune(store, "verifications")
      assert.strictEqual((yield* erase(store)).counts.events, 1)
      const { events } = present(yield* store.events(organizationId, 0, 100))
      assert.notInclude(JSON.stringify(events), "+88")
    }))

  test("a pending request stays, with its recipient, until it has ended", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      yield* run(store, code(1, person))
      yield* deliver(store, 1, person)
      const left = yield* erase(store)
      assert.deepStrictEqual(left, { counts: { ...Erasure.noCounts, messages: 1 }, left: 2 })
      yield* run(store, Samples.checkCode())
      assert.deepStrictEqual((yield* erase(store, { kinds: ["recipients"] })).left, 0)
      assert.lengthOf((yield* personal(store)).recipients, 0)
    }))

  test("the limits of an erased number stay under its digest until they end", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const limits = { sendsPerNumber: { max: 2, windowMillis: day } }
      const ask = (index: number, erased?: Digests) =>
        run(
          store,
          Samples.admitVerification({ phoneNumber: Samples.phoneNumber(index), erased, limits }),
        )
      yield* ask(0)
      yield* ask(0)
      assert.strictEqual((yield* ask(0))._tag, "Limited")
      yield* erase(store)
      assert.isUndefined(yield* store.recipient(organizationId, person))
      // Under an older pepper as well.
      const refused = yield* ask(0, ["newer", "digest"])
      assert.deepStrictEqual(refused, { _tag: "Limited", retryAfterSeconds: 86_400 })
      assert.strictEqual((yield* ask(1, ["another"]))._tag, "Admitted")
      yield* TestClock.adjust(day)
      assert.strictEqual((yield* ask(0, digests))._tag, "Admitted")
      const { recipient } = present(yield* store.recipient(organizationId, person))
      assert.deepStrictEqual(recipient.sends, [now + day])
      // They are restored once, and by then belong to the number again.
      assert.deepStrictEqual((yield* personal(store)).erasedRecipients, [
        {
          organization: organizationId,
          digest: "digest",
          sends: [],
          guesses: { window: [], sinceSuccess: 0 },
          expiresAt: now + day,
        },
      ])
    }))

  test("the wrong codes of an erased number stay, also those of its clients, and can be reset", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const limits = { guessesSinceSuccess: 3, pendingPerNumber: 9 }
      yield* run(store, code(1, person))
      yield* run(store, Samples.checkCode({ client: ["visitor"], limits }))
      yield* run(store, code(2, person))
      const wrong = { requestId: requestId(2), candidates: [Samples.peppered("wrong")], limits }
      yield* run(store, Samples.checkCode({ ...wrong, client: ["visitor"] }))
      yield* run(store, Samples.checkCode(wrong))
      yield* run(store, Samples.checkCode(wrong))
      yield* erase(store)
      const ask = Samples.admitVerification({ erased: digests, limits })
      assert.strictEqual((yield* run(store, ask))._tag, "GuessesLimited")
      const reset = { _tag: "ResetGuesses", version: 1, erased: digests } as const
      yield* run(store, { ...reset, organization: organizationId, phoneNumber: person })
      assert.strictEqual((yield* run(store, ask))._tag, "Admitted")
      yield* sound(store)
    }))

  test("limits that have expired have no effect", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const limits = { guessesSinceSuccess: 1 }
      yield* run(store, code(1, person))
      const wrong = { candidates: [Samples.peppered("wrong")], limits }
      yield* run(store, Samples.checkCode(wrong))
      yield* run(store, Samples.cancelVerification())
      yield* erase(store)
      const ask = Samples.admitVerification({ erased: digests, limits })
      yield* TestClock.adjust(ErasedRecipient.keptMillis - 1)
      assert.strictEqual((yield* run(store, ask))._tag, "GuessesLimited")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* run(store, ask))._tag, "Admitted")
    }))

  test("the time of the last erasure is part of the organization", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      assert.notProperty(present(yield* store.organization(organizationId)), "erasedAt")
      yield* store.changeOrganization(organizationId, (one, at) => ({ ...one, erasedAt: at }))
      const changed = present(yield* store.organization(organizationId))
      assert.deepStrictEqual([changed.erasedAt, changed.version], [now, 2])
      yield* store.changeOrganization(organizationId, (one) => ({ ...one, name: "another" }))
      assert.strictEqual(present(yield* store.organization(organizationId)).erasedAt, now)
    }))

  test("an erasure is an event, which names no number", (store) =>
    Effect.gen(function* () {
      yield* open(store)
      const erased = { messages: 1, verifications: 2, reports: 3, events: 4, answers: 5 }
      yield* run(store, { _tag: "RecordErasure", organization: organizationId, erased })
      const { events } = present(yield* store.events(organizationId, 1, 10))
      const about = { organization: organizationId, sequence: 2, at: now }
      assert.deepStrictEqual<unknown>(events, [{ _tag: "NumberErased", ...about, ...erased }])
    }))

  test("nothing is read or erased of an organization that does not exist", (store) =>
    Effect.gen(function* () {
      const organization = OrganizationId("unknown")
      for (const kind of Erasure.kinds) {
        const step = { ...subject, organization, kind, after: undefined, limit: 10 }
        assert.isUndefined(yield* store.personalRows(step))
        assert.isUndefined(yield* store.erase({ ...step, answer }))
      }
    }))
}
