/** A receiver of webhooks verifies each event, and knows whether it has missed one. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { verifyWebhook, type WebhookEvent } from "@countersign/client"
import { createCountersign, developmentGateway } from "countersign"

// The receiver. Store both in tables of yours, in the transaction that uses the event.
/** Every event up to this `sequence` has come. */
let complete: number | null = null
/** Events that have come before one that they follow: the `sequence` of each, by that of the one before it. */
const early = new Map<number | null, number>()
const receive = (event: WebhookEvent) => {
  if (event.type === "webhook_test") return // of `sendTest`, and not in the log
  early.set(event.data.previous, event.data.sequence)
  for (let next = early.get(complete); next !== undefined; next = early.get(complete)) {
    early.delete(complete)
    complete = next
  }
}

let secret = ""
const server = createServer(async (request, response) => {
  const body = await buffer(request)
  const verified = verifyWebhook({ headers: request.headers, body }, secret).then(receive)
  const status = await verified.then(
    () => 204,
    () => 400,
  )
  response.writeHead(status).end(() => server.emit("answered"))
}).listen(0)
await once(server, "listening")
const address = server.address()
const port = typeof address === "object" ? address?.port : undefined

// The engine. Its options are only for a receiver on this machine, without TLS.
await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  webhooks: { allowHttp: true, allowPrivateAddresses: true },
})
const { account, events, webhooks } = countersign
const url = `http://127.0.0.1:${port}/events`
secret = (await webhooks.create({ url, types: ["topped_up", "adjusted"] })).secret

await account.topUp({ amount: "10" })
await account.adjust({ amount: "3", note: "goodwill" })
const { last } = await events.list()
const isComplete = () => complete === last
while (!isComplete()) await once(server, "answered")
assert.equal(early.size, 0)
server.close()
