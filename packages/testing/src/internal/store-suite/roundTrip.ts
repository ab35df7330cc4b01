import { ApiKeyId, SenderId } from "@countersign/core/domain/values/Ids"
import type { LimitOverrides } from "@countersign/core/domain/limits/LimitOverrides"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Samples from "../../Samples.ts"
import { held, logOf, open, present, run, type Test, times } from "./support.ts"

const { money, organizationId } = Samples

/** All kinds of text that a row may contain: well-formed, without NUL. */
const texts: ReadonlyArray<string> = [
  "plain",
  "",
  " ",
  "  around  ",
  "two\nlines\r\n\tand a tab",
  'it\'s "quoted" \\ back\\slashed $1 ${x} %s :name ? --; DROP TABLE messages',
  '{"json": [null]} <b>html</b> &amp;',
  "যাচাই কোড ০১২৩ ক্ষ্ম",
  "العربية עברית \u202eright to left\u202c",
  "漢字かな한글",
  "e\u0301 and \u00e9 are not the same",
  "👩‍👩‍👧‍👦 🇧🇩 𝔘𝔫𝔦 \u{10ffff}",
  "\u0001\u001f\u007f\u0085\u00a0\u200b\u2028\u2029\ufeff\uffff",
]

/** A vendor's text is stored without control characters. */
const cleaned = texts.map((text) => text.replace(/\p{Cc}+/gu, " "))

