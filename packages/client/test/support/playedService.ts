/**
 * A server on loopback that plays the service, or a proxy in front of it.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { end, listen } from "../../../../test/support/loopback.ts"
import { type ClientOptions, createClient } from "../../src/index.ts"

/** A request as it arrived. */
export interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers a request; `nth` counts from 0. */
export type Play = (response: ServerResponse, nth: number) => void

export const apiKey = "csk_test_aaaaaaaaaaaa_secretsecretsecretsecret_cccccc"

/** Answers with JSON; with text as it is. */
export const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Play =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

/** The given answers in turn, the last of them from then on. */
export const inTurn =
  (...plays: ReadonlyArray<Play>): Play =>
  (response, nth) =>
    plays[Math.min(nth, plays.length - 1)]?.(response, nth)

/** Serves until it is disposed of. */
export const playedService = async (play: Play) => {
  const heard: Array<Heard> = []
  const server = createServer((request, response) => {
    const { headers, method, url } = request
    const chunks: Array<Uint8Array> = []
    request
      .on("data", (chunk: Uint8Array) => chunks.push(chunk))
      .on("end", () => {
        heard.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") })
        play(response, heard.length - 1)
      })
  })
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    heard,
    [Symbol.dispose]: () => end(server),
  }
}

/** A client of a played service, with the waits that it would have taken. */
export const clientOf = (
  { origin }: { readonly origin: string },
  options: Partial<ClientOptions> = {},
) => {
  const waits: Array<number> = []
  const client = createClient({
    baseUrl: `${origin}/api/v2`,
    apiKey,
    delay: (millis) => {
      waits.push(millis)
      return Promise.resolve()
    },
    ...options,
  })
  return { client, waits }
}
