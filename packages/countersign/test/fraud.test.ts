import { assert, it } from "vitest"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

it("a trial of fraud rules tells what they would have denied, and changes nothing", async () => {
  const { engine, gateway } = await host({ database: "memory" })
  for (const _ of [1, 2, 3]) {
    const phoneNumber = phone()
    const { requestId } = await engine.verifications.send({ phoneNumber })
    await engine.verifications.check({ requestId, code: gateway.latestCode(phoneNumber) })
  }
  const rules = { maxSent: 2, window: "1 day" } as const
  const { findings, ...trial } = await engine.fraud.dryRun({ rules })
  const tally = { codes: 3, verified: 3, denied: 1, deniedVerified: 1 }
  assert.deepStrictEqual<unknown>(trial, {
    ...tally,
    prefixes: [{ ...tally, prefix: "88017", reasons: ["velocity"] }],
    erased: 0,
    examinedFrom: null,
  })
  assert.deepInclude(findings[0], { prefix: "88017", reason: "velocity", action: "deny", sent: 2 })
  assert.instanceOf(findings[0]?.at, Date)
  assert.deepStrictEqual((await engine.fraud.findings()).items, [])
  const recording = await engine.fraud.dryRun({ rules: { ...rules, action: "record" } })
  assert.strictEqual(recording.denied, 0)
  await engine.dispose()
})
