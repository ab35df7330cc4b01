/**
 * The admin API over an engine in memory, called with web requests.
 */
import type { Access } from "@countersign/core/domain/access/Roles"
import { logId } from "@countersign/core/domain/messages/Message"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import { Batches } from "@countersign/core/services/Batches"
import { Messages } from "@countersign/core/services/Messages"
import { Outbox } from "@countersign/core/services/Outbox"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { Webhooks } from "@countersign/core/services/Webhooks"
import type { TestEngine } from "@countersign/testing/TestEngine"
import * as Testing from "@countersign/testing/TestEngine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpEffect from "effect/http/HttpEffect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import * as Admin from "../../src/admin/Admin.ts"
import { accesses, AdminApi } from "../../src/admin/AdminApi.ts"
import type { AdminOptions, Principal } from "../../src/admin/AdminOptions.ts"
import * as RequestContext from "../../src/mount/RequestContext.ts"

export const operator: Principal = {
  actor: { id: "olga", origin: "10.0.0.1" },
  roles: ["operator"],
  session: { id: "1", login: "ops" },
}

export const tenant: Principal = {
  actor: { id: "tariq" },
  roles: ["tenant"],
  organizations: ["acme"],
}

/** The JSON of a text; `undefined` if the text is not JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface Call {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The address of the peer. */
  readonly peer?: string
}

export type Send = (path: string, call?: Call) => Promise<Response>

/** A mount, and how it is called. Its default principal is the operator. */
export const mount = Effect.fnUntraced(function* (
  options: Partial<AdminOptions> = {},
): Effect.fn.Return<Send, never, TestEngine | Scope.Scope> {
  const handler = yield* Admin.make({ authorize: () => operator, ...options })
  const context = yield* Effect.context<never>()
  const fetch = HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(context)(
    handler,
  )
  return (
    path,
    { body, headers = {}, method = body === undefined ? "GET" : "POST", peer } = {},
  ) => {
    const request = new Request(`http://admin.test/admin${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    if (peer !== undefined) RequestContext.attach(request, { clientAddress: peer })
    return fetch(request, Context.empty())
  }
})

const documented = Object.entries(OpenApi.fromApi(AdminApi).paths).map(
  ([path, { delete: remove, get, patch, post, put }]) => ({
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`),
    methods: { DELETE: remove, GET: get, HEAD: get, PATCH: patch, POST: post, PUT: put },
  }),
)

/** Fails if the document of the API does not have the status of an answer. */
const expectDocumented = ({ status }: Response, target: string, call: Call = {}): void => {
  const { method = call.body === undefined ? "GET" : "POST" } = call
  const [path = ""] = target.split("?", 1)
  const found = documented.find((one) => one.path.test(path))
  const operation = new Map(Object.entries(found?.methods ?? {})).get(method)
  // Of other hosts, and answers of the host itself.
  if (operation === undefined || status === 421 || status === 302) return
  assert.property(operation.responses, String(status), `${method} ${path}`)
}

/** Calls the API and reads the whole answer. */
export const ask = (send: Send, path: string, call?: Call) =>
  Effect.promise(async () => {
    const response = await send(`/api${path}`, call)
    expectDocumented(response, path, call)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  })

export interface Example {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly body?: unknown
}

const of = "/organizations/acme"

const period = "from=2026-01-01&to=2026-01-02"

const number = "+8801712345678"

const booking = { amount: "5", note: "invoice 7", paymentId: "p-7" }

const brand = { kind: "non-masking", sender: "8809600000001" }

const get = (path: string): Example => ({ method: "GET", path })

const post = (path: string, body: unknown = {}): Example => ({ method: "POST", path, body })

