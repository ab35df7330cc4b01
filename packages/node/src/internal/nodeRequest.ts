import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import type { IncomingMessage, ServerResponse } from "node:http"

type Changes = Parameters<HttpServerRequest.HttpServerRequest["modify"]>[0]

/** The absolute form of a target, which proxies send: `GET http://host/path`. */
const absoluteTarget = (target: string): URL | null =>
  /^https?:\/\//i.test(target) ? URL.parse(target) : null

/** HTTP/2 has the host in a pseudo-header; its other pseudo-headers are parts of the request line. */
const headersOf = (source: IncomingMessage): Headers.Headers => {
  if (source.httpVersionMajor < 2) {
    const host = absoluteTarget(source.url ?? "")?.host
    return Headers.fromInput(host === undefined ? source.headers : { ...source.headers, host })
  }
  const named = Object.entries(source.headers).filter(([name]) => !name.startsWith(":"))
  const host = source.headers[":authority"] ?? source.headers.host
  return Headers.fromInput({ ...Object.fromEntries(named), host })
}

const urlOf = ({ url = "/" }: IncomingMessage): string => {
  const target = absoluteTarget(url)
  return target === null ? url : `${target.pathname}${target.search}`
}

/** Returns the body as a stream whose end leaves the connection open. */
const bodyOf = (source: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = source.iterator({ destroyOnReturn: false })
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await chunks.return?.()
    },
  })
}

/** The DOM's type lacks `duplex`. */
interface StreamingInit extends RequestInit {
  readonly duplex: "half"
}

/**
 * A request of `node:http`, or of the compatible interface of `node:http2`. The members that every request
 * needs are read from Node's object. The others read the body through a web `Request`, which is created on
 * first use.
 */
export class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: typeof HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId =
    HttpIncomingMessage.TypeId
  readonly source: IncomingMessage
  readonly response: ServerResponse
  readonly url: string
  readonly #changes: Changes
  #headers: Headers.Headers | undefined
  #web: HttpServerRequest.HttpServerRequest | undefined

  constructor(source: IncomingMessage, response: ServerResponse, changes: Changes = {}) {
    super()
    this.source = source
    this.response = response
    this.#changes = changes
    this.url = changes.url ?? urlOf(source)
    this.#headers = changes.headers
  }

  get method(): string {
    return (this.source.method ?? "GET").toUpperCase()
  }

  get headers(): Headers.Headers {
    return (this.#headers ??= headersOf(this.source))
  }

  get remoteAddress(): Option.Option<string> {
    return this.#changes.remoteAddress ?? Option.fromNullishOr(this.source.socket.remoteAddress)
  }

  get peerAddress(): Option.Option<string> {
    return this.#changes.peerAddress ?? this.remoteAddress
  }

  get protocol(): "http" | "https" | undefined {
    return this.#changes.protocol
  }

  get originalUrl(): string {
    const { url = "/" } = this.source
    const { host } = this.headers
    if (!url.startsWith("/") || host === undefined) return url
    return `${"encrypted" in this.source.socket ? "https" : "http"}://${host}${url}`
  }

  modify(changes: Changes): NodeRequest {
    return new NodeRequest(this.source, this.response, {
      url: this.url,
      headers: this.headers,
      ...this.#changes,
      ...changes,
    })
  }

  /** Reads the body in every form that Effect supports. */
  get #body(): HttpServerRequest.HttpServerRequest {
    if (this.#web !== undefined) return this.#web
    const init: StreamingInit = { method: "POST", body: bodyOf(this.source), duplex: "half" }
    const request = HttpServerRequest.fromWeb(new Request("http://localhost", init))
    return (this.#web = request.modify({ headers: this.headers }))
  }

  get arrayBuffer() {
    return this.#body.arrayBuffer
  }

  get stream() {
    return this.#body.stream
  }

  get text() {
    return this.#body.text
  }

  get json() {
    return this.#body.json
  }

  get urlParamsBody() {
    return this.#body.urlParamsBody
  }

  get multipart() {
    return this.#body.multipart
  }

  get multipartStream() {
    return this.#body.multipartStream
  }

  get cookies() {
    return this.#body.cookies
  }

  get upgrade() {
    return this.#body.upgrade
  }

  upgradeWith(): HttpServerRequest.HttpServerRequest["upgrade"] {
    return this.upgrade
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "HttpServerRequest",
      method: this.method,
      url: UrlParams.redactUrl(this.originalUrl),
    })
  }
}
