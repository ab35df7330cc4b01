import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts, secret } from "./support/host.ts"
import { inProduction, strongSecret } from "./support/production.ts"
import { failure, phone, untyped } from "./support/values.ts"

const { host } = hosts()

/** An engine in memory, with a clock to move. */
const moved = async (options: Partial<Countersign.CountersignOptions> = {}) => {
  const clock = Countersign.createTestClock()
  return { clock, ...(await host({ database: "memory", clock, ...options })) }
}

/** A gateway that takes everything, and leaves the rest to reports that never come. */
const silent = (): Countersign.Gateway => ({
  name: "silent",
  reports: true,
  send: ({ token }) => Promise.resolve({ status: "accepted", gatewayId: token }),
})

describe("a database in memory", () => {
  it("has no migrations to run", async () => {
    await Countersign.migrateCountersign({ database: "memory" })
  })

  it("is refused in production", async () => {
    const error = await inProduction(() =>
      failure(host({ database: "memory", secret: strongSecret })),
    )
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.match(error.message, /^database: .*not in production/)
  })
})

describe("a test clock", () => {
  it("triggers due work: the SMS for a code that WhatsApp does not deliver", async () => {
    const sms = Countersign.developmentGateway()
    const { clock, engine } = await moved({
      gateways: { whatsapp: silent(), sms },
      verifications: { fallback: { reportWithin: "30 seconds" } },
    })
    const phoneNumber = phone()
    await engine.verifications.send({ phoneNumber, channel: "whatsapp" })
    await clock.advance("29 seconds")
    assert.lengthOf(sms.messages(phoneNumber), 0)
    await clock.advance("5 seconds")
    assert.lengthOf(sms.messages(phoneNumber), 1)
  })

  it("advances with real time as well", async () => {
    const clock = Countersign.createTestClock()
    const before = Date.now()
    await clock.advance("1 day")
    const ahead = clock.now().getTime() - before - 86_400_000
    assert.isAtLeast(ahead, 0)
    assert.isBelow(ahead, 10_000)
  })

  it.each([
    [61, "61 seconds"],
    [61_000, "61 seconds"],
    [-1, "60 seconds"],
    [Number.NaN, "60 seconds"],
    [Infinity, "60 seconds"],
    ["soon", "60 seconds"],
    ["-1 seconds", "60 seconds"],
    ["5min", "5 minutes"],
  ])("rejects an advance by %s", async (by, write) => {
    const clock = Countersign.createTestClock()
    const error = await failure(clock.advance(untyped(by)))
    assert.strictEqual(
      error.message,
      `clock.advance: the time must be a number with its unit: write "${write}"`,
    )
    assert.isBelow(clock.now().getTime() - Date.now(), 1_000)
  })

  it.each([
    [{ database: "postgres://127.0.0.1:1/none" }, /^clock goes with database: "memory"/],
    [{ clock: { now: () => new Date() } }, /^clock must come from createTestClock/],
    [{ clock: 5 }, /^clock must come from createTestClock/],
  ])("is rejected with %o", async (options, message) => {
    const clock = Countersign.createTestClock()
    const given = { secret, database: "memory", clock, ...options }
    const error = await failure(
      Countersign.createCountersign(untyped<Countersign.CountersignOptions>(given)),
    )
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.match(error.message, message)
  })

  it("is rejected in production, with any database", async () => {
    const clock = Countersign.createTestClock()
    const database = "postgres://127.0.0.1:1/none"
    const error = await inProduction(() => failure(host({ clock, database, secret: strongSecret })))
    assert.match(error.message, /^clock: .*production/)
  })
})
