import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { type Command, isEnding } from "../../src/decide/Command.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import * as Money from "../../src/domain/Money.ts"

const organization = OrganizationId("acme")

describe("isEnding", () => {
  const commands: ReadonlyArray<readonly [Command, boolean]> = [
    [{ _tag: "TopUp", organization, amount: Money.make("1"), note: "", paymentId: null }, false],
    [
      {
        _tag: "ExpireMessage",
        organization,
        messageSequence: 1,
        askable: [],
        askMillis: 1,
        asked: false,
      },
      true,
    ],
    [Samples.followVerification(), true],
    [{ _tag: "ReclaimMessage", organization, messageSequence: 1, leaseMillis: 1 }, true],
  ]

  for (const [command, expected] of commands) {
    it(`is ${expected} for ${command._tag}`, () => {
      assert.strictEqual(isEnding(command), expected)
    })
  }
})
