import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure } from "./support/values.ts"

const { host } = hosts()

describe("a limit of a window", () => {
  it("is one or several, in milliseconds or as text", async () => {
    const clock = Countersign.createTestClock()
    const { engine } = await host({
      database: "memory",
      clock,
      limits: {
        sendsPerNumber: [
          { max: 2, per: "1 minute" },
          { max: 3, per: "1 day" },
        ],
      },
    })
    const waits: Array<number> = []
    const send = async () => {
      try {
        await engine.verifications.send({ phoneNumber: "+8801712345678" })
        waits.push(0)
      } catch (error) {
        if (!(error instanceof Countersign.RateLimitedError)) throw error
        waits.push(error.retryAfterSeconds)
      }
    }
    for (const _ of [1, 2, 3]) await send()
    await clock.advance("60 seconds")
    for (const _ of [1, 2]) await send()
    const [, , minute = 0, , day = 0] = waits
    assert.deepStrictEqual(waits, [0, 0, minute, 0, day])
    assert.isTrue(minute > 58 && minute <= 60 && day > 86_300 && day <= 86_340, `${waits}`)
    const acme = await engine.organizations.create({
      id: "acme",
      limits: { checksPerOrganization: [{ max: 5, per: "1.5 seconds" }] },
    })
    assert.deepStrictEqual(acme.limits, {
      checksPerOrganization: [{ max: 5, per: "1.5 seconds" }],
    })
    await engine.dispose()
  })
})

describe("the limit on a series of wrong codes", () => {
  it("blocks a number until the host resets it", async () => {
    const { engine } = await host({ database: "memory", limits: { guessesSinceSuccess: 3 } })
    const phoneNumber = "+8801712345678"
    const { requestId } = await engine.verifications.send({ phoneNumber })
    for (const _ of [1, 2, 3]) {
      await failure(engine.verifications.check({ requestId, code: "no" }))
    }
    const blocked = await failure(engine.verifications.send({ phoneNumber }))
    assert.instanceOf(blocked, Countersign.RateLimitedError)
    assert.strictEqual(blocked.reason, "guesses")
    assert.strictEqual(blocked.retryAfterSeconds, 86_400)
    await engine.verifications.resetGuesses({ phoneNumber })
    await engine.verifications.send({ phoneNumber })
    await engine.dispose()
  })
})
