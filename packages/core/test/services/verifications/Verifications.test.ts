import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import type { Parsed } from "../../../src/api/Caller.ts"
import { Accounts } from "../../../src/services/Accounts.ts"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { Messages } from "../../../src/services/Messages.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import type { SendVerification } from "../../../src/services/verifications/Verifications.ts"
import { untyped } from "../../support/untyped.ts"
import { check, phoneNumber, send } from "../../support/verifying.ts"
import { engineTest, testOn } from "../../support/engineTest.ts"

const balance = (organization: OrganizationId) =>
  Effect.map(
    Accounts.use((_) => _.balance({ organization })),
    ({ balance, held }) => `${Money.format(balance)} + ${Money.format(held)}`,
  )

/** The newest message of the log. */
const logged = (organization: OrganizationId) =>
  Effect.map(
    Messages.use((_) => _.list({ organization })),
    ({ messages }) => messages[0],
  )

describe("Verifications.send", () => {
  engineTest("sends a code to the phone, and neither returns nor logs it", function* () {
    const { organization } = yield* TestEngine.open()
    const sent = yield* send(organization)
    const code = yield* TestEngine.latestCode(phoneNumber)
    assert.match(code, /^\d{6}$/)
    assert.deepInclude(sent, {
      phoneNumber: phoneNumber,
      channel: "sms",
      status: "pending",
      expiresAt: 300_000,
      expiresInSeconds: 300,
    })
    assert.match(sent.requestId, /^vrf_[0-9a-f]{44}$/)
    assert.notInclude(JSON.stringify(sent), code)
    assert.deepInclude(yield* logged(organization), {
      text: "•••••• is your verification code. Do not share it with anyone.",
      phoneNumber: phoneNumber,
      logChannel: "non-mask",
      status: "delivered",
      requestId: sent.requestId,
    })
    assert.strictEqual(yield* balance(organization), "99.50 + 0.00")
  })

  engineTest.each([4, 5, 6, 7, 8, 9, 10])(
    "sends %i digits if the request asks for them",
    function* (codeLength) {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization, { codeLength })
      const code = yield* TestEngine.latestCode(phoneNumber)
      assert.strictEqual(code.length, codeLength)
      // Its mask is as long as any other's.
      assert.include((yield* logged(organization))?.text, "•••••• ")
      assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
    },
  )

  const invalid: ReadonlyArray<
    readonly [Partial<Parsed<SendVerification>>, fields: ReadonlyArray<string>]
  > = [
    [{ phoneNumber: "8801712345678" }, ["phoneNumber"]],
    [{ phoneNumber: "+8801012345678" }, ["phoneNumber"]],
    [{ phoneNumber: "" }, ["phoneNumber"]],
    [{ codeLength: 3 }, ["codeLength"]],
    [{ codeLength: 11 }, ["codeLength"]],
    [{ codeLength: 4.5 }, ["codeLength"]],
    [{ codeLength: Number.NaN }, ["codeLength"]],
    [{ expiresIn: "59 seconds" }, ["expiresIn"]],
    [{ expiresIn: "3601 seconds" }, ["expiresIn"]],
    [{ expiresIn: "60.5 seconds" }, ["expiresIn"]],
    [{ expiresIn: untyped(300) }, ["expiresIn"]],
    [{ locale: "fr-fr" }, ["locale"]],
    [{ sender: "unknown" }, ["sender"]],
    [{ sender: "profile" }, ["sender"]],
    [
      { phoneNumber: "x", codeLength: 0, expiresIn: "0 seconds", locale: "x", sender: "x" },
      ["codeLength", "expiresIn", "locale", "phoneNumber", "sender"],
    ],
    [{ channel: FieldProblem.make("unknown_channel", {}) }, ["channel"]],
    [{ phoneNumber: FieldProblem.make("not_string", {}) }, ["phoneNumber"]],
    [{ channel: "whatsapp", sender: FieldProblem.make("not_string", {}) }, ["sender"]],
    [
      { phoneNumber: "x", codeLength: FieldProblem.make("not_integer", {}) },
      ["codeLength", "phoneNumber"],
    ],
  ]
  engineTest.each(invalid)("refuses %j, saying %j", function* ([input, fields]) {
    const { organization } = yield* TestEngine.open()
    const error = yield* Effect.flip(send(organization, input))
    assert.deepInclude(error, { _tag: "InvalidRequest" })
    const details = error._tag === "InvalidRequest" ? error.details : {}
    assert.deepStrictEqual(Object.keys(details).toSorted(), fields)
    for (const sentences of Object.values(details)) assert.strictEqual(sentences.length, 1)
    assert.isUndefined(yield* logged(organization))
  })

  testOn(TestEngine.layer({ gateway: { isOnWhatsApp: () => false } }))(
    "checks WhatsApp reachability after the limits and before the charge",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      const errors = yield* Effect.replicateEffect(
        Effect.flip(send(organization, { channel: "whatsapp" })),
        11,
      )
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        [...Array.from({ length: 10 }, () => "NotOnWhatsApp"), "RateLimited"],
      )
      assert.isUndefined(yield* logged(organization))
    },
  )

  testOn(
    TestEngine.layer({ gateway: { behave: () => ({ _tag: "NotSend", message: "no route" }) } }),
  )(
    "fails a request whose code was not sent: it cannot be checked and is not pending",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.replicateEffect(Effect.flip(send(organization)), 6)
      const message = yield* logged(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      const error = yield* Effect.flip(check(organization, message?.requestId ?? "", code))
      assert.strictEqual(error._tag, "AttemptsExhausted")
      assert.deepInclude(message, { status: "failed", hold: "released" })
    },
  )

  testOn(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverAnswer" }) } }))(
    "answers pending if the outcome of the send is unknown: the code may still arrive",
    function* () {
      const { organization } = yield* TestEngine.open()
      const fiber = yield* Effect.forkChild(send(organization))
      yield* TestClock.adjust(10_000)
      const sent = yield* Fiber.join(fiber)
      assert.strictEqual(sent.status, "pending")
      assert.deepInclude(yield* logged(organization), { status: "unknown", hold: "open" })
      assert.strictEqual(yield* balance(organization), "99.50 + 0.50")
      const code = yield* TestEngine.latestCode(phoneNumber)
      assert.strictEqual((yield* check(organization, sent.requestId, code)).status, "verified")
    },
  )

  testOn(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverAnswer" }) } }))(
    "settles a send even if its caller is interrupted",
    function* () {
      const { organization } = yield* TestEngine.open()
      const fiber = yield* Effect.forkChild(send(organization))
      yield* Effect.replicateEffect(Effect.yieldNow, 20)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* TestClock.adjust(10_000)
      yield* Fiber.join(leaving)
      assert.deepInclude(yield* logged(organization), { status: "unknown", hold: "open" })
    },
  )
})