export const roundTripSection = (test: Test): void => {
  test("a message's text, sender and errors are stored unchanged", function* (store) {
    yield* open(store)
    for (const [index, text] of texts.entries()) {
      const number = index + 1
      const draft = Samples.newMessage({
        id: Samples.messageId(number),
        text,
        sender: text,
        gateway: text,
      })
      yield* run(store, Samples.holdMessage({ draft }))
      yield* run(
        store,
        Samples.recordDispatch({
          messageSequence: number,
          outcome: { _tag: "Accepted", gatewayId: `${text}-${number}` },
        }),
      )
    }
    const { messages } = yield* logOf(store)
    const rows = messages.map(({ gateway, gatewayId, sender, text }) => [
      text,
      sender,
      gateway,
      gatewayId,
    ])
    assert.deepStrictEqual(
      rows.toReversed(),
      texts.map((text, index) => [text, text, text, `${cleaned[index]}-${index + 1}`]),
    )
    for (const [index, text] of texts.entries()) {
      const found = yield* store.locate(text, `${cleaned[index]}-${index + 1}`)
      assert.strictEqual(found?.sequence, index + 1)
    }
  })

  test("the longest text that a host may allow is stored whole", function* (store) {
    yield* open(store)
    const text = "ক্ষ🙂".repeat(25_000)
    yield* run(store, Samples.holdMessage({ draft: { text } }))
    const { messages } = yield* logOf(store)
    assert.strictEqual(messages[0]?.text, text)
  })

  test("notes, payment ids, error texts and anomalies are stored unchanged", function* (store) {
    yield* open(store)
    for (const [index, text] of texts.entries()) {
      yield* run(store, Samples.topUp({ note: text, paymentId: text }))
      yield* run(store, held(index + 1))
      yield* run(
        store,
        Samples.applyReport({ messageSequence: index + 1, status: "failed", detail: `${text}!` }),
      )
    }
    const entries = yield* store.entries(organizationId, 1, 99)
    const notes = entries.flatMap(({ kind, note }) => (kind === "top-up" ? [note] : []))
    assert.deepStrictEqual<unknown>(notes, texts)
    const payments = entries.flatMap(({ kind, paymentId }) =>
      kind === "top-up" ? [paymentId] : [],
    )
    assert.deepStrictEqual<unknown>(payments, texts)
    const repeated = yield* Effect.forEach(texts, (paymentId) =>
      run(store, Samples.topUp({ paymentId })),
    )
    assert.isTrue(repeated.every((outcome) => outcome._tag === "Posted" && outcome.isRepeat))
    const { messages } = yield* logOf(store)
    const errors = messages.map(({ error }) => error).toReversed()
    assert.deepStrictEqual(
      errors,
      cleaned.map((text) => `${text}!`),
    )
  })

  test("names of organizations, senders and keys are stored unchanged", function* (store) {
    const senders = texts.map((sender, index) =>
      Samples.sender({ id: SenderId(`${index} ${sender}`), sender, isDefault: false }),
    )
    const keys = texts.map((name, index) =>
      Samples.apiKey({ id: ApiKeyId(String(index).padStart(16, "k")), name }),
    )
    const created = Samples.organization({ name: texts.join(""), senders, keys })
    yield* store.createOrganization(created)
    assert.deepStrictEqual(yield* store.organization(organizationId), { ...created, version: 1 })
  })

  test("settings are stored unchanged: a lifted window differs from an omitted one", function* (store) {
    const limit = { max: 1_000, windowMillis: 1 }
    // Every limit, so that a store cannot forget one.
    const limits: Required<LimitOverrides> = {
      sendsPerNumber: null,
      pendingPerNumber: 2,
      checksPerOrganization: limit,
      guessesPerNumber: [limit, { max: 1, windowMillis: 5 }],
      guessesSinceSuccess: null,
      sendsPerClient: [limit, limit],
      checksPerClient: null,
      checksPerRequest: limit,
      messagesPerOrganization: [limit],
      spendPerDay: Samples.money("1000.0001"),
      attempts: 1,
      resends: 0,
      resendCooldownMillis: 1,
      codeLength: { min: 4, max: 10, default: 10 },
      expirySeconds: { min: 60, max: 90, default: 70 },
      messageLength: 7,
      pageSize: { max: 9, default: 8 },
    }
    const allowList = ["203.0.113.0/24", "2001:db8::/32"]
    const prefixes = { blockedPrefixes: ["88017", "1"], allowedPrefixes: ["880171"] }
    const balanceLowAt = money("7.25")
    const settings = { allowList, limits, isSuspended: true, balanceLowAt, ...prefixes }
    yield* store.createOrganization(Samples.organization({ settings }))
    assert.deepStrictEqual((yield* store.organization(organizationId))?.settings, settings)
    const fewer: LimitOverrides = { sendsPerNumber: limit, spendPerDay: null }
    const lifted = { ...settings, isSuspended: false, limits: fewer, balanceLowAt: null }
    yield* store.changeOrganization(organizationId, (one) => ({ ...one, settings: lifted }))
    assert.deepStrictEqual((yield* store.organization(organizationId))?.settings, lifted)
  })

  test("every kind of sender and state of a key is stored", function* (store) {
    const kinds = ["masking", "non-masking", "whatsapp"] as const
    const statuses = ["pending", "approved", "rejected", "withdrawn"] as const
    const senders = kinds.flatMap((kind) =>
      statuses.map((status) =>
        Samples.sender({
          id: SenderId(`${kind} ${status}`),
          kind,
          status,
          isDefault: status === "approved",
        }),
      ),
    )
    const keys = [
      Samples.apiKey({
        id: ApiKeyId("a".repeat(16)),
        environment: "test",
        revokedAt: Samples.now + 1,
      }),
      Samples.apiKey({ id: ApiKeyId("b".repeat(16)), environment: "live" }),
    ]
    const created = Samples.organization({ senders, keys })
    yield* store.createOrganization(created)
    assert.deepStrictEqual(yield* store.organization(organizationId), { ...created, version: 1 })
  })

  test("digests and hashes are stored byte by byte", function* (store) {
    const hashes = times(8, (index) => Uint8Array.from({ length: 32 }, (_, at) => index * 32 + at))
    const keys = hashes.map((secretHash, index) =>
      Samples.apiKey({ id: ApiKeyId(String(index).padStart(16, "k")), secretHash }),
    )
    yield* store.createOrganization(Samples.organization({ keys }))
    yield* run(store, Samples.topUp())
    for (const [index, digest] of hashes.entries()) {
      const code = { pepper: `pepper ${index}`, digest }
      yield* run(
        store,
        Samples.requestVerification({
          requestId: Samples.requestId(index + 1),
          phoneNumber: Samples.phoneNumber(index),
          code,
          draft: { id: Samples.messageId(index + 1) },
        }),
      )
      const found = yield* store.verification(organizationId, Samples.requestId(index + 1))
      assert.deepStrictEqual([...present(found).verification.digest], [...digest])
      assert.strictEqual(found?.verification.pepper, code.pepper)
      const outcome = yield* run(
        store,
        Samples.checkCode({ requestId: Samples.requestId(index + 1), candidates: [code] }),
      )
      assert.strictEqual(outcome._tag, "Verified")
    }
    const stored = (yield* store.organization(organizationId))?.keys.map(({ secretHash }) => [
      ...secretHash,
    ])
    assert.deepStrictEqual(
      stored,
      hashes.map((hash) => [...hash]),
    )
  })

  test("kept reports are stored unchanged", function* (store) {
    for (const [index, text] of texts.entries()) {
      yield* store.keepReport({
        gateway: text,
        gatewayId: `${index}${text}`,
        status: "failed",
        detail: text,
        evidence: text,
      })
    }
    const { reports } = yield* store.keptReports(undefined, 99)
    assert.sameDeepMembers(
      reports.map(({ detail, evidence, gateway, gatewayId }) => [
        gateway,
        gatewayId,
        detail,
        evidence,
      ]),
      texts.map((text, index) => [text, `${index}${text}`, text, text]),
    )
    yield* Effect.forEach(reports, store.forgetReport)
    assert.deepStrictEqual((yield* store.keptReports(undefined, 99)).reports, [])
  })
}
