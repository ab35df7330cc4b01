/**
 * What frameworks do before a mount sees a request, and headers that they add to an answer. Everything else is the same
 * on every mount. `test/fuzz/HostDifferences.test.ts` shows each of them.
 */
import type { Header, WireAnswer, WireRequest } from "./wire.ts"

export interface HostDifference {
  readonly title: string
  /** Whether the others may take the request, so that their state may change. */
  readonly isTaken?: boolean
  /** Mounts whose names begin with one of these words. */
  readonly mounts: ReadonlyArray<string>
  readonly applies: (request: WireRequest) => boolean
}

/** Frameworks that pass on web requests. */
const web = ["hono", "http", "fetch"]

/** Whether a URL parser leaves the target as it is. */
export const isNormal = ({ target }: WireRequest): boolean => {
  const url = URL.parse(target, "http://fuzz.example")
  return url !== null && `${url.pathname}${url.search}` === target
}

/** Whether the header `Host` names a host and nothing else. */
const hasHost = ({ headers }: WireRequest): boolean => {
  const host = headers.find(([name]) => name.toLowerCase() === "host")?.[1] ?? ""
  return (
    /^[a-z0-9.-]+(?::\d+)?$|^\[[0-9a-f:]+\](?::\d+)?$/i.test(host) && URL.canParse(`http://${host}`)
  )
}

const isDecodable = ({ target }: WireRequest): boolean => {
  try {
    decodeURI(target.split(/[?#]/, 1)[0] ?? "")
    return true
  } catch {
    return false
  }
}

export const hostDifferences: ReadonlyArray<HostDifference> = [
  {
    title: "A URL parser removes dot segments and fragments, and escapes characters.",
    mounts: web,
    applies: (request) => !isNormal(request),
  },
  {
    title: "A web Request has no method TRACE.",
    mounts: ["http"],
    applies: ({ method }) => method === "TRACE",
  },
  {
    title: "A web Request has a URL, so the header Host has to name a host.",
    mounts: web,
    isTaken: true,
    applies: (request) => !hasHost(request),
  },
  {
    title: "Web headers join repeated headers, of which Node keeps the first.",
    mounts: ["hono", "fetch"],
    isTaken: true,
    applies: ({ headers }) =>
      ["authorization", "content-type"].some(
        (name) => headers.filter(([own]) => own.toLowerCase() === name).length > 1,
      ),
  },
  {
    title: "Fastify refuses a path with a wrong escape.",
    mounts: ["fastify"],
    applies: (request) => !isDecodable(request),
  },
  {
    title: "Fastify has routes for the methods of its list only.",
    mounts: ["fastify"],
    applies: ({ method }) => method === "PROPFIND",
  },
]

/** Why a mount may answer differently; `undefined`: it may not. */
export const differenceOf = (mount: string, request: WireRequest): HostDifference | undefined =>
  hostDifferences.find(
    ({ applies, mounts }) => mounts.some((word) => mount.startsWith(word)) && applies(request),
  )

/** Headers of the connection and of the framework. */
export const hostHeaders: ReadonlySet<string> = new Set([
  "connection",
  "date",
  "keep-alive",
  // Express.
  "x-powered-by",
])

/** How the end of a body is marked. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"])

export const ownHeaders = ({ headers }: WireAnswer): ReadonlyArray<Header> =>
  headers
    .filter(([name]) => !hostHeaders.has(name) && !framing.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))

/** What has to be the same on every mount. */
export const textOf = (answer: WireAnswer): string =>
  [
    answer.status,
    ...ownHeaders(answer).map(([name, value]) => `${name}: ${value}`),
    "",
    answer.body.toString("latin1"),
  ].join("\n")
