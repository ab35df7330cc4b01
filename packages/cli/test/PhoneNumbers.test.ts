import { exitCodes } from "@countersign/cli/ExitCode"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Messages } from "@countersign/core/services/Messages"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runCli } from "./support/runCli.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const acme = OrganizationId("acme")
const engine = testsOver(TestEngine.layer())
const env = { COUNTERSIGN_ORGANIZATION: "acme" }

describe("commands", () => {
  const withMessage = Effect.gen(function* () {
    yield* TestEngine.open()
    const messages = yield* Messages
    yield* messages.send({ organization: acme, phoneNumber: "+8801712345678", text: "Welcome" })
  })

  engine.effect(
    "take a phone number as people write it in the country of the operator",
    function* () {
      yield* withMessage
      const local = ["messages", "list", "--phone-number", "০১৭১২-৩৪৫৬৭৮"]
      assert.include((yield* runCli(local, { env })).stdout, "+8801712345678")
      const abroad = yield* runCli(local, { env: { ...env, COUNTERSIGN_COUNTRY: "US" } })
      assert.strictEqual(abroad.exitCode, exitCodes.usage)
      const unknown = yield* runCli(local, { env: { ...env, COUNTERSIGN_COUNTRY: "bd" } })
      assert.strictEqual(unknown.exitCode, exitCodes.usage)
      assert.include(unknown.stderr, "COUNTERSIGN_COUNTRY")
    },
  )

  engine.effect("take their options before their name as well", function* () {
    yield* withMessage
    const before = yield* runCli(["-o", "acme", "--json", "messages", "list"])
    const after = yield* runCli(["messages", "list", "-o", "acme", "--json"])
    assert.strictEqual(before.stdout, after.stdout)
    assert.include(before.stdout, "+8801712345678")
    const asFlag = ["--json", "--organization=acme", "messages", "list"]
    assert.strictEqual((yield* runCli(asFlag)).stdout, after.stdout)
    // The value of an option can be the name of a command.
    const reason = ["--actor", "audit", "-o", "acme", "--json", "messages", "list"]
    assert.strictEqual((yield* runCli(reason)).stdout, after.stdout)
    const other = yield* runCli(["--organization", "other", "messages", "list"])
    assert.strictEqual(other.exitCode, exitCodes.notFound)
    const amount = ["--note", "x", "--yes", "--payment-id", "p", "adjust", "--", "-5"]
    assert.strictEqual((yield* runCli(amount, { env })).exitCode, exitCodes.done)
  })
})
