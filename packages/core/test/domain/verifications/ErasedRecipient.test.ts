import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as ErasedRecipient from "../../../src/domain/verifications/ErasedRecipient.ts"
import * as Guesses from "../../../src/domain/verifications/Guesses.ts"
import * as Recipient from "../../../src/domain/verifications/Recipient.ts"
import { maxTracked } from "../../../src/domain/limits/SlidingWindow.ts"

const { now, organizationId: organization } = Samples
const phoneNumber = Samples.phoneNumber()
const { keptMillis } = ErasedRecipient
const earliest = now - keptMillis

const client = { client: "c", verifiedAt: now, window: [now - 3, now - 1], sinceSuccess: 2 }

describe("the limits of an erased number", () => {
  it("are its sends and wrong codes, with those of its clients", () => {
    const recipient = Samples.recipient({
      sends: [now - 9],
      guesses: { window: [now - 2], sinceSuccess: 1 },
      clients: [client],
    })
    assert.deepStrictEqual(ErasedRecipient.of(recipient, "d", now), {
      organization,
      digest: "d",
      sends: [now - 9],
      guesses: {
        window: [now - 3, now - 2, now - 1],
        sinceSuccess: Recipient.sinceSuccess(recipient),
      },
      expiresAt: now + keptMillis,
    })
  })

  it("keep the newest wrong codes", () => {
    const window = Array.from({ length: maxTracked }, (_, index) => now - maxTracked + index)
    const recipient = Samples.recipient({
      guesses: { window, sinceSuccess: 1 },
      clients: [{ ...client, window: [now] }],
    })
    assert.deepStrictEqual(ErasedRecipient.of(recipient, "d", now)?.guesses.window, [
      ...window.slice(1),
      now,
    ])
  })

  it.each([
    ["a send in the longest window", { sends: [earliest] }, true],
    ["sends before it", { sends: [earliest - 1] }, false],
    ["a send in it after one before", { sends: [earliest - 1, earliest] }, true],
    ["wrong codes before it", { guesses: { window: [earliest - 1], sinceSuccess: 0 } }, false],
    ["a wrong code in it", { guesses: { window: [earliest], sinceSuccess: 0 } }, true],
    ["a series of wrong codes", { guesses: { window: [], sinceSuccess: 1 } }, true],
  ])("%s: stays %s", (_, change, stays) => {
    const limits = ErasedRecipient.of(Samples.recipient(change), "d", now)
    assert.strictEqual(limits !== undefined, stays)
  })

  const limits: ErasedRecipient.ErasedRecipient = {
    organization,
    digest: "d",
    sends: [now],
    guesses: { window: [now], sinceSuccess: 1 },
    expiresAt: now + 5,
  }
  const empty = Recipient.empty(organization, phoneNumber)

  it("come back until they expire", () => {
    const restore = (one: typeof limits | undefined, at: number) =>
      ErasedRecipient.restore(one, organization, phoneNumber, at)
    const { guesses, sends } = limits
    assert.deepStrictEqual(restore(limits, now + 4), { ...empty, sends, guesses })
    assert.deepStrictEqual(restore(limits, now + 5), empty)
    assert.deepStrictEqual(restore(undefined, now), empty)
  })

  it("have no effect once they have come back", () => {
    const ended = { ...limits, sends: [], guesses: Guesses.none }
    assert.deepStrictEqual(ErasedRecipient.end(limits, now), { ...ended, expiresAt: now })
    assert.deepStrictEqual(ErasedRecipient.end(limits, now + 9), ended)
  })

  it("may exist for a window after the last erasure", () => {
    assert.isTrue(ErasedRecipient.isPossible(now, now + keptMillis - 1))
    assert.isFalse(ErasedRecipient.isPossible(now, now + keptMillis))
    assert.isFalse(ErasedRecipient.isPossible(undefined, now))
  })
})
