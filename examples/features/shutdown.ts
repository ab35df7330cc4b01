/** A server stops without losing a request. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import { createCountersign, developmentGateway } from "countersign"

const countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})
const server = createServer((request, response) => {
  if (request.url !== "/ready") return countersign.listener(request, response)
  response.writeHead(countersign.isReady() ? 200 : 503).end() // for the check of a balancer
}).listen(0)
await once(server, "listening")
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`

const stop = () => countersign.shutdown({ server })
process.once("SIGTERM", stop)

assert.equal((await fetch(`${origin}/ready`)).status, 200)
const request = fetch(`${origin}/api/v2/balance`)
await once(server, "request")
await stop()
assert.equal((await request).status, 401) // is answered: it has no key
assert.equal(countersign.isReady(), false)
process.off("SIGTERM", stop)
