import { RateLimitedError } from "countersign"
import { assert, describe, it } from "vitest"
import { superTokensSms } from "../src/index.ts"
import { host, phoneNumber } from "./support/host.ts"

const input = {
  phoneNumber,
  userInputCode: "123456",
  urlWithLinkCode: "https://acme.example/verify#1",
  codeLifetime: 900_000,
  preAuthSessionId: "p1",
}

const text = ({
  code,
  link,
}: {
  readonly code?: string | undefined
  readonly link?: string | undefined
}) => `${code} ${link}`

describe("the service of SuperTokens", () => {
  it("carries a code once for each session", async () => {
    const { clock, engine, sent } = await host()
    const { sendSms } = superTokensSms(engine, { text, clock })
    await sendSms(input)
    await sendSms(input)
    await sendSms({ ...input, preAuthSessionId: "p2" })
    const line = `${phoneNumber} 123456 https://acme.example/verify#1`
    assert.deepStrictEqual(sent(), [line, line])
  })

  it("rejects with the error of the engine", async () => {
    const { clock, engine } = await host({
      limits: { messagesPerOrganization: { max: 0, per: "1 hour" } },
    })
    const { sendSms } = superTokensSms(engine, { text, clock })
    const error = await sendSms(input).catch((error: unknown) => error)
    assert.instanceOf(error, RateLimitedError)
  })
})
