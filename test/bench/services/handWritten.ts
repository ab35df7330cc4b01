/**
 * The same work, written by hand by a good engineer: Fastify with compiled schemas, `pg` with prepared
 * statements, one transaction for each request, and a second one that settles it.
 *
 * A send does: key, schema, number plan, code, HMAC; then, in one statement, the window and the
 * pending requests of the number, the debit under the lock of the account, the request, the log entry
 * and the ledger; then the gateway; then the outcome of the message and the second ledger entry. A check
 * counts in the organization's window under the same lock, and spends an attempt or verifies, in one
 * statement. The responses have the same statuses as those of the engine; a test compares them.
 *
 * This service does less than the engine, so the comparison favours it: a revoked key works for another
 * minute, ledger and log have no numbers without gaps (so exact totals have
 * to be counted), settling keeps no running balance and so takes no lock of the account, nothing finds
 * messages whose process has died, no gateway's ids are looked up, a refused request is not counted.
 *
 * Alternatives that were tried, on two cores, which the load and the server shared:
 *
 * - A pool that lends a connection to one statement at a time, with 3, 4, 5, 10 and 20 connections. For
 *   one hot organization the fewer the better, since all others only wait for its lock; for a thousand,
 *   20. Pipelined statements, which `pg` has learnt lately, are as fast as the best size of it at least,
 *   a third faster at times, and nearly twice as fast for checks: an organization's statements go to one
 *   of a few connections, where they need not fight for the lock, and settling goes to others. Of 1, 2,
 *   4, 8 and 16 connections, four and four are good for both loads. HAND_WRITTEN_POOL=10 has the pool.
 * - One statement with data-modifying CTEs instead of the function. As fast within the noise; but it
 *   sees one snapshot, so it needs the window and the pending requests in a row of their own that is
 *   written with every send, and given back with every check. Settling is such a statement: there it is
 *   a little faster than a function.
 * - Locking the account first. Done last, it is held for two short statements and the commit.
 * - A first version read thousands of log entries to settle one message, from a plan that was made while
 *   the tables were empty. See `handWrittenTables.ts`.
 * - `synchronous_commit = off` for the first of the two transactions would release the lock before the
 *   disk has it, but then an uncharged code may be on its way.
 */
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from "fastify"
import { parsePhoneNumberFromString } from "libphonenumber-js/max"
import {
  createHmac,
  createSecretKey,
  hash,
  randomInt,
  randomUUID,
  timingSafeEqual,
} from "node:crypto"
import { type Caller, open, prepare } from "./handWrittenDatabase.ts"
import { checkAnswer, checkBody, sendAnswer, sendBody } from "./handWrittenSchemas.ts"
import { options, ready, SentCodes } from "./serve.ts"

const { databaseUrl = "", limits, organizations = 1, share } = options()
const sent = new SentCodes()
const keys = share ?? (await prepare(databaseUrl, organizations, limits !== false))
const database = await open(databaseUrl)
const secret = createSecretKey(Buffer.from("b".repeat(32)))

type Outcome =
  | { readonly status: "delivered"; readonly gatewayId: string }
  | { readonly status: "refused"; readonly error: string }

/** The gateway: delivers at once. */
const deliver = async (message: {
  readonly token: string
  readonly to: string
  readonly code: string
  readonly text: string
}): Promise<Outcome> => {
  sent.remember(message.to, message.code)
  return { status: "delivered", gatewayId: `instant_${message.token}` }
}

/** How long a revoked key may still be taken for good. */
const cacheMillis = 60_000
const noHash = Buffer.alloc(32)
const callers = new Map<string, { readonly caller: Caller | undefined; readonly until: number }>()
const credentials = /^Bearer +hw_([0-9a-f]{16})_([0-9A-Za-z_-]{43}) *$/i

const unauthorized = (reply: FastifyReply): void => {
  reply.code(401).header("www-authenticate", "Bearer").send({ error: "Invalid or revoked API key" })
}

const app = Fastify({
  bodyLimit: 65_536,
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
})
app.decorateRequest("caller", null)
app.removeContentTypeParser("text/plain")

/** Without a promise while the key is known. */
const authenticate = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  reply.header("cache-control", "no-store")
  const [, id = "", secret = ""] = credentials.exec(request.headers.authorization ?? "") ?? []
  const admit = (caller: Caller | undefined): void => {
    if (!timingSafeEqual(caller?.hash ?? noHash, hash("sha256", secret, "buffer"))) {
      unauthorized(reply)
      return
    }
    request.setDecorator("caller", caller)
    done()
  }
  const known = callers.get(id)
  if (known !== undefined && known.until > performance.now()) return admit(known.caller)
  database.caller(id).then(
    (caller) => {
      if (caller !== undefined) callers.set(id, { caller, until: performance.now() + cacheMillis })
      admit(caller)
    },
    (error: unknown) => reply.send(error),
  )
}

const invalid = (field: string, problem: string) => ({
  error: "Validation failed",
  details: { [field]: [problem] },
})

const tooMany = (reply: FastifyReply, waitMillis: number): FastifyReply => {
  const seconds = Math.max(1, Math.ceil(waitMillis / 1_000))
  return reply
    .code(429)
    .header("retry-after", String(seconds))
    .send({ error: "Rate limit exceeded", retry_after: seconds })
}

const banglaDigits = /[\u09E6-\u09EF]/g

