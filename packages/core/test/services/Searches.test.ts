import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { ApiKeys } from "../../src/services/ApiKeys.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Searches } from "../../src/services/Searches.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { Webhooks } from "../../src/services/Webhooks.ts"
import { engineTest } from "../support/engineTest.ts"
import { invalidFields } from "../support/invalidFields.ts"

const acme = OrganizationId("acme")
const phoneNumber = "+8801712345678"

const find = (query: string, organization = acme) =>
  Effect.map(
    Searches.use((_) => _.find({ organization, query })),
    ({ hits }) => hits,
  )

/** A gateway finds its messages by its own ids while they are open. */
const accepting = Effect.provide(
  TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverReport" }) } }),
)

/** The kinds and ids of what a text finds. */
const found = (query: string, organization = acme) =>
  Effect.map(find(query, organization), (hits) => hits.map(({ id, kind }) => `${kind} ${id}`))

const setup = Effect.gen(function* () {
  yield* TestEngine.open()
  yield* TestEngine.open({ id: "other" })
  const { requestId } = yield* Verifications.use((_) => _.send({ organization: acme, phoneNumber }))
  const { messages } = yield* Messages.use((_) => _.search({ organization: acme }))
  const [message] = messages
  if (message === undefined) return assert.fail("no message")
  return { message, requestId }
})

describe("Searches.find", () => {
  engineTest("finds the newest verifications and messages of a phone number", function* () {
    const { message, requestId } = yield* setup
    for (let index = 0; index < 6; index++)
      yield* Messages.use((_) => _.send({ organization: acme, phoneNumber, text: "Hello" }))
    const hits = yield* find(` ${phoneNumber} `)
    assert.deepStrictEqual(hits[0], {
      kind: "verification",
      id: requestId,
      label: phoneNumber,
      status: "pending",
      at: message.createdAt,
    })
    assert.deepStrictEqual(
      hits.slice(1).map(({ kind, status }) => `${kind} ${status}`),
      Array.from({ length: 5 }, () => "message delivered"),
    )
    assert.deepStrictEqual(yield* found("8801712345678"), yield* found(phoneNumber))
    assert.deepStrictEqual(yield* found("+8801812345678"), [])
  })

  it.effect("finds one thing by its id, and nothing of another organization", () =>
    Effect.gen(function* () {
      const { message, requestId } = yield* setup
      const other = OrganizationId("other")
      const webhook = yield* Webhooks.use((_) =>
        _.create({ organization: acme, url: "https://hooks.example/1" }),
      )
      const amount = Money.fromUnits(10_000)
      yield* Accounts.use((_) =>
        _.topUp({ organization: acme, amount, paymentId: "INV-9", note: "Bank" }),
      )
      const [listed] = yield* find(phoneNumber).pipe(
        Effect.map((hits) => hits.filter(({ kind }) => kind === "message")),
      )
      for (const [text, hit] of [
        [requestId, `verification ${requestId}`],
        [listed?.id ?? "", `message ${listed?.id}`],
        [message.gatewayId ?? "", `message ${listed?.id}`],
        [webhook.id, `webhook ${webhook.id}`],
        ["INV-9", "payment INV-9"],
      ] as const) {
        assert.deepStrictEqual(yield* found(text), [hit], text)
        assert.deepStrictEqual(yield* found(text, other), [], text)
      }
      assert.deepInclude<object>(yield* find("INV-9"), {
        kind: "payment",
        id: "INV-9",
        label: "Bank",
        status: null,
        at: (yield* find("INV-9"))[0]?.at ?? null,
      })
      for (const text of ["INV-", "vrf_none", "msg_none", "0"])
        assert.deepStrictEqual(yield* found(text), [], text)
    }).pipe(accepting),
  )

  engineTest("finds a key by its beginning, but not by what all keys begin with", function* () {
    yield* setup
    const { id } = yield* ApiKeys.use((_) => _.create({ organization: acme, name: "shop" }))
    for (const text of [`csk_live_${id}`, `csk_live_${id.slice(0, 6)}`, id.slice(0, 4)])
      assert.deepStrictEqual(yield* found(text), [`api_key ${id}`], text)
    for (const text of ["csk", "csk_live_", `csk_test_${id}`, id.slice(0, 3)])
      assert.deepStrictEqual(yield* found(text), [], text)
    yield* ApiKeys.use((_) => _.revoke({ organization: acme, id }))
    assert.propertyVal((yield* find(id))[0], "status", "revoked")
  })

  engineTest("refuses a text without characters, and one that is too long", function* () {
    yield* setup
    for (const text of ["", " ", "a".repeat(201), "a\u0000"])
      assert.deepStrictEqual(yield* invalidFields(find(text)), ["query"], text)
    const unknown = yield* Effect.flip(find("a", OrganizationId("unknown")))
    assert.propertyVal(unknown, "code", "organization_not_found")
  })
})
