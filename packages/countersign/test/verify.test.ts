import { assert, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

const purpose = "login"

/** An engine that has sent a code. */
const sent = async (options: Partial<Countersign.CountersignOptions> = {}) => {
  const { engine, gateway } = await host({ database: "memory", ...options })
  const phoneNumber = phone()
  const metadata = { visit: 7 }
  const { requestId } = await engine.verifications.send({ phoneNumber, purpose, metadata })
  return { engine, phoneNumber, requestId, metadata, code: gateway.latestCode(phoneNumber) }
}

it("verify returns the number to sign in, once", async () => {
  const { code, engine, metadata, phoneNumber, requestId } = await sent()
  const wrong = await failure(engine.verifications.verify({ requestId, code: "none", purpose }))
  assert.instanceOf(wrong, Countersign.WrongCodeError)
  const verified = await engine.verifications.verify({ requestId, code, purpose })
  assert.deepInclude(verified, { requestId, phoneNumber, purpose, metadata, proof: null })
  assert.deepStrictEqual(verified.verifiedAt, verified.consumedAt)
  assert.instanceOf(verified.consumedAt, Date)
  const again = await failure(engine.verifications.verify({ requestId, code, purpose }))
  assert.instanceOf(again, Countersign.AlreadyConsumedError)
  const { items: events } = await engine.events.list()
  assert.deepStrictEqual(
    events.map(({ type }) => type).filter((type) => /^verifi.*ed$/.test(type)),
    ["verified", "verification_consumed"],
  )
  await engine.dispose()
})
