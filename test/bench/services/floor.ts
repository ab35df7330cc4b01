/**
 * The floor: about the least that a Node process can do to store the same. Plain `node:http` and the protocol of
 * PostgreSQL, without a framework and without a library on the way of a request.
 *
 * It writes the rows of the engine into the tables of the engine, in as many durable commits, and a test compares
 * them: a send is written with all others that wait, and answered when the gateway has taken it; its outcome is
 * written with the next commit, at the latest after 10 ms. A check is one commit. Codes are drawn, hashed and
 * encrypted, and compared in the database.
 *
 * It has no authentication (a key only names its organization), no number plans, no limits, no other channels,
 * options or errors of the gateway, and it assumes to be the only process: it keeps the accounts in memory. Nothing
 * finds the messages of a process that has died.
 */
import {
  createCipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  randomFillSync,
  randomInt,
} from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Account, type Booked, capture, hold, type Payment, prepare } from "./floorAccounts.ts"
import { connect, type Parameters } from "./floorConnection.ts"
import { statements } from "./floorStatements.ts"
import { listen, options, SentCodes } from "./serve.ts"

interface Sending extends Payment {
  readonly phoneNumber: string
  readonly expirySeconds: number
  readonly response: ServerResponse
  readonly id: string
  readonly requestId: string
  readonly code: string
}

interface Checking {
  readonly account: Account
  readonly requestId: string
  readonly digest: Buffer
  readonly response: ServerResponse
}

const secret = createSecretKey(Buffer.from("b".repeat(32)))
const sealKey = randomBytes(32)

/** Random bytes are cheaper in blocks. */
const block = Buffer.alloc(4_096)
let used = block.length
const draw = (bytes: number): Buffer => {
  if (used + bytes > block.length) {
    randomFillSync(block)
    used = 0
  }
  used += bytes
  return block.subarray(used - bytes, used)
}

const idOf = (prefix: string): string =>
  `${prefix}_${Date.now().toString(16).padStart(12, "0")}${draw(16).toString("hex")}`

const digestOf = ({ organization }: Account, requestId: string, code: string): Buffer =>
  createHmac("sha256", secret).update(`${organization}\n${requestId}\n${code}`).digest()

const sealOf = (code: string): Buffer => {
  const nonce = draw(12)
  const cipher = createCipheriv("aes-256-gcm", sealKey, nonce)
  const text = cipher.update(`["${code}","en-us",null,null]`)
  cipher.final()
  return Buffer.concat([nonce, text, cipher.getAuthTag()])
}

const { databaseUrl = "", organizations = 1 } = options()
const sent = new SentCodes()
const accounts = await prepare(databaseUrl, organizations)
const connection = await connect(databaseUrl, statements)

const answer = (response: ServerResponse, status: number, body: object): void => {
  const json = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(json),
    "cache-control": "no-store",
  })
  response.end(json)
}

/** What waits for a commit, and what is answered and has to be written. */
let sendings: Array<Sending> = []
let checkings: Array<Checking> = []
let outcomes: Array<Sending> = []
let batch = 0
let isBusy = false
/** An outcome has waited for too long. */
let isDue = false
/** Sends and checks take turns. */
let wasCheck = false

/** Takes the first of each key, so that no row changes twice in a statement. The others wait. */
const takeDistinct = <A>(
  waiting: Array<A>,
  keyOf: (one: A) => string,
): { readonly taken: Array<A>; readonly left: Array<A> } => {
  const taken = new Map<string, A>()
  const left: Array<A> = []
  for (const one of waiting) {
    const key = keyOf(one)
    if (taken.has(key)) left.push(one)
    else taken.set(key, one)
  }
  return { taken: [...taken.values()], left }
}

const commitSends = async (): Promise<() => void> => {
  const { left, taken } = takeDistinct(
    sendings,
    ({ account, phoneNumber }) => `${account.organization} ${phoneNumber}`,
  )
  sendings = left
  const holds = taken.map(hold)
  const captures = outcomes.map(capture)
  outcomes = []
  isDue = false
  const changed = [...new Set([...holds, ...captures].map(({ one }) => one.account))]
  await connection.run("send", (parameters) => {
    const at = Date.now()
    parameters.int8(at)
    parameters.int8((batch += 1))
    writeAccounts(parameters, changed)
    writeRequests(parameters, holds, at)
    writeOutcomes(parameters, captures)
  })
  for (const account of changed) account.opened = account.delivered = 0
  return () => taken.forEach(deliver)
}

const writeAccounts = (parameters: Parameters, changed: ReadonlyArray<Account>): void => {
  parameters.texts(changed.map(({ organization }) => organization))
  parameters.int8s(changed.map(({ balance }) => balance))
  parameters.int8s(changed.map(({ held }) => held))
  parameters.int8s(changed.map(({ entries }) => entries))
  parameters.int8s(changed.map(({ lastMessage }) => lastMessage))
  parameters.int8s(changed.map(({ lastEvent }) => lastEvent))
  parameters.int8s(changed.map(({ spent }) => spent))
  parameters.int8s(changed.map(({ opened }) => opened))
  parameters.int8s(changed.map(({ delivered }) => delivered))
}

