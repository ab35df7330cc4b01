import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { Parsed } from "../../src/api/Caller.ts"
import { Messages } from "../../src/services/Messages.ts"
import type { SearchMessages } from "../../src/api/messages.ts"
import type { SearchVerifications } from "../../src/api/verifications.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { check, send, statusOf } from "../support/verifying.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"
import { invalidCodes } from "../support/invalidFields.ts"
import { gatewayLayer } from "../support/engineOver.ts"
import { dyingNode } from "../support/nodes.ts"
import { Privacy } from "../../src/services/Privacy.ts"

const [first, second] = ["+8801712345678", "+8801812345678"]

const message = (organization: OrganizationId, phoneNumber: string) =>
  Messages.use((_) => _.send({ organization, phoneNumber, text: "Your parcel is here" }))

const search = (organization: OrganizationId, input: Partial<Parsed<SearchMessages>> = {}) =>
  Messages.use((_) => _.search({ organization, ...input }))

const sequences = (organization: OrganizationId, input: Partial<Parsed<SearchMessages>> = {}) =>
  Effect.map(search(organization, input), ({ messages }) =>
    messages.map(({ sequence }) => sequence),
  )

const requests = (organization: OrganizationId, input: Partial<Parsed<SearchVerifications>> = {}) =>
  Verifications.use((_) => _.search({ organization, ...input }))

const accepting = Effect.provide(
  TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverReport" }) } }),
)
describe("Messages.search", () => {
  engineTest("finds the messages to a number, in any form of it, page by page", function* () {
    const { organization } = yield* TestEngine.open()
    for (const to of [first, second, first, second, first]) yield* message(organization, to)
    for (const phoneNumber of [first, "8801712345678", "৮৮০১৭১২৩৪৫৬৭৮"]) {
      assert.deepStrictEqual(yield* sequences(organization, { phoneNumber }), [5, 3, 1])
    }
    const page = yield* search(organization, { phoneNumber: first, limit: 2 })
    assert.deepStrictEqual(
      page.messages.map(({ sequence }) => sequence),
      [5, 3],
    )
    yield* message(organization, first)
    const last = yield* search(organization, { phoneNumber: first, limit: 2, cursor: page.next })
    assert.deepStrictEqual(
      [last.messages.map(({ sequence }) => sequence), last.next],
      [[1], undefined],
    )
  })

  it.effect("finds the message that a report with the gateway's id would find", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const { organization: other } = yield* TestEngine.open({ id: "other" })
      yield* message(organization, first)
      yield* TestClock.adjust(1_000)
      yield* message(organization, second)
      const [sent] = (yield* search(organization)).messages
      const { createdAt = 0, gateway = "" } = sent ?? {}
      const gatewayId = sent?.gatewayId ?? ""
      const found = { gateway, gatewayId }
      const table: ReadonlyArray<readonly [Partial<SearchMessages>, ReadonlyArray<number>]> = [
        [{}, [2]],
        [{ from: createdAt, to: createdAt, statuses: ["accepted"] }, [2]],
        [{ from: createdAt + 1 }, []],
        [{ to: createdAt - 1 }, []],
        [{ statuses: ["delivered"] }, []],
        [{ gateway: "another" }, []],
        [{ gatewayId: "another" }, []],
        [{ phoneNumber: second }, [2]],
        [{ phoneNumber: first }, []],
        [{ cursor: "c2" }, []],
        [{ cursor: "c3" }, [2]],
      ]
      for (const [more, expected] of table) {
        const got = yield* sequences(organization, { ...found, ...more })
        assert.deepStrictEqual(got, expected, JSON.stringify(more))
      }
      assert.deepStrictEqual(yield* sequences(other, found), [])
    }).pipe(accepting),
  )

  engineTest("refuses every field that cannot be right, and names all of them", function* () {
    const { organization } = yield* TestEngine.open()
    const table: ReadonlyArray<
      readonly [Partial<Parsed<SearchMessages>>, Readonly<Record<string, string>>]
    > = [
      [{ phoneNumber: "x" }, { phoneNumber: "not_e164" }],
      [{ cursor: "x" }, { cursor: "invalid_cursor" }],
      [{ limit: 0 }, { limit: "out_of_range" }],
      [{ limit: 201 }, { limit: "out_of_range" }],
      [{ from: 2, to: 1 }, { from: "after_to" }],
      [{ from: 0.5 }, { from: "not_integer" }],
      [{ to: 8_640_000_000_000_001 }, { to: "out_of_range" }],
      [{ gatewayId: "g" }, { gateway: "required" }],
      [
        { gateway: "\u0000", gatewayId: "\ud800" },
        { gateway: "malformed_text", gatewayId: "malformed_text" },
      ],
      [{ statuses: FieldProblem.make("not_string_list", {}) }, { statuses: "not_string_list" }],
      [
        { cursor: "", limit: 0 },
        { cursor: "invalid_cursor", limit: "out_of_range" },
      ],
    ]
    for (const [input, codes] of table) {
      assert.deepStrictEqual(yield* invalidCodes(search(organization, input)), codes)
    }
  })
})

