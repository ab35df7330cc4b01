/**
 * HTTP/1.1 as bytes: requests that no client would send, and answers as they were received.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export type Header = readonly [name: string, value: string]

export interface WireRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<Header>
  readonly body?: Uint8Array | undefined
  /** How the end of a body is marked. */
  readonly framing?: "length" | "chunked" | undefined
}

export interface WireAnswer {
  readonly status: number
  /** Names in lower case, in the order of the answer. */
  readonly headers: ReadonlyArray<Header>
  readonly body: Buffer
}

export const headerOf = ({ headers }: WireAnswer, name: string): string | undefined =>
  headers.find(([own]) => own === name)?.[1]

const head = (line: string, headers: ReadonlyArray<Header>): Buffer =>
  Buffer.from(
    `${line}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
    "latin1",
  )

const chunksOf = (body: Uint8Array): Buffer => {
  const middle = Math.ceil(body.length / 2)
  const parts = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0)
  return Buffer.concat([
    ...parts.flatMap((part) => [
      Buffer.from(`${part.length.toString(16)}\r\n`),
      part,
      Buffer.from("\r\n"),
    ]),
    Buffer.from("0\r\n\r\n"),
  ])
}

/** The bytes of a request. Its own headers take the place of those that belong to the body. */
export const bytesOf = ({ body, framing = "length", headers, method, target }: WireRequest) => {
  const line = `${method} ${target} HTTP/1.1`
  if (body === undefined) return head(line, headers)
  return framing === "chunked"
    ? Buffer.concat([head(line, [...headers, ["transfer-encoding", "chunked"]]), chunksOf(body)])
    : Buffer.concat([head(line, [...headers, ["content-length", String(body.length)]]), body])
}

/** Whether a target has only the characters that a request line allows. Servers answer another with 400. */
export const isReadable = ({ target }: WireRequest): boolean => /^[!-~]*$/.test(target)

/** `$'…'` of bash, which holds any bytes but NUL. */
const quoted = (text: string): string =>
  /^[\w./:{}",@?=&+ -]*$/.test(text)
    ? `'${text}'`
    : `$'${text.replaceAll(/[^\w./:{}",@?=&+ -]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`)}'`

/** A command that sends the request again. */
export const curlOf = (
  { body, framing, headers, method, target }: WireRequest,
  origin: string,
): string =>
  [
    `curl -i --path-as-is -X ${quoted(method)} --request-target ${quoted(target)} ${origin}/`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(framing === "chunked" ? ["-H 'transfer-encoding: chunked'"] : []),
    ...(body === undefined
      ? []
      : [`--data-binary ${quoted(Buffer.from(body).toString("latin1"))}`]),
  ].join(" \\\n    ")

/** The body of an answer and where it ends; `undefined` if it is not there yet. */
type Found = { readonly body: Buffer; readonly end: number } | undefined

const readChunks = (buffer: Buffer, start: number): Found => {
  const parts: Array<Buffer> = []
  for (let at = start; ;) {
    const line = buffer.indexOf("\r\n", at)
    if (line < 0) return undefined
    const size = Number.parseInt(buffer.toString("latin1", at, line), 16)
    const end = line + 2 + size
    if (buffer.length < end + 2) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end: end + 2 }
    parts.push(buffer.subarray(line + 2, end))
    at = end + 2
  }
}

const readBody = (
  buffer: Buffer,
  start: number,
  { headers, status }: Omit<WireAnswer, "body">,
  method: string,
  isClosed: boolean,
): Found => {
  if (method === "HEAD" || status === 204 || status === 304) {
    return { body: Buffer.alloc(0), end: start }
  }
  const all = new Map(headers)
  if (all.get("transfer-encoding") === "chunked") return readChunks(buffer, start)
  const length = all.get("content-length")
  if (length === undefined) {
    return isClosed ? { body: buffer.subarray(start), end: buffer.length } : undefined
  }
  const end = start + Number(length)
  return buffer.length < end ? undefined : { body: buffer.subarray(start, end), end }
}

/** Reads an answer from the beginning of what was received; `undefined` if it is not there yet. */
export const readAnswer = (
  buffer: Buffer,
  method: string,
  isClosed = false,
): { readonly answer: WireAnswer; readonly rest: Buffer } | undefined => {
  const end = buffer.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [line = "", ...lines] = buffer.toString("latin1", 0, end).split("\r\n")
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1])
  const headers = lines.map((text): Header => {
    const colon = text.indexOf(":")
    return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()]
  })
  // 100: the server is ready for the body.
  if (status < 200) return readAnswer(buffer.subarray(end + 4), method, isClosed)
  const found = readBody(buffer, end + 4, { status, headers }, method, isClosed)
  return (
    found && { answer: { status, headers, body: found.body }, rest: buffer.subarray(found.end) }
  )
}

/** The connection ended before the answer. */
export class Closed extends Error {
  readonly received: Buffer
  constructor(received: Buffer) {
    super(`The connection ended after ${received.length} bytes`)
    this.received = received
  }
}

/** A server may close the connection of a larger request after its answer, without saying so. */
const maxKept = 60_000

/** Sends requests one after another to a port of loopback, on one connection while the server keeps it. */
export class Wire {
  readonly #port: number
  #socket: Socket | undefined
  /** Connections that were opened. */
  opened = 0

  constructor(port: number) {
    this.#port = port
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async #connected(): Promise<Socket> {
    if (this.#socket?.writable === true) return this.#socket
    this.#socket?.destroy()
    const socket = connect(this.#port, "127.0.0.1")
    this.#socket = socket
    this.opened += 1
    await once(socket, "connect")
    socket.setNoDelay(true)
    // Each exchange has its own listener.
    socket.on("error", () => {})
    return socket
  }

  /** Sends bytes and reads one answer. Rejects with `Closed` if the server closes the connection instead. */
  async send(bytes: Uint8Array, method: string): Promise<WireAnswer> {
    const socket = await this.#connected()
    const answer = await new Promise<WireAnswer>((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0)
      const end = (settle: () => void): void => {
        socket.off("data", onData).off("close", onClose)
        settle()
      }
      const onData = (chunk: Buffer): void => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const found = readAnswer(received, method)
        if (found === undefined) return
        end(() =>
          found.rest.length === 0
            ? resolve(found.answer)
            : reject(new Error(`More than one answer: ${found.rest.toString("latin1")}`)),
        )
      }
      const onClose = (): void =>
        end(() => {
          const found = readAnswer(received, method, true)
          if (found === undefined) reject(new Closed(received))
          else resolve(found.answer)
        })
      socket.on("data", onData).on("close", onClose)
      socket.write(bytes)
    })
    if (headerOf(answer, "connection") === "close" || bytes.length > maxKept) this.close()
    return answer
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }
}

/** Sends parts, ends its side if told so, and gives everything that the server sends until it closes the connection. */
export const converse = (
  port: number,
  parts: ReadonlyArray<Uint8Array | string>,
  isEnded = false,
): Promise<Buffer> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const received: Array<Buffer> = []
    socket
      .on("data", (chunk: Buffer) => void received.push(chunk))
      // A server that refuses a request may reset the connection.
      .on("error", () => {})
      .on("close", () => resolve(Buffer.concat(received)))
    for (const part of parts) {
      socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part)
    }
    if (isEnded) socket.end()
  })

/** All answers in what a server has sent. */
export const answersIn = (received: Buffer, method = "GET"): ReadonlyArray<WireAnswer> => {
  const found = readAnswer(received, method, true)
  return found === undefined ? [] : [found.answer, ...answersIn(found.rest, method)]
}
