/**
 * The answers to an organization do not depend on others. A history is played with them and without them, on the promise
 * API and the HTTP interface, and at its end everything is read that a tenant of the dashboard can read.
 */
import { createCountersign, developmentGateway } from "countersign"
import { assert, describe, it } from "vitest"
import { assertNoInterference } from "./noInterference.ts"

describe("an organization among others", () => {
  it.each([1, 2, 3])("is answered as if it were alone, with seed %i", async (seed) => {
    await assertNoInterference({ seed, calls: 150 }, async () => "memory")
  })

  it("follows its own events only", async () => {
    await using engine = await createCountersign({
      database: "memory",
      secret: "a secret for tests, and only for tests",
      gateways: { sms: developmentGateway() },
      log: () => undefined,
    })
    for (const id of ["alpha", "bravo"]) {
      await engine.organizations.create({ id, senders: { sms: "8809612000101" } })
    }
    const admin = engine.admin({
      basePath: "/ops",
      authorize: () => ({ actor: { id: "reader" }, roles: ["viewer"], organizations: ["alpha"] }),
    })
    const { body } = await admin.fetch(
      new Request("http://host.test/ops/api/organizations/alpha/events/stream?after=0"),
    )
    assert(body !== null)
    // The others come first: a stream that had their events would show them before its own.
    for (const id of ["bravo", "alpha"]) {
      await engine.organization(id).verifications.send({ phoneNumber: "+8801712000001" })
    }
    let text = ""
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString()
      if (text.includes("verification_sent")) break
    }
    assert.include(text, `"organization":"alpha"`)
    assert.notInclude(text, "bravo")
  })
})
