/**
 * Requests to the operations of an OpenAPI document: most are valid, the others have one mistake or more. Texts in
 * `«»` stand for what only a running history knows, such as the id of a request.
 */
import * as fc from "fast-check"
import { bodiesFor, type Body, type Named, validFor } from "./jsonArbitraries.ts"
import type { Described, Operation, Parameter } from "./openApi.ts"
import type { Header, WireRequest } from "./wire.ts"

export interface Interface {
  /** Path before those of the document. */
  readonly base: string
  readonly described: Described
  /** Values of members and parameters, by name. */
  readonly named: Named
  /** Values of the header `Authorization`; `undefined`: no such header. The first one is valid. */
  readonly authorizations: readonly [string, ...ReadonlyArray<string | undefined>]
  /** How often an operation is called, by its id. @defaultValue 1 */
  readonly weights: Readonly<Record<string, number>>
  /** Operations that a history leaves out, and why. */
  readonly without: Readonly<Record<string, string>>
}

export interface RequestStep {
  readonly tag: "request"
  readonly operation: string
  readonly request: WireRequest
  /** Whether every part of it is as the document says. */
  readonly isValid: boolean
}

interface Part {
  readonly text: string
  readonly isValid: boolean
}

/** A value that is usually the first. */
const mostly = <A>(usual: A, others: ReadonlyArray<A>, share: number): fc.Arbitrary<A> =>
  fc.oneof(
    { arbitrary: fc.constant(usual), weight: share },
    { arbitrary: fc.constantFrom(...others), weight: 1 },
  )

/** Ids that no resource has, as segments of a path. */
const strangeIds = [
  "vrf_none",
  "%76rf_1",
  "..%2f..",
  "%2e%2e",
  "..",
  ".",
  "%00",
  "%0d%0aX:%201",
  "%zz",
  "%",
  "%c0%ae",
  "%ed%a0%80",
  "%E0%A6%A7",
  "%EF%BB%BF",
  "a;b=c",
  "a,b",
  "*",
  "-1",
  "0",
  "007",
  "1e3",
  "999999999999999999999",
  "__proto__",
  "constructor",
  "null",
  "undefined",
  "a@b:c",
  "a".repeat(300),
  "x".repeat(6_000),
  "%f0%9f%99%82".repeat(50),
]

const queryTexts = [
  "",
  "0",
  "-1",
  "1.5",
  "1e3",
  "+1",
  "%00",
  "%zz",
  "১২",
  "999999999999999999999",
  "null",
  "[]",
  "2026-02-30",
  "2026-01-01T00:00:00",
  "-271821-04-20",
  "+275760-09-13",
  "%ff",
  "a%26b",
  "x".repeat(3_000),
].map((text) => (/^[\u0020-\u007e]*$/.test(text) ? text : encodeURIComponent(text)))

/** Escapes a value, but not what stands for another text. */
const encoded = (value: unknown): string =>
  encodeURIComponent(String(value).toWellFormed()).replaceAll(/%C2%AB.*?%C2%BB/g, (text) =>
    decodeURIComponent(text),
  )

/** The value of a parameter in a path: an id that an earlier answer has named, of the kind before the parameter. */
const segmentFor = ({ named }: Interface, name: string, pool: string): fc.Arbitrary<Part> =>
  fc.oneof(
    {
      arbitrary: (named[name] ?? fc.nat({ max: 4 }).map((index) => `«${pool}:${index}»`)).map(
        (value) => ({ text: encoded(value), isValid: true }),
      ),
      weight: 8,
    },
    {
      arbitrary: fc.constantFrom(...strangeIds).map((text) => ({ text, isValid: false })),
      weight: 1,
    },
  )

const listOfItems = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : value === null ? [] : [value]

/** A parameter of a query, with an ampersand before it. A list is a parameter for each item. */
const parameterFor = (
  { described, named }: Interface,
  { isRequired, name, schema }: Parameter,
): fc.Arbitrary<Part> => {
  const valid = (named[`?${name}`] ?? named[name] ?? validFor(described, schema, named)).map(
    (value) => ({
      text: listOfItems(value)
        .map((item) => `&${name}=${encoded(item)}`)
        .join(""),
      isValid: true,
    }),
  )
  const strange = fc
    .constantFrom(...queryTexts)
    .map((text) => ({ text: `&${name}=${text}`, isValid: false }))
  const twice = valid.map(({ text }) => ({ text: `${text}${text}`, isValid: false }))
  const none = fc.constant({ text: "", isValid: !isRequired })
  return fc.oneof(
    { arbitrary: valid, weight: 12 },
    { arbitrary: none, weight: isRequired ? 1 : 12 },
    { arbitrary: strange, weight: 2 },
    { arbitrary: twice, weight: 1 },
  )
}

/** The query of a target, with its question mark. */
const queryFor = (api: Interface, { parameters }: Operation): fc.Arbitrary<Part> => {
  const own = parameters.filter(({ in: place }) => place === "query")
  return fc
    .tuple(
      fc.tuple(...own.map((parameter) => parameterFor(api, parameter))),
      mostly("", ["&other=1", "&=&&", "&a=%"], 6),
    )
    .map(([parts, other]) => {
      const text = `${parts.map((part) => part.text).join("")}${other}`
      return {
        text: text === "" ? "" : `?${text.slice(1)}`,
        isValid: other === "" && parts.every(({ isValid }) => isValid),
      }
    })
}

/** Changes of a target below the base path. */
const twists: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path) => `/${path}`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `/%76${path.slice(2)}`,
  (path) => `${path};x=1`,
  (path) => `${path}#part`,
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `${path}/..`,
  (path) => `${path}\\x`,
  (path) => `${path}%2f`,
  (path) => `${path}?${"a=1&".repeat(500)}`,
  () => "",
  () => "/",
  () => "/nothing",
  () => "/openapi.json",
]