/** A valid request for each endpoint. Ids in capitals stand for those of `world`. */
const requests = {
  "session.get": get("/session"),
  "session.list": get("/sessions"),
  "session.endAll": post("/sessions/end"),
  "session.end": post("/sessions/SESSION/end"),
  "host.gateways": get("/gateways"),
  "host.gatewayActivity": get(
    "/gateways/activity?from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z&every=hour",
  ),
  "host.unmatchedReports": get("/reports/unmatched?limit=5"),
  "organizations.list": get("/organizations"),
  "organizations.listCsv": get("/organizations.csv?search=acme"),
  "organizations.create": post("/organizations", { id: "fresh", limits: { attempts: 4 } }),
  "organization.get": get(of),
  "organization.update": { method: "PATCH", path: of, body: { name: "Acme" } },
  "organization.suspend": post(`${of}/suspend`),
  "organization.resume": post(`${of}/resume`),
  "organization.repairTime": post(`${of}/repair-time`),
  "apiKeys.list": get(`${of}/api-keys`),
  "apiKeys.create": post(`${of}/api-keys`, { name: "server" }),
  "apiKeys.revoke": post(`${of}/api-keys/KEY/revoke`),
  "brands.list": get(`${of}/brands`),
  "brands.create": post(`${of}/brands`, brand),
  "brands.replace": { method: "PUT", path: `${of}/brands/line`, body: brand },
  "brands.withdraw": post(`${of}/brands/line/withdraw`),
  "account.balance": get(`${of}/balance`),
  "account.topUp": post(`${of}/top-ups`, booking),
  "account.adjust": post(`${of}/adjustments`, { ...booking, amount: "-1" }),
  "account.ledger": get(`${of}/ledger`),
  "account.movements": get(`${of}/movements`),
  "account.movementsCsv": get(`${of}/movements.csv?from=1970-01-01&to=1970-01-02`),
  "account.balances": get(`${of}/balances?from=1970-01-01&to=1970-01-02`),
  "account.ledgerCsv": get(`${of}/ledger.csv?from=1970-01-01&to=1970-01-02`),
  "account.statement": get(`${of}/statement?${period}`),
  "account.statementCsv": get(`${of}/statement.csv?${period}`),
  "messages.search": get(`${of}/messages?statuses=delivered`),
  "messages.searchCsv": get(`${of}/messages.csv?statuses=delivered`),
  "messages.get": get(`${of}/messages/MESSAGE`),
  "messages.send": post(`${of}/messages`, { phoneNumber: number, text: "Hello" }),
  "messages.preview": post(`${of}/message-preview`, { text: "Hello" }),
  "messages.testGateway": post(`${of}/gateways/simulated/test`, {
    phoneNumber: number,
    text: "Test",
  }),
  "messages.listQueued": get(`${of}/queued-messages?limit=5`),
  "messages.getQueued": get(`${of}/queued-messages/QUEUED`),
  "messages.cancelQueued": post(`${of}/queued-messages/QUEUED/cancel`),
  "messages.rescheduleQueued": post(`${of}/queued-messages/QUEUED/reschedule`, {
    sendAt: "1970-01-02T00:00:00.000Z",
  }),
  "verifications.search": get(`${of}/verifications?phoneNumber=%2B8801712345678`),
  "verifications.searchCsv": get(`${of}/verifications.csv?statuses=pending`),
  "verifications.get": get(`${of}/verifications/REQUEST`),
  "verifications.send": post(`${of}/verifications`, { phoneNumber: "+8801712345679" }),
  "verifications.check": post(`${of}/verifications/REQUEST/check`, { code: "CODE" }),
  "verifications.resend": post(`${of}/verifications/REQUEST/resend`),
  "verifications.cancel": post(`${of}/verifications/REQUEST/cancel`),
  "verifications.resetGuesses": post(`${of}/guesses/reset`, {
    phoneNumber: number,
    reason: "the owner called",
  }),
  "fraud.findings": get(`${of}/fraud/findings`),
  "optOuts.add": post(`${of}/opt-outs`, { phoneNumbers: ["+8801712345678"] }),
  "optOuts.remove": post(`${of}/opt-outs/remove`, { phoneNumbers: ["+8801712345678"] }),
  "optOuts.check": get(`${of}/opt-outs?phoneNumber=8801712345678`),
  "fraud.trial": post(`${of}/fraud/trial`, { rules: { maxSent: 1 }, from: "1970-01-01" }),
  "events.read": get(`${of}/events?after=0&limit=5`),
  "events.stream": get(`${of}/events/stream?after=0`),
  "webhooks.list": get(`${of}/webhooks`),
  "webhooks.create": post(`${of}/webhooks`, { url: "https://hooks.example/1" }),
  "webhooks.update": { method: "PATCH", path: `${of}/webhooks/HOOK`, body: { isEnabled: false } },
  "webhooks.remove": { method: "DELETE", path: `${of}/webhooks/HOOK` },
  "webhooks.rotateSecret": post(`${of}/webhooks/HOOK/rotate-secret`, { grace: "60 seconds" }),
  "webhooks.replay": post(`${of}/webhooks/HOOK/replay`, { after: 0 }),
  "webhooks.test": post(`${of}/webhooks/HOOK/test`),
  "webhooks.attempts": get(`${of}/webhooks/HOOK/attempts?result=failed&limit=5`),
  "webhooks.attempt": get(`${of}/webhooks/HOOK/attempts/1`),
  "webhooks.resend": post(`${of}/webhooks/HOOK/resend`, { sequence: 1 }),
  "webhooks.activity": get(
    `${of}/webhooks/HOOK/activity?from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z`,
  ),
  "batches.list": get(`${of}/batches?limit=5`),
  "batches.listCsv": get(`${of}/batches.csv`),
  "batches.send": post(`${of}/batches`, {
    idempotencyKey: "sale",
    text: "Hello",
    recipients: [{ phoneNumber: number }],
  }),
  "batches.estimate": post(`${of}/batch-estimate`, {
    text: "Hello",
    recipients: [{ phoneNumber: number }],
  }),
  "batches.get": get(`${of}/batches/BATCH`),
  "batches.pause": post(`${of}/batches/BATCH/pause`),
  "batches.resume": post(`${of}/batches/BATCH/resume`),
  "batches.cancel": post(`${of}/batches/BATCH/cancel`),
  "records.attention": get(`${of}/attention`),
  "records.totals": get(`${of}/totals?${period}&every=hour&by=channel&by=outcome`),
  "records.refusals": get(`${of}/refusals?phoneNumber=%2B8801712345678&codes=rate_limited&limit=5`),
  "records.refusalsCsv": get(`${of}/refusals.csv?codes=rate_limited`),
  "records.search": get(`${of}/search?query=%2B8801712345678`),
  "records.alerts": get(`${of}/alerts`),
  "records.audit": get(`${of}/audit?limit=50`),
  "records.auditCsv": get(`${of}/audit.csv?action=created`),
  "privacy.erase": post(`${of}/erase`, { phoneNumber: number, reason: "the owner asked" }),
  "privacy.export": get(`${of}/export?phoneNumber=%2B8801712345678`),
} satisfies Readonly<Record<string, Example>>

