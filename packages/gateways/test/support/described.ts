import * as Redacted from "effect/Redacted"
import type { HttpDescription, HttpPoll } from "../../src/HttpDescription.ts"
import * as HttpGateway from "../../src/HttpGateway.ts"
import { json } from "../fixtures/answers.ts"
import { sent } from "./vendor.ts"

export const apiKey = 'k3y "of" an & account'
export const secrets = { api_key: Redacted.make(apiKey) }

/** A description of a vendor with a bit of everything. */
export const described = (
  baseUrl: string,
  changes: Partial<HttpDescription> = {},
): HttpDescription => ({
  request: {
    url: `${baseUrl}/send?key={api_key}`,
    body: { json: { to: "{to}", text: "{text}", from: "{sender}", id: "{token}", ref: "{ref}" } },
  },
  recipient: "plus",
  secrets: ["api_key"],
  outcomes: [
    { when: { path: "result", equals: "ok" }, means: "accepted" },
    { when: { path: "result", equals: "there" }, means: "delivered" },
    { when: [{ status: 409 }, { path: "result", equals: "again" }], means: "accepted" },
    { when: { status: [429, 503] }, means: "throttled", retryAfter: "30 seconds" },
    { when: { path: "result", equals: "slow" }, means: "throttled" },
    { when: { path: "error.code", equals: [1, 2] }, means: "recipient" },
    { when: { path: "error.code", equals: 3 }, means: "content" },
    { when: { path: "error.code", matches: "^SND-" }, means: "sender" },
    { when: { matches: "invalid api key" }, means: "account" },
    { when: { path: "errors[1].reason" }, means: "notSent" },
    { when: { path: "result", equals: "lost" }, means: "unknown" },
  ],
  id: { path: "data.ids[0]" },
  segments: { path: "data.parts" },
  message: { path: "error.message" },
  ...changes,
})

/** The same vendor, which is asked for the outcome of a message. */
export const polledBy = (baseUrl: string, poll: Partial<HttpPoll> = {}): HttpDescription =>
  described(baseUrl, {
    poll: {
      request: { method: "GET", url: `${baseUrl}/status/{id}?key={api_key}` },
      statuses: [
        { when: { path: "state", equals: "going" }, status: "accepted" },
        { when: { path: "state", equals: "there" }, status: "delivered" },
        { when: { path: "state", equals: "lost" }, status: "failed" },
      ],
      ...poll,
    },
  })

/** Its answer to a message that it takes. */
export const taken = json({ result: "ok", data: { ids: [4711], parts: "2" } })

/** Hands one message over. */
export const send = (
  description: (baseUrl: string) => HttpDescription,
  message: Parameters<typeof sent>[2] = {},
) =>
  sent(
    (baseUrl) => HttpGateway.make({ description: description(baseUrl), secrets }),
    taken,
    message,
  )
