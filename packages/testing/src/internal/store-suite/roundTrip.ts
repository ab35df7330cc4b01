import type { ApiKey } from "@countersign/core/domain/access/ApiKey"
import { scopes } from "@countersign/core/domain/access/ApiKeyScope"
import { ApiKeyId, SenderId } from "@countersign/core/domain/values/Ids"
import type { LimitOverrides } from "@countersign/core/domain/limits/LimitOverrides"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Samples from "../../Samples.ts"
import { asked, held, logOf, open, present, run, settled, type Test } from "./support.ts"

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

/** 32 bytes. The first eight samples contain every byte. */
const bytesFrom = (index: number) => Uint8Array.from({ length: 32 }, (_, at) => index * 32 + at)

export const roundTripSection = (test: Test): void => {
  test("a message's text, sender and errors are stored unchanged", function* (store) {
    yield* open(store)
    for (const [index, text] of texts.entries()) {
      const number = index + 1
      const draft = { id: Samples.messageId(number), text, sender: text, gateway: text }
      yield* run(store, Samples.holdMessage({ draft }))
      yield* run(store, settled(number, { _tag: "Accepted", gatewayId: `${text}-${number}` }))
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

  test("a message keeps the trace of its call", function* (store) {
    yield* open(store)
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    yield* run(store, Samples.holdMessage({ draft: { traceparent } }))
    yield* run(store, held(2))
    yield* run(store, settled(1, { _tag: "Accepted", gatewayId: "1" }))
    const { messages } = yield* logOf(store)
    assert.deepStrictEqual(
      messages.map((one) => one.traceparent),
      [null, traceparent],
    )
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
    const booked = entries.filter(({ kind }) => kind === "top-up")
    assert.deepStrictEqual(
      booked.map(({ note, paymentId }) => [note, paymentId]),
      texts.map((text) => [text, text]),
    )
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

  test("an organization is stored unchanged, with every kind of sender and state of a key", function* (store) {
    const kinds = ["masking", "non-masking", "whatsapp"] as const
    const statuses = ["pending", "approved", "rejected", "withdrawn"] as const
    const senders = kinds.flatMap((kind) =>
      statuses.flatMap((status) =>
        texts.map((sender, index) => {
          const id = SenderId(`${kind} ${status} ${index} ${sender}`)
          return Samples.sender({
            id,
            kind,
            status,
            sender,
            isDefault: status === "approved",
            reason: status === "rejected" ? sender : null,
          })
        }),
      ),
    )
    const states: ReadonlyArray<Partial<ApiKey>> = [
      { environment: "test", revokedAt: Samples.now + 1 },
      { expiresAt: 2 ** 45, scopes, lastUsedAt: 0 },
      { scopes: ["verify:check"], lastUsedAt: Samples.now },
      ...texts.map((name, index) => ({ name, createdBy: name, secretHash: bytesFrom(index) })),
    ]
    const keys = states.map((state, index) =>
      Samples.apiKey({ id: ApiKeyId(String(index).padStart(16, "k")), ...state }),
    )
    const created = Samples.organization({ name: texts.join(""), senders, keys })
    yield* store.createOrganization(created)
    assert.deepStrictEqual(yield* store.organization(organizationId), { ...created, version: 1 })
    for (const key of keys) {
      assert.deepStrictEqual((yield* store.apiKey(key.id))?.apiKey, key)
    }
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
    const prefixes = {
      blockedPrefixes: ["88017", "1"],
      allowedPrefixes: ["880171"],
      prefixReasons: { "88017": texts.join("") },
    }
    const balanceLowAt = money("7.25")
    const quietHours = { promotional: { from: "22:00", to: "08:00" } }
    const alerts = { delivered: 95, verified: null, spend: money("20.0001"), webhooks: 1 }
    const changes = { "limits.attempts": { at: Samples.now, by: texts.join("") } }
    const zone = "Asia/Dhaka"
    const own = {
      allowList,
      limits,
      isSuspended: true,
      balanceLowAt,
      quietHours,
      zone,
      alerts,
      changes,
    }
    const settings = { ...own, ...prefixes }
    yield* store.createOrganization(Samples.organization({ settings }))
    assert.deepStrictEqual((yield* store.organization(organizationId))?.settings, settings)
    const fewer: LimitOverrides = { sendsPerNumber: limit, spendPerDay: null }
    const lifted = {
      ...settings,
      isSuspended: false,
      limits: fewer,
      balanceLowAt: null,
      quietHours: null,
      alerts: { delivered: 90 },
      zone: null,
    }
    const by = { id: "amir", origin: null }
    yield* store.changeOrganization(organizationId, (one) => ({ ...one, settings: lifted }), by)
    // What has the default again needs no note.
    const change = { at: Samples.now, by: "amir" }
    const changed = ["isSuspended", "balanceLowAt", "quietHours", "zone", "alerts.delivered"]
    const noted = [...changed, "limits.sendsPerNumber", "limits.spendPerDay"]
    assert.deepStrictEqual((yield* store.organization(organizationId))?.settings, {
      ...lifted,
      changes: Object.fromEntries(noted.map((name) => [name, change])),
    })
  })

  test("the digests of codes are stored byte by byte", function* (store) {
    yield* open(store)
    for (let index = 0; index < 8; index++) {
      const code = { pepper: `pepper ${index}`, digest: bytesFrom(index) }
      yield* run(store, asked(index, { code }))
      const { verification } = present(
        yield* store.verification(organizationId, Samples.requestId(index)),
      )
      assert.deepStrictEqual([...verification.digest], [...code.digest])
      assert.strictEqual(verification.pepper, code.pepper)
      const check = Samples.checkCode({ requestId: Samples.requestId(index), candidates: [code] })
      assert.strictEqual((yield* run(store, check))._tag, "Verified")
    }
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
