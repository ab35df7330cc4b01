/**
 * What works on a runtime: `cells.ts CELL` does one thing with the packages, and prints what came of it. It
 * runs on Node, Bun and Deno alike.
 */
import { createClient } from "@countersign/client"
import { createCountersign, type CountersignOptions, developmentGateway } from "countersign"
import { smpp, twilio } from "countersign/gateways"
import { once } from "node:events"
import { createServer } from "node:http"

const phoneNumber = "+8801712345678"
const phone = developmentGateway()

const start = (options: Partial<CountersignOptions>) =>
  createCountersign({
    secret: "a secret for tests, and for nothing else",
    database: process.env["DATABASE_URL"],
    gateways: [phone],
    log: () => {},
    ...options,
  })

/** Sends a code and checks it: a wrong one first, and the right one in parallel with itself. */
const verify = async (options: Partial<CountersignOptions>) => {
  await using countersign = await start(options)
  const { requestId } = await countersign.verifications.send({ phoneNumber })
  const wrong = await countersign.verifications
    .check({ requestId, code: "not it" })
    .catch((error: { readonly code?: string }) => error.code)
  const code = phone.latestCode(phoneNumber)
  const checks = Array.from({ length: 5 }, () =>
    countersign.verifications.check({ requestId, code }),
  )
  const first = (await Promise.all(checks)).filter(({ isFirst }) => isFirst)
  return `${String(wrong)}, ${first.length} first`
}

/** Sends a message through a vendor, and waits for what its report makes of it. */
const send = async (options: Partial<CountersignOptions>) => {
  await using countersign = await start(options)
  const settled = new Promise<string>((resolve) => {
    countersign.subscribe((event) => {
      if (event.type === "message_settled") resolve(event.status)
    })
  })
  await countersign.messages.send({ phoneNumber: phoneNumber, text: "আপনার পার্সেল এসেছে।" })
  return await settled
}

const port = Number(process.env["SMPP_PORT"])
const baseUrl = process.env["VENDOR_URL"] ?? ""

const cells: Readonly<Record<string, () => Promise<string>>> = {
  "database server": () => verify({}),
  "embedded store": () => verify({ database: { folder: process.env["DATA_DIR"] ?? "" } }),
  listener: async () => {
    await using countersign = await start({})
    const server = createServer(countersign.listener).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    const { key: apiKey } = await countersign.apiKeys.create({ name: "another service" })
    const client = createClient({ baseUrl: `${origin}/api/v2`, apiKey })
    const sent = await client.verifications.send({ phoneNumber })
    const requestId = sent.ok ? sent.data.requestId : JSON.stringify(sent)
    const code = phone.latestCode(phoneNumber)
    const checked = await client.verifications.check({ requestId, code })
    const large = await fetch(`${origin}/api/v2/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ to: phoneNumber, message: "x".repeat(100_000) }),
    })
    server.close()
    return `${checked.ok ? checked.data.status : checked.error.code}, ${large.status}`
  },
  fetch: async () => {
    await using countersign = await start({})
    const { status } = await countersign.fetch(new Request("http://example.com/api/v2/balance"))
    return String(status)
  },
  "gateways over HTTP": async () => {
    await using countersign = await start({
      gateways: [twilio({ accountSid: "AC1", authToken: "a token", baseUrl })],
    })
    const { gatewayId } = await countersign.messages.send({
      phoneNumber: phoneNumber,
      text: "hello",
    })
    return String(gatewayId)
  },
  SMPP: () =>
    send({ gateways: [smpp({ host: "127.0.0.1", port, systemId: "acme", password: "secret" })] }),
}

const [name = ""] = process.argv.slice(2)
console.log(await cells[name]?.())
