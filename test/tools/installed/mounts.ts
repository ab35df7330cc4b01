/**
 * The mounts on Fastify and on Hono, over one engine, and the inbox with its codes.
 */
import { createClient } from "@countersign/client"
import { countersignFastify } from "@countersign/fastify"
import { countersignHono } from "@countersign/hono"
import { textSmsHook } from "@countersign/hooks"
import { createInbox } from "@countersign/inbox"
import { inboxClient } from "@countersign/inbox/client"
import { inboxFixtures } from "@countersign/inbox/playwright"
import { createCountersign } from "countersign"
import { createLogin } from "countersign/login"
import Fastify from "fastify"
import { Hono } from "hono"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const dataDir = await mkdtemp(join(tmpdir(), "countersign-installed-"))

const inbox = createInbox()
const countersign = await createCountersign({
  database: { folder: dataDir },
  secret: "a secret for tests, and for nothing else",
  gateways: inbox.gateways,
  log: () => {},
})
const { key: apiKey } = await countersign.apiKeys.create({ name: "tests" })

const hono = new Hono()
hono.route("/hono", countersignHono(countersign))

const fastify = Fastify()
fastify.register(countersignFastify(countersign), { prefix: "/fastify" })
fastify.register(countersignFastify(inbox), { prefix: "/inbox" })
const login = createLogin(countersign, {
  onVerified: ({ phoneNumber }) => Response.json({ phoneNumber }),
})
hono.route("/login", countersignHono(login))
const origin = await fastify.listen({ port: 0, host: "127.0.0.1" })

const viaHono = createClient({
  baseUrl: "http://localhost/hono",
  apiKey,
  fetch: async (url, init) => hono.request(url, init),
})
const viaFastify = createClient({ baseUrl: `${origin}/fastify`, apiKey })

for (const [name, client] of [["hono", viaHono] as const, ["fastify", viaFastify] as const]) {
  const balance = await client.balance()
  console.log(`${name}:`, balance.ok ? balance.data.currency : balance.error.code)
}

const phoneNumber = "+8801712345678"
const { requestId } = await countersign.verifications.send({ phoneNumber })
const code = await inboxClient(`${origin}/inbox`).waitForCode({ phoneNumber: phoneNumber })
const checked = await countersign.verifications.check({ requestId, code })
console.log(`inbox: ${checked.phoneNumber}, ${Object.keys(inboxFixtures).join(" and ")}`)

const started = await hono.request("/login/start", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ phoneNumber: "+8801812345678" }),
})
console.log(`login: ${started.status}, ${started.headers.getSetCookie().length}`)

const token = "a token for tests, and for nothing else"
const hook = textSmsHook(countersign, { token })
const carried = await hook.fetch(
  new Request(origin, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ to: phoneNumber, text: "123456 is your code." }),
  }),
)
const [newest] = await inbox.messages({ phoneNumber })
console.log(`hook: ${carried.status}, ${newest?.text}`)

// Which ends the engine as well.
await fastify.close()
await inbox.dispose()
await rm(dataDir, { recursive: true })
