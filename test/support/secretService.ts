/**
 * A service in this process whose secrets are known: on PostgreSQL, with encrypted phone numbers, both interfaces and
 * a webhook. Everything is kept that its logger, tracer, metrics, errors, clients and receivers see.
 */
import { EventLog } from "@countersign/core/services/EventLog"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import * as Engine from "@countersign/core/Engine"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Limits from "@countersign/core/domain/limits/Limits"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import * as Admin from "@countersign/http/admin/Admin"
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as Node from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as ProofSigner from "@countersign/proofs/ProofSigner"
import * as TestEngine from "@countersign/testing/TestEngine"
import { PgConnection } from "@effect/sql-pg"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import type { NativeSpan } from "effect/Tracer"
import { generateKeyPairSync, randomInt } from "node:crypto"
import { inspect } from "node:util"
import { assert } from "vitest"
import { type Canary, markerText } from "./canaries.ts"
import { eventually } from "./eventually.ts"
import { logged, recording } from "./observed.ts"
import { at } from "./Quickstart.ts"
import { loopback, receiving } from "./webhooks.ts"

const pepper = 'the "first" secret of codes, ১২৩, for tests'
const retiring = "the second\\secret of codes, for tests, and for nothing else"
const numberSecret = "the secret of phone numbers, for tests & for nothing else"
const proofKey = String(
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
)

/** No number begins like a time in seconds. */
const newNumber = (): string =>
  `1${"345689".charAt(randomInt(6))}${String(randomInt(10 ** 8)).padStart(8, "0")}`

/** Everything of a value, as a careless host would print it. */
const printed = (value: unknown): string =>
  inspect(value, { depth: 12, maxArrayLength: null, maxStringLength: null, breakLength: Infinity })

/** A failure, in every way in which one is printed. A result is not printed. */
const printedExit = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit)
    ? ""
    : [printed(exit), JSON.stringify(exit), String(exit), Cause.pretty(exit.cause)].join("\n")

export interface Observed {
  /** Occur nowhere. */
  readonly secrets: ReadonlyArray<Canary>
  /** Occur in answers, and nowhere else. */
  readonly phoneNumbers: ReadonlyArray<Canary>
  /** Occur in one answer each, and nowhere else. */
  readonly shownOnce: ReadonlyArray<Canary>
  /** What was written, by its place. */
  readonly answers: string
  readonly others: Readonly<Record<"logs" | "spans" | "metrics" | "errors" | "webhooks", string>>
}

/** The engine and what observes it. */
const engineOver = (url: Redacted.Redacted, journalSize: number) => {
  const log = logged()
  const trace = recording()
  const layer = Engine.layerRunning.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        PostgresStore.layer({
          numberKeys: [PostgresStore.numberKeyOf(Redacted.make(numberSecret))],
        }).pipe(Layer.provideMerge(PostgresClient.layer({ url }))),
        SimulatedGateway.layer({ journalSize }),
        CodeSecrets.layer(Redacted.make(pepper), Redacted.make(retiring)),
        ProofSigner.layer({ keys: [Redacted.make(proofKey)] }),
      ),
    ),
    Layer.provideMerge(Node.layerCrypto),
    Layer.provideMerge(
      Layer.mergeAll(
        loopback,
        Layer.succeed(Limits.Limits, { ...Limits.defaults, checksPerOrganization: undefined }),
        Layer.succeed(References.MinimumLogLevel, "All"),
        log.layer,
        trace.layer,
      ),
    ),
  )
  return { layer, lines: log.lines, spans: trace.spans }
}