const writeRequests = (
  parameters: Parameters,
  holds: ReadonlyArray<Booked<Sending>>,
  at: number,
): void => {
  parameters.texts(holds.map(({ one }) => one.account.organization))
  parameters.int8s(holds.map(({ one }) => one.sequence))
  parameters.texts(holds.map(({ one }) => one.id))
  parameters.texts(holds.map(({ one }) => one.requestId))
  parameters.texts(holds.map(({ one }) => one.phoneNumber))
  parameters.byteas(holds.map(({ one }) => digestOf(one.account, one.requestId, one.code)))
  parameters.byteas(holds.map(({ one }) => sealOf(one.code)))
  parameters.int8s(holds.map(({ one }) => at + one.expirySeconds * 1_000))
  parameters.int8s(holds.map(({ entry }) => entry))
  parameters.int8s(holds.map(({ balance }) => balance))
  parameters.int8s(holds.map(({ held }) => held))
}

const writeOutcomes = (parameters: Parameters, captures: ReadonlyArray<Booked<Sending>>): void => {
  parameters.texts(captures.map(({ one }) => one.account.organization))
  parameters.int8s(captures.map(({ one }) => one.sequence))
  parameters.texts(captures.map(({ one }) => one.requestId))
  parameters.texts(captures.map(({ one }) => masked(one.phoneNumber)))
  parameters.int8s(captures.map(({ event }) => event - 1))
  parameters.int8s(captures.map(({ entry }) => entry))
  parameters.int8s(captures.map(({ balance }) => balance))
  parameters.int8s(captures.map(({ held }) => held))
}

const masked = (phoneNumber: string): string =>
  `${phoneNumber.slice(0, 5)}*****${phoneNumber.slice(-3)}`

/** The gateway delivers at once. The outcome need not be written before the answer. */
const deliver = (one: Sending): void => {
  const { code, expirySeconds, phoneNumber, requestId, response } = one
  sent.remember(phoneNumber, code)
  if (outcomes.push(one) === 1) patience.refresh()
  answer(response, 200, {
    success: true,
    data: {
      request_id: requestId,
      to: phoneNumber,
      channel: "sms",
      status: "pending",
      expires_in: expirySeconds,
    },
  })
}

const commitChecks = async (): Promise<() => void> => {
  const { left, taken } = takeDistinct(checkings, ({ requestId }) => requestId)
  checkings = left
  const at = Date.now()
  const rows = await connection.run("check", (parameters) => {
    parameters.int8(at)
    parameters.int8((batch += 1))
    parameters.texts(taken.map(({ account }) => account.organization))
    parameters.texts(taken.map(({ requestId }) => requestId))
    parameters.byteas(taken.map(({ digest }) => digest))
    parameters.int8s(taken.map(({ account }) => account.lastEvent))
  })
  const found = new Map(rows.map((row) => [row[1], row]))
  for (const { account, requestId } of taken) {
    const status = found.get(requestId)?.[3]
    if (status === "verified" || status === "failed") account.lastEvent += 1
  }
  return () => {
    for (const { requestId, response } of taken) {
      const [, , to, status, attempts] = found.get(requestId) ?? []
      switch (status) {
        case "verified":
          answer(response, 200, {
            success: true,
            data: { request_id: requestId, to, status, verified_at: new Date(at).toISOString() },
          })
          break
        case "pending":
          answer(response, 400, {
            success: false,
            error: "Wrong code",
            data: { request_id: requestId, status, attempts_remaining: Number(attempts) },
          })
          break
        case "failed":
          answer(response, 429, {
            success: false,
            error: "The verification request has failed",
            data: { request_id: requestId, status },
          })
          break
        default:
          answer(response, 404, { error: "No such request is pending" })
      }
    }
  }
}

/** Commits what waits, one batch after the other. The next one is on its way before the callers are answered. */
const pump = (): void => {
  // Outcomes do not wait while anything else is committed.
  const isAny = isDue || checkings.length > 0
  const isSend = sendings.length > 0 || (isAny && outcomes.length > 0)
  const isCheck = checkings.length > 0 && !(isSend && wasCheck)
  if (isBusy || !(isSend || isCheck)) return
  isBusy = true
  wasCheck = isCheck
  const commit = isCheck ? commitChecks() : commitSends()
  commit.then(
    (answerAll) => {
      isBusy = false
      pump()
      answerAll()
    },
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
}

const maxWaitMillis = 10

const patience = setTimeout(() => {
  isDue = outcomes.length > 0
  pump()
}, maxWaitMillis)

const bodyOf = (request: IncomingMessage, onBody: (text: string) => void): void => {
  let text = ""
  request.setEncoding("utf8")
  request.on("data", (chunk: string) => {
    text += chunk
  })
  request.on("end", () => onBody(text))
}

const server = createServer((request, response) => {
  const account = accounts.get(request.headers.authorization?.slice("Bearer ".length) ?? "")
  const { url } = request
  if (account === undefined) return answer(response, 401, { error: "Unknown key" })
  bodyOf(request, (text) => {
    const body = JSON.parse(text)
    if (url === "/api/v2/verify") {
      sendings.push({
        account,
        phoneNumber: String(body.phone_number),
        expirySeconds: Number(body.expiry ?? 300),
        response,
        id: idOf("msg"),
        requestId: idOf("vrf"),
        code: String(randomInt(1_000_000)).padStart(6, "0"),
        sequence: 0,
      })
    } else if (url === "/api/v2/verify/check") {
      const requestId = String(body.request_id)
      const digest = digestOf(account, requestId, String(body.code))
      checkings.push({ account, requestId, digest, response })
    } else return answer(response, 404, { error: "Not found" })
    pump()
  })
})

listen(server, { keys: [...accounts.keys()], answers: { codes: () => sent.take() } })
