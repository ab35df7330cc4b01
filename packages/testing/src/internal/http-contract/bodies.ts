/**
 * Invalid requests: unknown paths, methods and bodies.
 */
import { assert } from "@effect/vitest"
import {
  type Answer,
  type ContractTest,
  faults,
  member,
  type Organization,
  type Overrides,
  proves,
  refuses,
  textAt,
} from "./support.ts"

/** The endpoints that take a body, with their validation status. */
const endpoints = [
  { path: "/messages", status: 422 },
  { path: "/verify", status: 400 },
  { path: "/verify/check", status: 400 },
] as const

/** Sends the same request to every endpoint with a body. */
const toEach = (
  organization: Organization,
  body: BodyInit,
  overrides?: Overrides,
): Promise<ReadonlyArray<readonly [Answer, 400 | 422]>> =>
  Promise.all(
    endpoints.map(
      async ({ path, status }) =>
        [await organization.request("POST", path, body, overrides), status] as const,
    ),
  )

const maxBytes = 65_536

/** A message with a body of exactly this many bytes. */
const bodyOf = (bytes: number, to: string): string => {
  const empty = JSON.stringify({ to, message: "Hello", padding: "" })
  return JSON.stringify({ to, message: "Hello", padding: "x".repeat(bytes - empty.length) })
}

/** A chunked body without a declared length. */
const chunked = (text: string): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += 10_000) {
        controller.enqueue(bytes.slice(at, at + 10_000))
      }
      controller.close()
    },
  })
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

export const bodies: ReadonlyArray<ContractTest> = [
  proves(
    "requests: unreadable body",
    "what is not JSON, or no object, is a validation error that names no field",
    async (_, organization) => {
      for (const body of ["", "{", "null", "[]", '"text"', "[".repeat(60_000)]) {
        for (const [answer, status] of await toEach(organization, body)) {
          faults(answer, status)
          assert.match(textAt(answer.body, "error"), /body/i)
        }
      }
      const notUtf8 = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
      for (const [answer, status] of await toEach(organization, notUtf8)) faults(answer, status)
    },
  ),
  proves("requests: unknown members", "however deep they go", async (contract, organization) => {
    const to = contract.number()
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`
    const body = `{"to": "${to}", "message": "Hello", "deep": ${deep}, "__proto__": {"to": 1}}`
    assert.strictEqual((await organization.request("POST", "/messages", body)).status, 200)
  }),
  proves(
    "requests: 415",
    "a body that is not declared to be JSON is refused",
    async (contract, organization) => {
      const bytes = new TextEncoder().encode(bodyOf(200, contract.number()))
      const form = "application/x-www-form-urlencoded"
      for (const type of [null, "text/plain", "application/jsonp", form]) {
        const headers = { "content-type": type }
        for (const [answer] of await toEach(organization, bytes, { headers })) refuses(answer, 415)
      }
      assert.deepStrictEqual(await organization.log(), [])
    },
  ),
  proves(
    "requests: 415",
    "parameters and letter case of the type do not matter",
    async (contract, organization) => {
      for (const type of [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
      ]) {
        const headers = { "content-type": type }
        const answer = await organization.send(contract.number(), {}, { headers })
        assert.strictEqual(answer.status, 200, type)
      }
    },
  ),
  proves(
    "requests: 413",
    "a body of 64 KiB is read, one byte more is not, whether its length is declared or not",
    async (contract, organization) => {
      const send = (body: BodyInit) => organization.request("POST", "/messages", body)
      const fits = bodyOf(maxBytes, contract.number())
      assert.strictEqual((await send(fits)).status, 200)
      assert.strictEqual((await send(chunked(fits))).status, 200)
      for (const bytes of [maxBytes + 1, 4 * maxBytes]) {
        const large = bodyOf(bytes, contract.number())
        for (const [answer] of await toEach(organization, large)) refuses(answer, 413)
        refuses(await send(chunked(large)), 413)
      }
    },
  ),
  proves(["requests: 404", "docs: no-store"], "an unknown path", async (_, organization) => {
    for (const path of [
      "",
      "/nothing",
      "/messages/",
      "/verify/",
      "/verify/vrf_1/other",
      "/verify/vrf_1/resend/more",
    ]) {
      for (const method of methods) {
        const body = method === "GET" ? undefined : "{}"
        refuses(await organization.request(method, path, body), 404, {}, "not_found")
      }
    }
  }),
  proves(
    ["requests: 405", "docs: no-store"],
    "a wrong method, with the right ones in Allow",
    async (_, organization) => {
      for (const [path, allow] of [
        ["/messages", "GET, POST, HEAD, OPTIONS"],
        ["/messages/1", "GET, HEAD, OPTIONS"],
        ["/balance", "GET, HEAD, OPTIONS"],
        ["/verify", "POST, OPTIONS"],
        ["/verify/check", "POST, OPTIONS"],
        ["/verify/vrf_1", "GET, HEAD, OPTIONS"],
        ["/verify/vrf_1/resend", "POST, OPTIONS"],
        ["/verify/vrf_1/cancel", "POST, OPTIONS"],
        ["/verify/vrf_1/consume", "POST, OPTIONS"],
      ] as const) {
        for (const method of methods.filter((one) => !allow.includes(one))) {
          const body = method === "GET" ? undefined : "{}"
          const answer = await organization.request(method, path, body)
          refuses(answer, 405)
          assert.strictEqual(answer.headers.get("allow"), allow, `${method} ${path}`)
        }
      }
    },
  ),
  proves(
    ["requests: unknown members", "2.6 envelope"],
    "members that are not part of the interface are ignored",
    async (contract, organization) => {
      const number = contract.number()
      const more = { brand: 1, Channel: "pigeon", nested: { deep: [null] }, "": "" }
      assert.strictEqual((await organization.send(number, more)).status, 200)
      const sent = await organization.verify(number, { ...more, to: 5, message: null })
      const requestId = member(sent.body, "data", "request_id")
      const body = { ...more, request_id: requestId, code: await contract.codeOf(number) }
      const checked = await organization.post("/verify/check", body)
      assert.strictEqual(checked.status, 200, checked.text)
      assert.strictEqual((await organization.list({ colour: "red" })).status, 200)
    },
  ),
]
