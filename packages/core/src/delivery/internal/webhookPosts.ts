/** One signed request to the receiver of a webhook. */
import * as Clock from "effect/Clock"
import * as Mac from "effect/crypto/Mac"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Codes } from "../../engine/Codes.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import * as Webhook from "../../domain/webhooks/Webhook.ts"
import * as Redaction from "../../domain/messages/Redaction.ts"
import * as WebhookProgress from "../../domain/webhooks/WebhookProgress.ts"
import { type WebhookResponse, WebhookTransport } from "../../ports/WebhookTransport.ts"
import type { Attributes } from "../../engine/SpanTable.ts"
import * as Call from "../../engine/Call.ts"
import * as Tracing from "../../engine/Tracing.ts"
import { utf8 } from "../../engine/internal/utf8.ts"

/** Longest wait for the answer of a receiver. */
export const timeout = Duration.seconds(15)

export interface Post {
  /** The same for every attempt. */
  readonly id: string
  readonly body: string
  /** The trace of the message that the event is about. */
  readonly traceparent?: string | null | undefined
}

const keyOf = (secret: Redacted.Redacted<string>) =>
  Effect.fromResult(Webhook.decodeSecret(Redacted.value(secret))).pipe(
    Effect.flatMap((bytes) => Mac.key(Mac.hmacSha256, bytes)),
    Effect.catch(() => Effect.die(new Error("The secret of a webhook could not be used"))),
  )

/** The headers of a request, without its signature. */
export const headersOf = (id: string, seconds: number) => ({
  "content-type": "application/json",
  "user-agent": "Countersign-Webhooks",
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
})

export const makeWebhookPosts = Effect.gen(function* () {
  const codes = yield* Codes
  const mac = yield* Mac.Mac
  const transport = yield* WebhookTransport

  /** The secrets in use. One whose secret is no longer in use is missing. */
  const openKeys = Effect.fnUntraced(function* (
    organization: OrganizationId,
    webhook: Webhook.Webhook,
    now: number,
  ) {
    const owner = { organization, webhookId: webhook.id }
    const secrets = yield* Effect.forEach(Webhook.secretsAt(webhook, now), ({ pepper, sealed }) =>
      codes.open(owner, pepper, sealed),
    )
    return yield* Effect.forEach(
      secrets.filter((secret) => secret !== undefined),
      keyOf,
    )
  })

  const signatures = (keys: ReadonlyArray<Mac.Key>, text: string) =>
    Effect.map(
      Effect.forEach(keys, (key) => mac.sign(key, utf8(text))),
      (tags) => tags.map((tag) => `v1,${Base64.encode(tag)}`).join(" "),
    ).pipe(Effect.catch(() => Effect.die(new Error("A delivery could not be signed"))))

  /** Prepares posts to a webhook, as it is at `now`. */
  const open = Effect.fnUntraced(function* (
    organization: OrganizationId,
    webhook: Webhook.Webhook,
    now: number,
  ) {
    const keys = yield* openKeys(organization, webhook, now)
    return Effect.fnUntraced(function* ({
      body,
      id,
      traceparent,
    }: Post): Effect.fn.Return<WebhookProgress.Answer> {
      if (transport === undefined) return failed("This process has no transport for webhooks")
      if (keys.length === 0)
        return failed("The secret that it is encrypted under is no longer in use")
      const at = yield* Clock.currentTimeMillis
      const seconds = Math.floor(at / 1_000)
      const signature = yield* signatures(keys, Webhook.signedText(id, seconds, body))
      const headers = { ...headersOf(id, seconds), "webhook-signature": signature }
      const post = (own: Readonly<Record<string, string>>) =>
        Effect.timeoutOption(
          transport.post({ url: webhook.url, headers: { ...headers, ...own }, body }),
          timeout,
        ).pipe(
          Effect.map(
            Option.match({
              onNone: () => failed(`No answer in ${Duration.toSeconds(timeout)} seconds`),
              onSome: (response) => answerOf(response, at),
            }),
          ),
        )
      const parent = Tracing.spanOf(traceparent)
      if (parent === undefined) return yield* post({})
      const { hostname } = new URL(webhook.url)
      return yield* inSpan(parent, post, {
        "http.request.method": "POST",
        "server.address": hostname,
        "messaging.message.id": id,
        "countersign.organization": organization,
      })
    })
  })

  return { transport, open }
})

/** Posts in a span of the trace, which the receiver can continue. */
const inSpan = (
  parent: Tracer.AnySpan,
  post: (headers: Readonly<Record<string, string>>) => Effect.Effect<WebhookProgress.Answer>,
  attributes: Attributes<"webhook">,
): Effect.Effect<WebhookProgress.Answer> =>
  Call.direct((context, done) => {
    const span = Tracing.begin(context, "webhook", "POST webhook", { parent })
    if (span === undefined) return Call.begin(post({}), context, done)
    const own = Tracing.below(context, span)
    const start = () =>
      Call.begin(post({ traceparent: Tracing.traceparentOf(span) }), own, (exit) => {
        const answer = Exit.isSuccess(exit) ? exit.value : undefined
        Tracing.annotate(span, "webhook", {
          ...attributes,
          "http.response.status_code": answer?.status ?? undefined,
          "error.type": answer?.outcome._tag === "Delivered" ? undefined : answer?.outcome._tag,
        })
        Tracing.end(context, span, exit)
        done(exit)
      })
    return Tracing.activate(own, start)
  })

const failed = (error: string): WebhookProgress.Answer => ({
  outcome: { _tag: "Failed", error, retryAfterMillis: 0 },
  status: null,
  answer: null,
})

const outcomeOf = (
  status: number,
  retryAfter: string | undefined,
  now: number,
): WebhookProgress.Outcome =>
  status >= 200 && status < 300
    ? { _tag: "Delivered" }
    : {
        _tag: status === 410 ? "Gone" : "Failed",
        error: `HTTP ${status}`,
        retryAfterMillis: retryAfterMillis(retryAfter, now),
      }

const answerOf = (response: WebhookResponse, now: number): WebhookProgress.Answer => {
  if (response._tag === "Unanswered") return failed(response.error)
  const { retryAfter, start, status } = response
  // A receiver may repeat anything, also a number or a code that it knows.
  const answer = Redaction.unknownWords(start.trim(), WebhookProgress.maxAnswerLength).trim()
  return {
    outcome: outcomeOf(status, retryAfter, now),
    status,
    answer: answer === "" ? null : answer,
  }
}

/** The wait that a `Retry-After` asks for: seconds, or a date. 0 if it is neither. */
export const retryAfterMillis = (header: string | undefined, now: number): number => {
  if (header === undefined) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}
