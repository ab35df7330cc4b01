/**
 * Fastify without a backend: returns the balance from a variable as JSON. With AUTHORIZATION=hash it checks
 * the key of the caller first, as every service has to.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { ready } from "./serve.ts"

const secret = randomBytes(32).toString("base64url")
const callers = new Map([
  ["0123456789abcdef", { hash: hash("sha256", secret, "buffer"), balance: 10_000_000 }],
])
const noHash = Buffer.alloc(32)
const credentials = /^Bearer +fb_([0-9a-f]{16})_([0-9A-Za-z_-]{43}) *$/i

const app = Fastify()
app.decorateRequest("balance", 10_000_000)

const authenticate = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  const [, id = "", text = ""] = credentials.exec(request.headers.authorization ?? "") ?? []
  const caller = callers.get(id)
  if (!timingSafeEqual(caller?.hash ?? noHash, hash("sha256", text, "buffer"))) {
    reply.code(401).send({ error: "Invalid or revoked API key" })
    return
  }
  request.setDecorator("balance", caller?.balance)
  done()
}

const answer = {
  type: "object",
  properties: {
    success: { type: "boolean" },
    data: {
      type: "object",
      properties: { balance: { type: "number" }, currency: { type: "string" } },
    },
  },
}

app.get(
  "/api/v2/balance",
  {
    schema: { response: { 200: answer } },
    ...(process.env["AUTHORIZATION"] === "hash" ? { preHandler: authenticate } : {}),
  },
  (request, reply) => {
    reply.header("cache-control", "no-store").send({
      success: true,
      data: { balance: request.getDecorator<number>("balance"), currency: "BDT" },
    })
  },
)

const origin = await app.listen({ port: 0, host: "127.0.0.1" })
ready({ origin, keys: [`fb_0123456789abcdef_${secret}`] })
