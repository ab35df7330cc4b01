/**
 * Bytes that no client sends: on every mount they get one refusal or none, hide no second request, and the server goes
 * on. The servers share an engine.
 */
import { Messages } from "@countersign/core/services/Messages"
import * as Node from "@countersign/node/Node"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, describe, it } from "vitest"
import { mounts } from "../support/mounts.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { seededEngine } from "./engines.ts"
import { answersIn, bytesOf, converse, headerOf, Wire } from "./wire.ts"

const { close, run } = temporaryScope()
afterAll(close)

const engine = await run(seededEngine(1))
const { key, organization } = await engine.run(TestEngine.open())
const authorization = `Bearer ${Redacted.value(key)}`
const inEngine = Effect.provideContext(engine.context)

const portOf = (url: string): number => Number(new URL(url).port)

const ports = Object.fromEntries(
  await Promise.all(
    Object.entries(mounts).map(
      async ([name, serve]) => [name, portOf(await run(inEngine(serve({}))))] as const,
    ),
  ),
)

const names = Object.keys(mounts)

const total = async (): Promise<number> => {
  const { total } = await engine.run(Effect.flatMap(Messages, (one) => one.list({ organization })))
  return total
}

const headers = (...more: ReadonlyArray<string>): string =>
  [
    "Host: fuzz.example",
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
    ...more,
    "",
    "",
  ].join("\r\n")

const body = JSON.stringify({ to: "8801712345670", message: "hello" })

/** A complete request that sends a message. */
const hidden = `POST /api/v2/messages HTTP/1.1\r\n${headers(`Content-Length: ${body.length}`)}${body}`

const post = "POST /api/v2/messages HTTP/1.1\r\n"

const hiddenSize = hidden.length.toString(16)

