/**
 * The interface over an engine in memory, called without any server.
 */
import type { Organization } from "@countersign/core/domain/organizations/Organization"
import { Organizations } from "@countersign/core/services/Organizations"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import { HttpServerRequest, fromWeb } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Http from "../../src/tenant/TenantHttp.ts"
import type * as WebHandler from "../../src/mount/WebHandler.ts"

export interface Call {
  readonly method?: string | undefined
  /** Sent as JSON when it is no text already. */
  readonly body?: unknown
  /** Over the ones that every call has; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Of the socket. */
  readonly peer?: string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const requestOf = (path: string, key: string, { body, headers = {}, method }: Call): Request => {
  const all = { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers }
  const sent = Object.entries(all).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return new Request(`http://countersign.test${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: sent,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
}

const parsed = (text: string): unknown => (text === "" ? undefined : JSON.parse(text))

/** Sends one request to a handler, as a server would. */
export const send = Effect.fnUntraced(function* (
  handler: WebHandler.Handler,
  path: string,
  key: string,
  call: Call = {},
) {
  const request = fromWeb(requestOf(path, key, call)).modify({
    remoteAddress: Option.fromUndefinedOr(call.peer ?? "203.0.113.7"),
  })
  const response = yield* handler.pipe(
    Effect.provideService(HttpServerRequest, request),
    Effect.scoped,
  )
  const web = HttpServerResponse.toWeb(response, { withoutBody: request.method === "HEAD" })
  const text = yield* Effect.promise(() => web.text())
  const answer: Answer = {
    status: web.status,
    headers: Object.fromEntries(web.headers),
    body: parsed(text),
  }
  return answer
})

/** An organization with money, senders and a key, and a way to call on its behalf. */
export const open = Effect.fnUntraced(function* (
  options: Http.Options & TestEngine.OpenOptions & { readonly settings?: Settings } = {},
) {
  const handler = yield* Http.make(options)
  const opened = yield* TestEngine.open(options)
  if (options.settings !== undefined) {
    const organizations = yield* Organizations
    yield* Effect.orDie(organizations.update({ id: opened.organization, ...options.settings }))
  }
  const key = Redacted.value(opened.key)
  return {
    ...opened,
    handler,
    call: (path: string, call?: Call) => send(handler, `/api/v2${path}`, key, call),
  }
})

export type Settings = Partial<Organization["settings"]>

export const number = "+8801712345678"
export const digits = "8801712345678"