interface Call {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls a mount, and keeps what it answers. */
const calling =
  (
    handle: (request: Request) => Promise<Response>,
    base: string,
    answers: Array<string>,
    authorization = "none",
  ) =>
  async (path: string, { body, headers }: Call = {}): Promise<unknown> => {
    const response = await handle(
      new Request(`http://service.test${base}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    answers.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }

const inTurns = async <A, B>(
  items: ReadonlyArray<A>,
  run: (item: A) => Promise<B>,
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  for (let first = 0; first < items.length; first += 64)
    results.push(...(await Promise.all(items.slice(first, first + 64).map(run))))
  return results
}

/** Makes every further message fail in the database, which quotes the row. */
const breakMessages = (url: Redacted.Redacted) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ url }), (connection) =>
      connection.query(
        "ALTER TABLE countersign.messages ADD CONSTRAINT broken CHECK (sequence < 0) NOT VALID",
      ),
    ),
  )

type Calling = ReturnType<typeof calling>

interface Visitor {
  readonly rank: number
  readonly number: string
  readonly client: string
  readonly key: string
}

interface Requested extends Visitor {
  readonly requestId: string
  readonly code: string
}

/** Makes a key, and a webhook with a second secret. */
const makeShownOnce = async (admin: Calling, url: string) => {
  const key = String(at(await admin("/api-keys", { body: { name: "server" } }), "key"))
  const hook = await admin("/webhooks", { body: { url, after: 0 } })
  const path = `/webhooks/${String(at(hook, "id"))}/rotate-secret`
  const hooks = [hook, await admin(path, { body: {} })].map((one) => String(at(one, "secret")))
  return { key, hooks }
}

const visitorsOf = (count: number): ReadonlyArray<Visitor> =>
  Array.from({ length: count }, (_, rank) => ({
    rank,
    number: newNumber(),
    client: `the device of visitor ${rank}`,
    key: `the idempotency key ${rank}`,
  }))

/** Sends codes of ten digits, which nothing else looks like by chance. */
const send = (tenant: Calling, visitors: ReadonlyArray<Visitor>) =>
  inTurns(visitors, async (visitor) => {
    const { client, key, number, rank } = visitor
    const metadata = rank === 0 ? { note: markerText } : { rank }
    const phone_number = `+880${number}`
    const body = { phone_number, code_length: 10, client, metadata, expiry: 600 }
    const answer = await tenant("/verify", { body, headers: { "idempotency-key": key } })
    return { ...visitor, requestId: String(at(answer, "data", "request_id")) }
  })

/** Checks some codes right and some wrong, and uses some verifications up. */
const check = (tenant: Calling, requests: ReadonlyArray<Requested>) =>
  inTurns(requests, async ({ client, code, key, rank, requestId: request_id }) => {
    const typed = rank % 3 === 0 ? code.slice(1) : code
    await tenant("/verify/check", { body: { request_id, code: typed, client } })
    await tenant(`/verify/${request_id}`)
    const again = { headers: { "idempotency-key": key }, body: {} }
    if (rank % 3 === 1) await tenant(`/verify/${request_id}/consume`, again)
  })

/** Reads everything, and calls with fields in the wrong places. */
const readAll = async (
  tenant: Calling,
  admin: Calling,
  key: string,
  requests: ReadonlyArray<Requested>,
) => {
  for (const { code, number, requestId: request_id } of requests) {
    await tenant("/verify/check", { body: { request_id: code, code: request_id } })
    await tenant("/verify/check", { body: { request_id, code: { code } } })
    await tenant("/verify", { body: { phone_number: `${number}x`, locale: "xx" } })
    await tenant("/balance", { headers: { authorization: `Bearer ${key}x` } })
    await admin(`/messages?phoneNumber=${encodeURIComponent(`+880${number}`)}`)
    await admin(`/verifications/${request_id}`)
  }
  const message = { to: `880${newNumber()}`, message: markerText }
  for (let count = 0; count < 3; count++) await tenant("/messages", { body: message })
  await tenant("/messages?limit=5")
  const lists = ["events", "audit", "api-keys", "webhooks", "refusals", "ledger", "verifications"]
  for (const path of lists) await admin(`/${path}`)
}

/** Writes the marker where a host reads. */
const writeMarker = Effect.gen(function* () {
  const counter = Metric.withAttributes(Metric.counter("marker"), { marker: markerText })
  yield* Metric.update(counter, 1)
  yield* Effect.logDebug(markerText)
}).pipe(Effect.withSpan("marker", { attributes: { marker: markerText } }))

/** What an exporter sends of a span. */
const printedSpan = ({ attributes, events, kind, links, name, status }: NativeSpan): string =>
  printed({ name, kind, attributes, events, links: links.map((link) => link.attributes) }) +
  (status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : "")

/** Fails in calls, and in the database. Returns the errors, as they would be printed. */
const failing = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  organization: OrganizationId,
  requests: ReadonlyArray<Requested>,
) {
  yield* breakMessages(url)
  const { check, resend, send, status } = yield* Verifications
  const errors = [printedExit(yield* Effect.exit(Effect.fail(new Error(markerText))))]
  for (const { code, number, requestId } of requests) {
    const input = { organization, phoneNumber: `+880${number}`, codeLength: 10 }
    const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      check({ organization, requestId, code: Redacted.make(code.slice(1)) }),
      status({ organization, requestId: code }),
      send(input),
      send({ ...input, locale: code, purpose: `\u0000${number}` }),
      resend({ organization, requestId }),
    ]
    errors.push(...(yield* Effect.forEach(calls, Effect.exit)).map(printedExit))
  }
  return errors
})

const canariesOf = (requests: ReadonlyArray<Requested>, token: string): ReadonlyArray<Canary> => {
  const [, proof = ""] = proofKey.split("\n")
  const fixed = { pepper, retiring, numberSecret, proof, token }
  return [
    ...Object.entries(fixed).map(([what, text]) => ({ what, text })),
    ...requests.flatMap(({ client, code, key, rank }) => [
      { what: `the code of request ${rank}`, text: code },
      { what: `client ${rank}`, text: client },
      { what: `idempotency key ${rank}`, text: key },
    ]),
  ]
}

/** Serves this many verifications, and everything else a few times. */
export const observe = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  verifications: number,
): Effect.fn.Return<Observed, unknown, Scope.Scope> {
  const { layer, lines, spans } = engineOver(url, verifications + 100)
  const services = yield* Layer.build(layer)
  const run = Effect.provideContext(services)
  const receiver = yield* receiving()
  const answers: Array<string> = []
  const engine = Layer.succeedContext(services)
  const tenantMount = Http.toWebHandler(engine)
  const adminMount = Admin.toWebHandler(engine, {
    authorize: () => ({ actor: { id: "olga" }, roles: ["operator"] }),
  })
  const { organization } = yield* run(TestEngine.open({ balance: Money.make("1000000") }))
  const token = yield* run(AdminSessions.use((_) => _.begin({ login: "dashboard" })))
  const admin = calling(adminMount.fetch, `/admin/api/organizations/${organization}`, answers)
  const { hooks, key } = yield* Effect.promise(() => makeShownOnce(admin, receiver.url))
  receiver.secrets = hooks
  const tenant = calling(tenantMount.fetch, "/api/v2", answers, `Bearer ${key}`)

  const sent = yield* Effect.promise(() => send(tenant, visitorsOf(verifications)))
  const journal = yield* run(SimulatedGateway.SimulatedGateway.use((_) => _.journal()))
  const codes = new Map<string, string | undefined>(
    journal.map(({ code, phoneNumber }) => [phoneNumber, code]),
  )
  const requests = sent.map((one) => ({ ...one, code: codes.get(`+880${one.number}`) ?? "" }))
  const some = requests.slice(0, 3)
  yield* Effect.promise(() => check(tenant, requests))
  yield* Effect.promise(() => readAll(tenant, admin, key, some))
  yield* run(writeMarker)
  const errors = yield* run(failing(url, organization, some))
  const again = some.map((one) => ({ ...one, key: `${one.key} again` }))
  yield* Effect.promise(() => send(tenant, again))
  const events = yield* run(EventLog.use((_) => _.list({ organization, limit: 1 })))
  yield* Effect.promise(() =>
    eventually(() => assert.isAtLeast(receiver.taken.length, events.last), {
      withinMillis: 600_000,
    }),
  )
  yield* Effect.promise(() => Promise.all([tenantMount.dispose(), adminMount.dispose()]))
  return {
    secrets: canariesOf(requests, token),
    phoneNumbers: requests.map(({ number, rank }) => ({ what: `number ${rank}`, text: number })),
    shownOnce: [
      { what: "the API key", text: key },
      { what: "the secret part of the API key", text: key.split("_")[3] ?? "" },
      ...hooks.map((text, rank) => ({ what: `the secret of webhook ${rank}`, text })),
    ],
    answers: answers.join("\n"),
    others: {
      logs: lines.join("\n"),
      spans: spans.map(printedSpan).join("\n"),
      metrics: printed(yield* run(Metric.snapshot)),
      errors: errors.join("\n"),
      webhooks: receiver.requests
        .map(({ body, headers }) => `${JSON.stringify(headers)} ${body.toString()}`)
        .join("\n"),
    },
  }
}, Effect.scoped)