/** The bytes of one request, and the statuses that a server may answer with. None: it closes the connection. */
const refused: Readonly<Record<string, readonly [bytes: string, statuses: ReadonlyArray<number>]>> =
  {
    "Content-Length with Transfer-Encoding": [
      `${post}${headers("Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n${hidden}`,
      [400],
    ],
    "Transfer-Encoding with Content-Length": [
      `${post}${headers("Transfer-Encoding: chunked", `Content-Length: ${hidden.length + 5}`)}0\r\n\r\n${hidden}`,
      [400],
    ],
    "two values of Content-Length": [
      `${post}${headers("Content-Length: 2", "Content-Length: 3")}{}${hidden}`,
      [400],
    ],
    "two equal values of Content-Length": [
      `${post}${headers("Content-Length: 2", "Content-Length: 2")}{}${hidden}`,
      [400],
    ],
    "a list as Content-Length": [`${post}${headers("Content-Length: 2, 2")}{}${hidden}`, [400]],
    "a sign in Content-Length": [`${post}${headers("Content-Length: +2")}{}${hidden}`, [400]],
    "a negative Content-Length": [`${post}${headers("Content-Length: -1")}${hidden}`, [400]],
    "a hexadecimal Content-Length": [`${post}${headers("Content-Length: 0x2")}{}${hidden}`, [400]],
    "a Content-Length beyond 64 bits": [
      `${post}${headers("Content-Length: 18446744073709551618")}{}${hidden}`,
      [400],
    ],
    "another Transfer-Encoding": [
      `${post}${headers("Transfer-Encoding: xchunked")}0\r\n\r\n${hidden}`,
      [400],
    ],
    "chunked before another coding": [
      `${post}${headers("Transfer-Encoding: chunked, identity")}0\r\n\r\n${hidden}`,
      [400],
    ],
    "a space before the colon": [
      `${post}${headers("Transfer-Encoding : chunked")}0\r\n\r\n${hidden}`,
      [400],
    ],
    "a header over two lines": [
      `${post}${headers("Transfer-Encoding:\r\n chunked")}0\r\n\r\n${hidden}`,
      [400],
    ],
    "a wrong size of a chunk": [
      `${post}${headers("Transfer-Encoding: chunked")}0x2\r\n{}\r\n0\r\n\r\n${hidden}`,
      [400],
    ],
    "a size of a chunk beyond 64 bits": [
      `${post}${headers("Transfer-Encoding: chunked")}1ffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
      [400],
    ],
    "a chunk that is longer than its size": [
      `${post}${headers("Transfer-Encoding: chunked")}1\r\n{}\r\n0\r\n\r\n${hidden}`,
      [400],
    ],
    "lines that end with LF": [hidden.replaceAll("\r\n", "\n"), [400]],
    "a CR alone": [`${post}${headers("X: a\rTransfer-Encoding: chunked")}`, [400]],
    "NUL in a header": [`${post}${headers("X-A: a\0b")}`, [400]],
    "NUL in the target": [`GET /api/v2/balance\0 HTTP/1.1\r\n${headers()}`, [400]],
    "a space in the target": [`GET /api/v2/bal ance HTTP/1.1\r\n${headers()}`, [400]],
    "no Host": [`GET /api/v2/balance HTTP/1.1\r\nAuthorization: ${authorization}\r\n\r\n`, [400]],
    "a method in lower case": [`get /api/v2/balance HTTP/1.1\r\n${headers()}`, [400]],
    "a method that HTTP does not have": [`STEAL /api/v2/balance HTTP/1.1\r\n${headers()}`, [400]],
    "HTTP 0.9": ["GET /api/v2/balance\r\n\r\n", [400, 401]],
    "HTTP 9.9": [`GET /api/v2/balance HTTP/9.9\r\n${headers()}`, [400, 505]],
    "the preface of HTTP/2": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", [400]],
    "the begin of TLS": ["\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", [400]],
    "bytes that are no text": ["\xff\xfe\xfd\0\x01\x02", [400]],
    "headers beyond the limit": [
      `GET / HTTP/1.1\r\n${headers(`X-A: ${"a".repeat(20_000)}`)}`,
      [431],
    ],
    "a target beyond the limit": [`GET /${"a".repeat(20_000)} HTTP/1.1\r\n${headers()}`, [431]],
    "an unknown expectation": [
      `${post}${headers("Expect: a-miracle", "Connection: close", "Content-Length: 0")}`,
      [417],
    ],
    CONNECT: [`CONNECT evil.example:443 HTTP/1.1\r\n${headers()}`, []],
    "a truncated request line": ["POST /api/v2/mess", [400]],
    "truncated headers": [`${post}Host: a\r\nAuthoriz`, [400]],
    "a truncated body": [`${post}${headers("Content-Length: 1000")}${body}`, [400]],
    "a truncated chunk": [`${post}${headers("Transfer-Encoding: chunked")}1000\r\n${body}`, [400]],
    "a request as a body that is too short": [
      `${post}${headers("Transfer-Encoding: chunked")}${hiddenSize}\r\n${hidden.slice(9)}`,
      [400],
    ],
  }

describe.each(names)("on %s", (name) => {
  const port = ports[name] ?? 0

  it.each(Object.entries(refused))(
    "%s is refused, and nothing is sent",
    async (_, [bytes, allowed]) => {
      const before = await total()
      const answers = answersIn(await converse(port, [bytes], true))
      assert.isAtMost(answers.length, 1)
      for (const { status } of answers) assert.include(allowed, status)
      assert.strictEqual(await total(), before)
      const wire = new Wire(port)
      const request = { method: "GET", target: "/api/v2/balance" } as const
      const alive = bytesOf({
        ...request,
        headers: [
          ["host", "a"],
          ["authorization", authorization],
        ],
      })
      assert.strictEqual((await wire.send(alive, "GET")).status, 200)
      wire.close()
    },
  )

  it("pipelined requests get their answers in order", async () => {
    const get = (path: string, ...more: ReadonlyArray<string>) =>
      `GET /api/v2${path} HTTP/1.1\r\n${headers(...more)}`
    const before = await total()
    const bytes = [
      get("/balance"),
      hidden,
      get("/messages/none"),
      hidden,
      get("/nothing"),
      get("/balance", "Connection: close"),
    ]
    const answers = answersIn(await converse(port, bytes, true))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200, 404, 200, 404, 200],
    )
    assert.strictEqual(await total(), before + 2)
  })

  it("a body of 10 MB is refused", async () => {
    const large = 10 * 1024 * 1024
    const head = `${post}${headers(`Content-Length: ${large}`, "Connection: close")}`
    const before = await total()
    const received = await converse(port, [head, Buffer.alloc(large, 0x20)])
    const [answer] = answersIn(received)
    assert.isTrue(answer === undefined || answer.status === 413)
    assert.strictEqual(await total(), before)
  })
})

describe("a server of ours", () => {
  const millis = 60

  it("answers 408 to a client that is too slow", async () => {
    const server = {
      headersTimeout: millis,
      requestTimeout: millis,
      connectionsCheckingInterval: 20,
    }
    const built = await run(inEngine(Layer.build(Node.layerServer({ port: 0, server }))))
    const { port } = Context.get(built, Node.NodeServer)
    for (const bytes of [
      "",
      "POST /api/v2/mess",
      `${post}Host: a\r\n`,
      `${post}${headers("Content-Length: 1000")}{`,
      `${post}${headers("Transfer-Encoding: chunked")}5\r\n{`,
    ]) {
      const [answer] = answersIn(await converse(port, [bytes]))
      assert.strictEqual(answer?.status, 408, JSON.stringify(bytes))
      assert.strictEqual(answer && headerOf(answer, "countersign-error"), "bad_request")
    }
  })

  it("answers input that is not HTTP as every other invalid request", async () => {
    const built = await run(inEngine(Layer.build(Node.layerServer({ port: 0 }))))
    const { port } = Context.get(built, Node.NodeServer)
    const [answer] = answersIn(await converse(port, ["nonsense\r\n\r\n"], true))
    assert.deepStrictEqual(
      [answer?.status, answer?.body.toString()],
      [400, JSON.stringify({ error: "Bad Request" })],
    )
  })
})