describe("Verifications.search", () => {
  engineTest("finds requests by number, status and time, as `status` shows them", function* () {
    const { organization } = yield* TestEngine.open()
    const verified = yield* send(organization, { purpose: "login", metadata: '{"a":1}' })
    yield* check(
      organization,
      verified.requestId,
      yield* TestEngine.latestCode(verified.phoneNumber),
    )
    const expired = yield* send(organization)
    yield* TestClock.adjust("10 minutes")
    const pending = yield* send(organization, { phoneNumber: second })
    const table: ReadonlyArray<
      readonly [Partial<SearchVerifications>, ReadonlyArray<{ readonly requestId: string }>]
    > = [
      [{}, [pending, expired, verified]],
      [{ phoneNumber: verified.phoneNumber }, [expired, verified]],
      [{ phoneNumber: second }, [pending]],
      [{ statuses: ["pending"] }, [pending]],
      [{ statuses: ["expired"] }, [expired]],
      [{ statuses: ["expired", "pending"] }, [pending, expired]],
      [{ statuses: ["verified"] }, [verified]],
      [{ statuses: ["failed"] }, []],
      [{ statuses: [] }, []],
      [{ purpose: "login" }, [verified]],
      [{ channel: "sms", purpose: "signup" }, []],
      [{ channel: "whatsapp" }, []],
      [{ deliveries: ["delivered"] }, [pending, expired, verified]],
      [{ deliveries: ["failed"] }, []],
    ]
    for (const [input, expected] of table) {
      const found = yield* requests(organization, input)
      assert.deepStrictEqual(
        found.verifications.map(({ requestId }) => requestId),
        expected.map(({ requestId }) => requestId),
        JSON.stringify(input),
      )
    }
    for (const found of (yield* requests(organization)).verifications) {
      const { messages: _, now: _now, ...status } = yield* statusOf(organization, found.requestId)
      const { delivery, ...request } = found
      assert.deepStrictEqual(request, status)
      assert.strictEqual(delivery, "delivered")
    }
  })

  effectTest(
    "does not find an erased request by the number that its message still has",
    function* () {
      const { first: stopped, second: node } = yield* dyingNode(gatewayLayer({}))
      const { organization } = yield* node(TestEngine.open())
      yield* stopped(send(organization, { phoneNumber: first }))
      const erased = yield* node(Privacy.use((_) => _.erase({ organization, phoneNumber: first })))
      assert.strictEqual(erased.left, 1)
      const byNumber = { phoneNumber: first }
      assert.deepStrictEqual(yield* node(sequences(organization, byNumber)), [1])
      assert.deepStrictEqual((yield* node(requests(organization, byNumber))).verifications, [])
      assert.lengthOf((yield* node(requests(organization))).verifications, 1)
    },
  )
})
