import { assert, test } from "vitest"
import { numbersSuite, postAlone } from "../../../test/support/numbersSuite.ts"

numbersSuite("fastify", (running) => {
  test("sends the text in the requested language", async () => {
    const phoneNumber = "+8801712300002"
    const { status } = await postAlone(running(), "/numbers/start", {
      phoneNumber,
      locale: "bn-bd",
    })
    assert.strictEqual(status, 200)
    assert.match(running().stdout(), /sms to \+8801712300002: .*\p{Script=Bengali}/u)
  })
})
