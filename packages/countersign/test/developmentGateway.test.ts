import { assert, it } from "vitest"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

it("latestCode returns the newest code to a number, and throws without one", async () => {
  const { engine, gateway } = await host({ database: "memory" })
  const phoneNumber = phone()
  assert.throws(() => gateway.latestCode(phoneNumber), `No code was sent to ${phoneNumber}`)
  await engine.verifications.send({ phoneNumber, codeLength: 4 })
  const { requestId } = await engine.verifications.send({ phoneNumber, purpose: "login" })
  await engine.verifications.send({ phoneNumber: phone() })
  await engine.messages.send({ phoneNumber, text: "Your parcel 123456 is here" })
  const code = gateway.latestCode(phoneNumber)
  assert.deepInclude(await engine.verifications.verify({ requestId, code, purpose: "login" }), {
    phoneNumber,
  })
  await engine.dispose()
})
