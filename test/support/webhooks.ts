/** Real receivers of webhooks on this machine, and an engine that delivers to them over sockets. */
import { verifyWebhook, type WebhookEvent } from "@countersign/client"
import { Accounts } from "@countersign/core/services/Accounts"
import { EventLog } from "@countersign/core/services/EventLog"
import { WebhookDelivery } from "@countersign/core/jobs/WebhookDelivery"
import { Webhooks } from "@countersign/core/services/Webhooks"
import { Store } from "@countersign/core/ports/Store"
import * as WebhookTransport from "@countersign/node/WebhookTransport"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http"
import * as Https from "node:https"
import { listening } from "./loopback.ts"

export const organization = Samples.organizationId

/** The sequence of the newest event. */
export const last = Effect.map(
  EventLog.use((_) => _.list({ organization, limit: 1 })),
  (page) => page.last,
)

/** 1 to `count`. */
export const sequences = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

export type Delivery = WebhookEvent & {
  readonly sequence: number
  readonly previous: number | null
}

export interface Receiver {
  readonly url: string
  /** The secrets that a delivery may be signed with. Without one, no signature is verified. */
  secrets: ReadonlyArray<string>
  /** Every delivery that was answered with 200. */
  readonly taken: Array<Delivery>
  /** Requests that were no deliveries. */
  readonly problems: Array<unknown>
  /** Every request, as it was received. */
  readonly requests: Array<Pick<IncomingMessage, "headers"> & { readonly body: Buffer }>
}

/** How a receiver answers; `true` if it has answered with 200. `attempt`: 1 for the first request of an event. */
export type Answer = (response: ServerResponse, sequence: number, attempt: number) => boolean

export const take: Answer = (response) => {
  response.end()
  return true
}

/** A receiver that verifies as the guide does, until the scope ends. */
export const receiving = Effect.fnUntraced(function* (
  answer: Answer = take,
  secure?: Https.ServerOptions,
) {
  const attempts = new Map<number, number>()
  const receiver: Receiver = { url: "", secrets: [], taken: [], problems: [], requests: [] }
  const listener: RequestListener = (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers } = request
      // The tests move the clock of the engine.
      const options = { tolerance: "36500 days" } as const
      const body = Buffer.concat(chunks)
      receiver.requests.push({ headers, body })
      verifyWebhook({ headers, body }, receiver.secrets, options)
        .then((event) => {
          // A test has neither.
          const { previous = null, sequence = 0 } = "sequence" in event.data ? event.data : {}
          const attempt = (attempts.get(sequence) ?? 0) + 1
          attempts.set(sequence, attempt)
          if (!answer(response, sequence, attempt)) return
          receiver.taken.push({ ...event, sequence, previous })
        })
        .catch((error: unknown) => {
          receiver.problems.push(error)
          response.writeHead(400).end("bad signature")
        })
    })
  }
  const [scheme, server] =
    secure === undefined
      ? ["http", createServer(listener)]
      : ["https", Https.createServer(secure, listener)]
  const port = yield* listening(server)
  return Object.assign(receiver, { url: `${scheme}://127.0.0.1:${port}/hook` })
})

/** The transport to receivers on this machine. */
export const loopback = WebhookTransport.layer({ allowHttp: true, allowPrivateAddresses: true })

export const engine = <E = never>(
  options: TestEngine.Options<E> = {},
): Layer.Layer<TestEngine.TestEngine, E> => TestEngine.layer(options).pipe(Layer.provide(loopback))

/** Adds a webhook to a receiver, which then knows the secret. It gets all events of the organization. */
export const subscribe = Effect.fnUntraced(function* (receiver: Receiver) {
  const webhooks = yield* Webhooks
  const { id, secret } = yield* webhooks.create({ organization, url: receiver.url, after: 0 })
  receiver.secrets = [Redacted.value(secret)]
  return { organization, id, secret: Redacted.value(secret) }
})

/** Raises this number of events. */
export const raise = (count: number) =>
  Effect.replicateEffect(
    Accounts.use((_) => _.topUp({ organization, amount: Samples.money("0.01") })),
    count,
    { concurrency: 64, discard: true },
  )

const dueNow = (store: Store["Service"]) =>
  Effect.all([true, false].map((isTroubled) => store.dueWebhooks({ isTroubled, limit: 100 }))).pipe(
    Effect.map((pages) => pages.flat()),
  )

/** Delivers, and moves the clock to the next retry, until nothing is left. */
export const deliverAll = Effect.gen(function* () {
  const store = yield* Store
  const delivery = yield* WebhookDelivery
  for (;;) {
    const due = yield* dueNow(store)
    for (const ref of due) yield* delivery.deliver(ref)
    if (due.length > 0) continue
    const waiting = yield* store.webhookProgress(organization)
    const isWaiting = waiting.some(
      ({ leaseUntil, retryAt, status }) =>
        status === "active" && (retryAt !== null || leaseUntil > 0),
    )
    if (!isWaiting) return
    yield* TestClock.adjust("1 minute")
  }
})

/** Fails the first attempts of many events in turn, in every way in which a receiver answers. */
export const faulty: Answer = (response, sequence, attempt) => {
  const fault = (sequence * 31 + attempt * 7) % 40
  if (attempt > 3 || fault > 6) return take(response, sequence, attempt)
  if (fault === 0) response.writeHead(500).end()
  if (fault === 1) response.writeHead(503, { "retry-after": "90" }).end()
  if (fault === 2) response.writeHead(302, { location: "http://127.0.0.1:1" }).end()
  if (fault === 3) response.socket?.resetAndDestroy()
  if (fault === 4) response.socket?.end()
  if (fault === 5) response.writeHead(429).end("x".repeat(100_000))
  if (fault === 6) response.writeHead(404).end()
  return false
}