export type EndpointName = keyof typeof requests

export const examples: Readonly<Record<EndpointName, Example>> = requests

/** Who may call each endpoint. */
export const accessOf: ReadonlyMap<string, Access> = new Map(accesses)

/** An organization with a request, a message, a key and a webhook, and another organization. */
export const world = Effect.gen(function* () {
  const { key, keyId, organization } = yield* Testing.open()
  yield* Testing.open({ id: "other" })
  const verifications = yield* Verifications
  const { requestId } = yield* verifications.send({ organization, phoneNumber: number })
  const code = yield* Testing.latestCode(number)
  const { messages } = yield* (yield* Messages).search({ organization })
  const { id: hook, secret } = yield* (yield* Webhooks).create({
    organization,
    url: "https://hooks.example/0",
  })
  yield* Webhooks.use((_) => _.resend({ organization, id: hook, sequence: 1 }))
  const batch = { organization, recipients: [number], text: "Hello", sendAt: 86_400_000 }
  const { batchId } = yield* Batches.use((_) => _.sendMany(batch))
  yield* Batches.use((_) => _.pause({ organization, id: batchId }))
  const outbox = yield* Outbox
  const later = { organization, phoneNumber: number, text: "Later", sendAt: 86_400_000 }
  const queued = yield* outbox.prepareMessage(later)
  yield* outbox.enqueue([queued])
  yield* AdminSessions.use((_) => _.begin({ login: "ops" }))
  const [{ id: session = "" } = {}] = yield* AdminSessions.use((_) => _.list("ops"))
  // After the cooldown of a resend.
  yield* TestClock.adjust("31 seconds")
  const ids: Readonly<Record<string, string>> = {
    KEY: keyId,
    MESSAGE: messages.map(logId).join(),
    REQUEST: requestId,
    QUEUED: queued.id,
    CODE: code,
    HOOK: hook,
    BATCH: batchId,
    SESSION: session,
  }
  const filled = (text: string): string => text.replace(/[A-Z]{3,}/g, (name) => ids[name] ?? name)
  return {
    organization,
    /** Texts that no answer may contain. */
    secrets: [code, Redacted.value(key), Redacted.value(secret)],
    /** The example with the ids of this world. */
    example: (name: EndpointName): Example & Call => {
      const { body, method, path } = examples[name]
      return {
        method,
        path: filled(path),
        ...(body === undefined ? {} : { body: filled(JSON.stringify(body)) }),
      }
    },
  }
}).pipe(Effect.orDie)
