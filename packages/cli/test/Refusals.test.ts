import { exitCodes } from "@countersign/cli/ExitCode"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { runCli } from "./support/runCli.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const acme = OrganizationId("acme")
const number = "+8801712345678"
const engine = testsOver(TestEngine.layer())
const env = {
  COUNTERSIGN_ORGANIZATION: "acme",
  COUNTERSIGN_SECRET: JSON.stringify([Redacted.value(TestEngine.codeSecret)]),
}

/** Runs a command on `acme` that succeeds. */
const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const ran = yield* runCli(args, { env })
  assert.strictEqual(ran.exitCode, 0, ran.stderr)
  return ran.stdout
})

describe("refusals", () => {
  engine.effect("are listed, also by number, and a search by number tells of them", function* () {
    yield* TestEngine.open({ balance: Money.make("0") })
    const verifications = yield* Verifications
    const send = verifications.send({ organization: acme, phoneNumber: number })
    yield* Effect.flip(send)
    yield* Refusals.use((_) => _.flush())
    const listed = yield* run("refusals")
    assert.match(listed, /verify +sms +insufficient_balance .*available=0\.00 +host/)
    assert.notInclude(listed, number)
    assert.strictEqual(yield* run("refusals", "--phone-number", number), listed)
    assert.strictEqual(yield* run("refusals", "--code", "rate_limited"), "No refused call matches.")
    const found = yield* run("verification", "list", "--phone-number", number)
    assert.strictEqual(found.split("\n")[0], "No request matches.")
    const [, command = ""] = found.split("countersign ")
    assert.strictEqual(yield* run(...command.split(" ")), listed)
    const others = yield* run("messages", "list", "--phone-number", "+8801812345678")
    assert.strictEqual(others, "No message matches.")
    const wrong = yield* runCli(["refusals", "--phone-number", "12"], { env })
    assert.strictEqual(wrong.exitCode, exitCodes.usage)
    // Without the secret, only the search by number fails.
    const noSecret = { env: { COUNTERSIGN_ORGANIZATION: "acme" } }
    assert.strictEqual((yield* runCli(["refusals"], noSecret)).stdout, listed)
    const unnamed = yield* runCli(["refusals", "--phone-number", number], noSecret)
    assert.include(unnamed.stderr, "COUNTERSIGN_SECRET is not set")
    const searched = yield* runCli(["messages", "list", "--phone-number", number], noSecret)
    assert.strictEqual(searched.stdout, "No message matches.")
  })
})
