import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { MessageSearch, VerificationSearch } from "@countersign/core/ports/Search"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { messageSearch, verificationSearch } from "../searchPages.ts"
import {
  asked,
  logOf,
  open,
  present,
  run,
  settled,
  type StoreService,
  type Test,
  unsent,
} from "./support.ts"

const { messageId, now, organizationId, otherOrganizationId, phoneNumber, requestId } = Samples

const draft = (index: number) => Samples.newMessage({ id: messageId(index) })
const [first, second, noRecipient] = [phoneNumber(0), phoneNumber(1), phoneNumber(2)]

/**
 * Messages 1, 2, 4, 6, 7 and 8 are to `first`, 3 and 5 to `second`. Requests 1, 2 and 3 have the messages 2 and 6, 5,
 * and 7. Messages 4 and 8 have failed, messages 3 and 5 were accepted, and message 6 is on WhatsApp.
 */
const send = Effect.fnUntraced(function* (store: StoreService) {
  yield* open(store)
  const hold = (index: number, to = first) =>
    run(store, Samples.holdMessage({ phoneNumber: to, draft: draft(index) }))
  const ask = (request: number, index: number, to = first, purpose: string | null = null) =>
    run(store, asked(request, { phoneNumber: to, purpose, draft: draft(index) }))
  const fail = (messageSequence: number) => run(store, settled(messageSequence, unsent))
  yield* hold(1)
  yield* TestClock.setTime(now + 10)
  yield* ask(1, 2)
  yield* TestClock.setTime(now + 20)
  yield* hold(3, second)
  yield* run(store, settled(3, { _tag: "Accepted", gateway: "fast", gatewayId: "g-3" }))
  yield* TestClock.setTime(now + 30)
  yield* hold(4)
  yield* fail(4)
  yield* TestClock.setTime(now + 40)
  yield* ask(2, 5, second, "login")
  yield* run(store, settled(5, { _tag: "Accepted", gateway: "slow", gatewayId: "g-5" }))
  yield* TestClock.setTime(now + 40_000)
  yield* run(store, Samples.resendVerification({ draft: { ...draft(6), channel: "whatsapp" } }))
  yield* ask(3, 7)
  yield* run(store, Samples.checkCode({ requestId: requestId(3) }))
  yield* hold(8)
  yield* fail(8)
})

interface Row<Asks> {
  readonly asks: Partial<Asks>
  /** Sequences of messages, or numbers of requests, newest first. */
  readonly gets: ReadonlyArray<number>
  /** `before` of the next page. */
  readonly next?: number
}

const messages: ReadonlyArray<Row<MessageSearch>> = [
  { asks: {}, gets: [8, 7, 6, 5, 4, 3, 2, 1] },
  { asks: { limit: 8, examine: 8 }, gets: [8, 7, 6, 5, 4, 3, 2, 1] },
  { asks: { limit: 3 }, gets: [8, 7, 6], next: 6 },
  { asks: { limit: 3, before: 6 }, gets: [5, 4, 3], next: 3 },
  { asks: { limit: 3, before: 3 }, gets: [2, 1] },
  { asks: { before: 1 }, gets: [] },
  { asks: { before: 100 }, gets: [8, 7, 6, 5, 4, 3, 2, 1] },
  { asks: { phoneNumber: first }, gets: [8, 7, 6, 4, 2, 1] },
  { asks: { phoneNumber: second }, gets: [5, 3] },
  { asks: { phoneNumber: noRecipient }, gets: [] },
  { asks: { phoneNumber: first, limit: 2 }, gets: [8, 7], next: 7 },
  { asks: { phoneNumber: first, limit: 2, before: 7 }, gets: [6, 4], next: 3 },
  { asks: { phoneNumber: first, limit: 2, before: 3 }, gets: [2, 1] },
  { asks: { statuses: [] }, gets: [] },
  { asks: { statuses: ["failed"] }, gets: [8, 4] },
  { asks: { statuses: ["failed", "accepted"] }, gets: [8, 5, 4, 3] },
  { asks: { statuses: ["failed"], limit: 1 }, gets: [8], next: 8 },
  { asks: { statuses: ["failed"], limit: 1, before: 8 }, gets: [4], next: 4 },
  { asks: { statuses: ["failed"], limit: 1, before: 4 }, gets: [] },
  { asks: { statuses: ["failed"], examine: 2 }, gets: [8], next: 7 },
  { asks: { statuses: ["failed"], examine: 2, before: 7 }, gets: [], next: 5 },
  { asks: { statuses: ["failed"], examine: 4, before: 5 }, gets: [4] },
  { asks: { statuses: ["failed"], phoneNumber: first, examine: 3 }, gets: [8], next: 5 },
  { asks: { statuses: ["failed"], phoneNumber: first, examine: 3, before: 5 }, gets: [4] },
  { asks: { statuses: ["failed"], phoneNumber: second }, gets: [] },
  { asks: { from: now + 20, to: now + 40 }, gets: [5, 4, 3] },
  { asks: { from: now + 20, to: now + 40, limit: 2 }, gets: [5, 4], next: 4 },
  { asks: { from: now + 20, to: now + 40, before: 4 }, gets: [3] },
  { asks: { from: now + 20, to: now + 40, phoneNumber: first }, gets: [4] },
  { asks: { from: now + 30 }, gets: [8, 7, 6, 5, 4] },
  { asks: { to: now + 10 }, gets: [2, 1] },
  { asks: { from: now + 40, to: now + 20 }, gets: [] },
  { asks: { gateway: "fast" }, gets: [3] },
  { asks: { gatewayId: "g-3" }, gets: [3] },
  { asks: { gatewayId: "g-3", gateway: "fast", phoneNumber: second }, gets: [3] },
  { asks: { gatewayId: "g-3", gateway: "simulated" }, gets: [] },
  { asks: { gatewayId: "g-3", phoneNumber: first }, gets: [] },
]