const numberOf = (input: string): string | undefined => {
  const text = input.replace(banglaDigits, (digit) => String(digit.charCodeAt(0) - 0x09e6))
  if (!/^\+[1-9]\d{6,14}$/.test(text)) return undefined
  const parsed = parsePhoneNumberFromString(text)
  return parsed?.isPossible() === true && parsed.isValid() && parsed.number === text
    ? text
    : undefined
}

/** A UUID of version 7: indexes grow at their end. */
const newId = (): string => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

const digestOf = (caller: Caller, id: string, code: string): Buffer =>
  createHmac("sha256", secret).update(`${caller.organization}\n${id}\n${code}`).digest()

const texts: Readonly<Record<string, (code: string) => string>> = {
  "en-us": (code) => `${code} is your verification code. Do not share it with anyone.`,
  "bn-bd": (code) => `${code} আপনার যাচাই কোড। কোডটি কাউকে জানাবেন না।`,
}
const english = texts["en-us"] ?? String
const prices: Readonly<Record<string, number>> = { sms: 5_000, whatsapp: 0 }

interface SendBody {
  readonly phone_number: string
  readonly channel?: string
  readonly code_length?: number
  readonly expiry?: number
  readonly locale?: string
  readonly brand_id?: string
}

app.post<{ Body: SendBody }>(
  "/api/v2/verify",
  { onRequest: authenticate, schema: { body: sendBody, response: { 200: sendAnswer } } },
  async (request, reply) => {
    const { brand_id, channel = "sms", expiry = 300, locale = "en-us" } = request.body
    const caller = request.getDecorator<Caller>("caller")
    const number = numberOf(request.body.phone_number)
    if (number === undefined) {
      return reply.code(400).send(invalid("phone_number", "is not a valid number"))
    }
    const sender = caller.senders.find(
      (one) =>
        one.channel === channel && (brand_id === undefined ? one.is_default : one.id === brand_id),
    )
    if (sender?.approved !== true) {
      return reply.code(400).send(invalid("brand_id", "is no approved sender"))
    }
    const length = request.body.code_length ?? 6
    const code = String(randomInt(10 ** length)).padStart(length, "0")
    const text = texts[locale] ?? english
    const id = newId()
    const token = newId()
    const price = prices[channel] ?? 0
    const requested = await database.request(caller, {
      id,
      number,
      channel,
      digest: digestOf(caller, id, code),
      expirySeconds: expiry,
      price,
      token,
      text: text("••••••"),
      sender: sender.sender,
    })
    switch (requested.outcome) {
      case "limited":
        return tooMany(reply, requested.wait)
      case "pending":
        return reply.code(429).send({ error: "Too many pending verifications for this number" })
      case "insufficient":
        return reply.code(402).send({
          error: "Insufficient balance",
          required: price / 10_000,
          available: (await database.balance(caller)) / 10_000,
        })
    }
    const outcome = await deliver({ token, to: number, code, text: text(code) })
    if (outcome.status === "refused") {
      await database.refused(requested.message, outcome.error)
      return reply.code(500).send({ error: "The code could not be sent" })
    }
    await database.delivered(requested.message, outcome.gatewayId)
    return {
      success: true,
      data: { request_id: id, to: number, channel, status: "pending", expires_in: expiry },
    }
  },
)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const noId = "00000000-0000-0000-0000-000000000000"

app.post<{ Body: { readonly request_id: string; readonly code: string } }>(
  "/api/v2/verify/check",
  { onRequest: authenticate, schema: { body: checkBody, response: { 200: checkAnswer } } },
  async (request, reply) => {
    const { code, request_id } = request.body
    const caller = request.getDecorator<Caller>("caller")
    const id = uuid.test(request_id) ? request_id : noId
    const checked = await database.check(caller, id, digestOf(caller, id, code))
    switch (checked.outcome) {
      case "verified":
        return {
          success: true,
          data: {
            request_id,
            to: checked.number,
            status: "verified",
            verified_at: new Date(checked.at).toISOString(),
          },
        }
      case "wrong":
        return reply.code(400).send({
          success: false,
          error: "Wrong code",
          data: { request_id, status: "pending", attempts_remaining: checked.attempts },
        })
      case "failed":
        return reply.code(429).send({
          success: false,
          error: "The verification request has failed",
          data: { request_id, status: "failed" },
        })
      case "expired":
        return reply.code(410).send({
          success: false,
          error: "The verification request has expired",
          data: { request_id, status: "expired" },
        })
      case "unknown":
        return reply.code(404).send({ error: "Verification request not found" })
      case "limited":
        return tooMany(reply, checked.wait)
    }
  },
)

app.setNotFoundHandler((_, reply) => reply.code(404).send({ error: "Not found" }))

app.setErrorHandler<FastifyError>((error, _, reply) => {
  if (error.validation !== undefined) {
    const [problem] = error.validation
    const field = problem?.instancePath.slice(1) || String(problem?.params["missingProperty"] ?? "")
    return reply.code(400).send(invalid(field, problem?.message ?? "is invalid"))
  }
  switch (error.statusCode) {
    case 400:
      return reply.code(400).send({ error: "The body is not valid JSON", details: {} })
    case 413:
      return reply.code(413).send({ error: "The body is too large" })
    case 415:
      return reply.code(415).send({ error: "Content-Type must be application/json" })
  }
  console.error(error)
  return reply.code(500).send({ error: "Internal error" })
})

const origin = await app.listen({ port: 0, host: "127.0.0.1" })
ready({ origin, keys, answers: { codes: () => sent.take() } })
