import { assert, test } from "vitest"
import { numbersSuite, postAlone } from "../../../test/support/numbersSuite.ts"

numbersSuite("fastify", (running) => {
  test("sends the text in the requested language", async () => {
    const phoneNumber = "+8801712300002"
    const { status } = await postAlone(running(), "/numbers", { phoneNumber, locale: "bn-bd" })
    assert.strictEqual(status, 202)
    assert.match(running().stdout(), /sms to \+8801712300002: .*\p{Script=Bengali}/u)
  })

  test.each([
    ["/numbers", {}],
    ["/numbers", { phoneNumber: "1".repeat(65) }],
    ["/numbers", null],
    ["/numbers", { phoneNumber: "+8801712300003", locale: "de" }],
    ["/numbers/confirm", {}],
    ["/numbers/confirm", { code: "" }],
  ])("lets the schema of %s refuse %j", async (path, body) => {
    const refused = await postAlone(running(), path, body)
    assert.strictEqual(refused.status, 400)
    assert.deepInclude(refused.body, { code: "FST_ERR_VALIDATION" })
  })
})