const requests: ReadonlyArray<Row<VerificationSearch>> = [
  { asks: {}, gets: [3, 2, 1] },
  { asks: { limit: 1 }, gets: [3], next: 7 },
  { asks: { limit: 1, before: 7 }, gets: [2], next: 5 },
  { asks: { limit: 1, before: 5 }, gets: [1], next: 2 },
  { asks: { limit: 1, before: 2 }, gets: [] },
  { asks: { phoneNumber: first }, gets: [3, 1] },
  { asks: { phoneNumber: first, limit: 1 }, gets: [3], next: 7 },
  { asks: { phoneNumber: first, before: 7 }, gets: [1] },
  { asks: { phoneNumber: second }, gets: [2] },
  { asks: { phoneNumber: noRecipient }, gets: [] },
  { asks: { statuses: ["verified"] }, gets: [3] },
  { asks: { statuses: ["pending"] }, gets: [2, 1] },
  { asks: { statuses: ["failed"] }, gets: [] },
  { asks: { purpose: "login" }, gets: [2] },
  { asks: { purpose: "none" }, gets: [] },
  { asks: { channel: "whatsapp" }, gets: [1] },
  { asks: { channel: "sms" }, gets: [3, 2] },
  { asks: { channel: "sms", purpose: "login" }, gets: [2] },
  { asks: { deliveries: ["pending"] }, gets: [3, 1] },
  { asks: { deliveries: ["accepted", "failed"] }, gets: [2] },
  { asks: { deliveries: [] }, gets: [] },
  { asks: { examine: 1 }, gets: [], next: 8 },
  { asks: { examine: 2, before: 6 }, gets: [2], next: 4 },
  { asks: { from: now + 11, to: now + 40 }, gets: [2] },
  { asks: { to: now + 39_999, phoneNumber: first }, gets: [1] },
]

export const searchSection = (test: Test): void => {
  test("a search finds the messages of a number, status, gateway and time, newest first", function* (store) {
    yield* send(store)
    for (const { asks, gets, next } of messages) {
      const page = present(yield* store.searchMessages(organizationId, messageSearch(asks)))
      const found = { gets: page.rows.map(({ sequence }) => sequence), next: page.next }
      assert.deepStrictEqual<unknown>(found, { gets, next }, JSON.stringify(asks))
    }
  })

  test("a request is found at its first message, by number, status and time", function* (store) {
    yield* send(store)
    const numbers = new Map([1, 2, 3].map((index) => [requestId(index), index]))
    for (const { asks, gets, next } of requests) {
      const page = present(
        yield* store.searchVerifications(organizationId, verificationSearch(asks)),
      )
      const found = {
        gets: page.rows.map((one) => numbers.get(one.requestId)),
        next: page.next,
      }
      assert.deepStrictEqual<unknown>(found, { gets, next }, JSON.stringify(asks))
    }
  })

  test("a search finds the rows of the log, and nothing of another organization", function* (store) {
    yield* send(store)
    yield* open(store, Samples.money("10"), otherOrganizationId)
    yield* store.changeOrganization(organizationId, (same) => same)
    const log = yield* logOf(store)
    const found = yield* store.searchMessages(organizationId, messageSearch())
    assert.deepStrictEqual(found, { version: 2, rows: log.messages, next: undefined })
    const codes = present(yield* store.searchVerifications(organizationId, verificationSearch()))
    assert.strictEqual(codes.version, 2)
    for (const row of codes.rows) {
      const { messageSequence: sequence, organization, requestId } = row
      const newest = yield* store.message({ organization, sequence })
      assert.strictEqual(codes.deliveries.get(requestId), newest?.message?.status)
      const one = yield* store.verification(organizationId, row.requestId)
      assert.deepStrictEqual(present(one), { verification: row, now: codes.now })
    }
    const none = { version: 1, rows: [], next: undefined }
    const byNumber = { phoneNumber: first }
    const other = yield* store.searchMessages(otherOrganizationId, messageSearch(byNumber))
    assert.deepStrictEqual(other, none)
    const otherCodes = yield* store.searchVerifications(
      otherOrganizationId,
      verificationSearch(byNumber),
    )
    const deliveries = new Map()
    assert.deepStrictEqual(otherCodes, { ...none, deliveries, now: now + 40_000 })
    const unknown = OrganizationId("unknown")
    assert.isUndefined(yield* store.searchMessages(unknown, messageSearch()))
    assert.isUndefined(yield* store.searchVerifications(unknown, verificationSearch()))
  })

  test("a search shows a request as expired only after its expiry is durable", function* (store) {
    yield* send(store)
    const search = Effect.map(
      store.searchVerifications(organizationId, verificationSearch({ statuses: ["pending"] })),
      present,
    )
    const lastAt = Effect.map(store.account(organizationId), (account) => present(account).lastAt)
    yield* TestClock.setTime(now + 300_009)
    assert.strictEqual((yield* search).now, now + 300_009)
    assert.strictEqual(yield* lastAt, now + 40_000)
    yield* TestClock.setTime(now + 300_040)
    assert.strictEqual((yield* search).now, now + 300_040)
    assert.strictEqual(yield* lastAt, now + 300_040)
    yield* TestClock.setTime(now + 50_000)
    const again = yield* search
    assert.strictEqual(again.now, now + 300_040)
    assert.deepStrictEqual(
      again.rows.map((row) => row.requestId),
      [requestId(2), requestId(1)],
    )
  })
}
