import * as TestEngine from "@countersign/testing/TestEngine"
import { it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Webhook as StandardWebhook } from "standardwebhooks"
import {
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport,
} from "../../src/ports/WebhookTransport.ts"
import type { Steps } from "./engineTest.ts"

/** A request that a receiver has got. */
export interface Received extends WebhookRequest {
  readonly at: number
  readonly type: string
  readonly sequence: number
  readonly previous: number | null
}

export const status = (code: number, retryAfter?: string, start = ""): WebhookResponse => ({
  _tag: "Answered",
  status: code,
  retryAfter,
  start,
})

export const ok = status(200)

/** What a receiver answers. */
export type Answer = (request: Received) => Effect.Effect<WebhookResponse>

const parse = (request: WebhookRequest, at: number): Received => {
  const { data, type } = JSON.parse(request.body)
  return { ...request, at, type, sequence: data.sequence, previous: data.previous }
}

/** A transport to receivers in this process, by the host of their URL. `answers` may change while it runs. */
export const receivers = (answers: Record<string, Answer> = {}) => {
  const received: Array<Received> = []
  const underWay = new Map<string, number>()
  let most: Record<string, number> = {}
  const transport: WebhookTransport = {
    problemOf: ({ protocol }) => (protocol === "https:" ? undefined : "must use https"),
    post: (request) =>
      Effect.gen(function* () {
        const { host } = new URL(request.url)
        const parsed = parse(request, yield* Clock.currentTimeMillis)
        received.push(parsed)
        const count = (underWay.get(host) ?? 0) + 1
        underWay.set(host, count)
        most = { ...most, [host]: Math.max(most[host] ?? 0, count) }
        const answer = answers[host] ?? (() => Effect.succeed(ok))
        return yield* Effect.ensuring(
          answer(parsed),
          Effect.sync(() => underWay.set(host, (underWay.get(host) ?? 0) - 1)),
        )
      }),
  }
  const of = (host: string) => received.filter(({ url }) => new URL(url).host === host)
  return {
    answers,
    received,
    of,
    sequencesOf: (host: string) => of(host).map(({ sequence }) => sequence),
    /** The largest number of requests to a host at once. */
    mostOf: (host: string) => most[host] ?? 0,
    transport,
    layer: Layer.succeed(WebhookTransport, transport),
  }
}

/** An engine that delivers to the receivers, in the background if `running`. */
export const engine = ({ layer }: ReturnType<typeof receivers>, options: TestEngine.Options = {}) =>
  TestEngine.layer(options).pipe(Layer.provide(layer))

/** Defines tests on receivers that answer 200, an engine that delivers to them, and an organization. */
export const receiverTest = (
  title: string,
  body: (receiver: ReturnType<typeof receivers>) => Steps<TestEngine.TestEngine>,
) =>
  it.effect(title, () => {
    const receiver = receivers()
    const steps = Effect.gen(() => body(receiver))
    return TestEngine.open().pipe(Effect.andThen(steps), Effect.provide(engine(receiver)))
  })

/** Whether the library of Standard Webhooks makes one of the signatures of a request with this secret. */
export const isSignedWith = (secret: string, { body, headers }: WebhookRequest): boolean => {
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000)
  const expected = new StandardWebhook(secret).sign(headers["webhook-id"] ?? "", at, body)
  return headers["webhook-signature"]?.split(" ").includes(expected) === true
}