const targetFor = (api: Interface, operation: Operation): fc.Arbitrary<Part> => {
  const places = [...operation.path.matchAll(/([^/]+)\/\{(\w+)\}/g)]
  const names = places.map(([, , name = ""]) => name)
  const values = places.map(([, pool = "", name = ""]) => segmentFor(api, name, pool))
  return fc
    .record({
      values: fc.tuple(...values),
      query: queryFor(api, operation),
      twist: fc.nat({ max: 15 * twists.length }),
    })
    .map(({ query, twist, values: given }) => {
      const path = names.reduce(
        (text, name, index) => text.replace(`{${name}}`, () => given[index]?.text ?? ""),
        operation.path,
      )
      const twisted = twists[twist]?.(path)
      return {
        text: `${api.base}${twisted ?? path}${query.text}`,
        isValid: twisted === undefined && query.isValid && given.every(({ isValid }) => isValid),
      }
    })
}

const contentTypes: ReadonlyArray<string | undefined> = [
  "application/json; charset=utf-8",
  "Application/JSON",
  "application/json;charset=latin1",
  "application/json;",
  "application/jsonp",
  "application/vnd.api+json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "\u00e9",
  ",",
  "",
  undefined,
]

const keys = [
  "a",
  "b",
  "c",
  "k".repeat(255),
  "k".repeat(256),
  "",
  " ",
  "\u00e9",
  "a b",
  "a,b",
  "__proto__",
]

const validKeys: ReadonlySet<string | undefined> = new Set([undefined, ...keys.slice(0, 4)])

/** Bodies of operations that take none. */
const strayBodies: ReadonlyArray<Body> = [
  { bytes: Buffer.from("{}"), isValid: false },
  { bytes: Buffer.from("x"), isValid: false },
]

const extraHeaders: ReadonlyArray<Header> = [
  ["accept", "text/html"],
  ["accept", "\u00ff"],
  ["accept-encoding", "gzip, br"],
  ["content-encoding", "identity"],
  ["content-encoding", "gzip"],
  ["content-encoding", "\u00e9"],
  ["cookie", "a=1; a=2; =; __proto__=1"],
  ["origin", "https://evil.example"],
  ["origin", "null"],
  ["sec-fetch-site", "same-origin"],
  ["sec-fetch-site", "cross-site"],
  ["x-forwarded-for", "203.0.113.7, ::1, not an address"],
  ["x-forwarded-host", "evil.example"],
  ["x-http-method-override", "DELETE"],
  ["x-original-url", "/"],
  ["forwarded", "for=_x;host=evil"],
  ["if-none-match", "*"],
  ["range", "bytes=0-1"],
  ["te", "trailers"],
  ["last-event-id", "-1"],
  ["__proto__", "1"],
  ["constructor", "1"],
  ["x-long", "x".repeat(3_000)],
]

const usualHost = "fuzz.example"

/** Values of `Host`; not all of them are hosts. */
const hosts = [
  "fuzz.example:99999",
  "user:word@fuzz.example",
  "user@",
  "",
  "[::1",
  "[::1]:80",
  "a b",
  "a/b",
  "a,b",
  "\u00e9",
  "xn--a",
  "0x7f.1",
]

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]

/** Requests to one operation. */
export const requestFor = (api: Interface, operation: Operation): fc.Arbitrary<RequestStep> => {
  const [authorization, ...authorizations] = api.authorizations
  const isKeyed = operation.parameters.some(({ name }) => name === "Idempotency-Key")
  return fc
    .record({
      method: mostly(operation.method, methods, 20),
      target: targetFor(api, operation),
      host: mostly(usualHost, hosts, 25),
      authorization: mostly<string | undefined>(authorization, authorizations, 12),
      type: mostly<string | undefined>("application/json", contentTypes, 15),
      key: mostly<string | undefined>(undefined, isKeyed ? keys : [undefined], 3),
      extra: mostly<ReadonlyArray<Header>>(
        [],
        extraHeaders.map((header) => [header]),
        10,
      ),
      body:
        operation.body === undefined
          ? mostly<Body | undefined>(undefined, strayBodies, 20)
          : fc.option(bodiesFor(api.described, operation.body, api.named), {
              freq: 30,
              nil: undefined,
            }),
      framing: fc.constantFrom("length", "length", "length", "chunked"),
    })
    .map(({ body, extra, framing, method, target, type, ...given }) => {
      const sent = method === "HEAD" || method === "TRACE" ? undefined : body
      const headers: ReadonlyArray<readonly [string, string | undefined]> = [
        ["host", given.host],
        ["authorization", given.authorization],
        ["content-type", sent === undefined ? undefined : type],
        ["idempotency-key", given.key],
        ...extra,
      ]
      return {
        tag: "request",
        operation: operation.id,
        request: {
          method,
          target: target.text,
          headers: headers.flatMap(([name, value]) =>
            value === undefined ? [] : [[name, value] as const],
          ),
          ...(sent === undefined ? {} : { body: sent.bytes, framing }),
        },
        isValid:
          method === operation.method &&
          target.isValid &&
          given.host === usualHost &&
          given.authorization === authorization &&
          type === "application/json" &&
          validKeys.has(given.key) &&
          extra.length === 0 &&
          (sent === undefined ? operation.body?.isRequired !== true : sent.isValid),
      } as const
    })
}

/** Requests to all operations. */
export const requestsTo = (api: Interface): fc.Arbitrary<RequestStep> =>
  fc.oneof(
    ...api.described.operations
      .filter(({ id }) => !(id in api.without))
      .map((operation) => ({
        arbitrary: requestFor(api, operation),
        weight: api.weights[operation.id] ?? 1,
      })),
  )
