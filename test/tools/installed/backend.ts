/**
 * A backend on Express with an embedded store, and a service that calls it. Without Effect, and
 * without the types of the DOM.
 */
import { createClient } from "@countersign/client"
import { countersignExpress } from "@countersign/express"
import { createCountersign, developmentGateway, WrongCodeError } from "countersign"
import express from "express"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

const dataDir = await mkdtemp(join(tmpdir(), "countersign-installed-"))
const phone = developmentGateway()

const countersign = await createCountersign({
  database: { folder: dataDir },
  secret: "a secret for tests, and for nothing else",
  gateways: { sms: phone, whatsapp: phone },
  log: () => {},
})

const app = express()
app.use("/api/v2", countersignExpress(countersign))
const server = createServer(app).listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
const port = typeof address === "object" ? address?.port : undefined

const { key: apiKey } = await countersign.apiKeys.create({ name: "another service" })
const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v2`, apiKey })

const phoneNumber = "+8801712345678"

// Over HTTP …
const sent = await client.verifications.send({ phoneNumber })
if (!sent.ok) throw new Error(sent.error.code)
const code = phone.latestCode(phoneNumber)
const checked = await client.verifications.check({ requestId: sent.data.requestId, code })
console.log("client:", checked.ok ? checked.data.status : checked.error.code)

// … and without.
const { requestId } = await countersign.verifications.send({ phoneNumber })
const wrong = await countersign.verifications
  .check({ requestId, code: "not it" })
  .catch((error: unknown) => error)
console.log("facade:", wrong instanceof WrongCodeError ? wrong.attemptsRemaining : wrong)

server.close()
await countersign.dispose()
await rm(dataDir, { recursive: true })
