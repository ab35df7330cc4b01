/**
 * The admin API under fuzzing: every mount over an engine of its own.
 */
import * as Admin from "@countersign/http/admin/Admin"
import type { AdminOptions, Principal } from "@countersign/http/admin/AdminOptions"
import * as Mount from "@countersign/node/Mount"
import type * as HttpContract from "@countersign/testing/HttpContract"
import { Time } from "@countersign/testing/HttpContract"
import * as TestEngine from "@countersign/testing/TestEngine"
import { getRequestListener } from "@hono/node-server"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { createServer } from "node:http"
import { mounts } from "../support/adminMounts.ts"
import * as Loopback from "../support/loopback.ts"
import { at } from "../support/Quickstart.ts"
import { Checks, type Dialect, jsonOf } from "./checks.ts"
import { layerTime, phoneNumbers, seededEngine, type SeededEngine } from "./engines.ts"
import type { Fuzzed, FuzzedMount, Step, World } from "./histories.ts"
import type { Named } from "./jsonArbitraries.ts"
import { isObject, readDocument } from "./openApi.ts"
import { type Interface, requestsTo } from "./requestArbitraries.ts"
import type { FuzzOptions } from "./tenantFuzz.ts"
import { Wire } from "./wire.ts"

const idOf = (pool: string) => fc.nat({ max: 4 }).map((index) => `«${pool}:${index}»`)

const named: Named = {
  organization: fc.oneof(
    { arbitrary: fc.constant("«organization»"), weight: 12 },
    { arbitrary: fc.constantFrom("elsewhere", "none"), weight: 1 },
  ),
  phoneNumber: fc.constantFrom(...phoneNumbers),
  code: idOf("code"),
  amount: fc.constantFrom("5", "0.50", "-1", "1000000000"),
  currency: fc.constantFrom("BDT"),
  url: fc.constantFrom("https://hooks.example/1", "https://hooks.example/2?a=b"),
  note: fc.constantFrom("invoice 7"),
  reason: fc.constantFrom("the owner called"),
  limit: fc.integer({ min: 1, max: 100 }),
  position: fc.integer({ min: 1, max: 9 }),
  event: fc.integer({ min: 1, max: 9 }),
  zone: fc.constantFrom("Asia/Dhaka", "UTC"),
  query: fc.constantFrom("+8801712000001", "Acme"),
  search: fc.constantFrom("org", "Acme"),
  // Cursors are what the page before has named. No parameter has the value `null`.
  "?cursor": fc.constant(null),
  "?after": fc.constant(null),
  "?before": fc.constant(null),
}

const principals: Readonly<Record<string, Principal>> = {
  operator: { actor: { id: "olga" }, roles: ["operator"], session: { id: "1", login: "ops" } },
  reader: { actor: { id: "rita" }, roles: ["viewer"] },
}

/** `operator`, `reader`, or `tenant` and the id of an organization. */
const authorize: AdminOptions["authorize"] = ({ headers }) => {
  const text = headers.get("authorization") ?? ""
  const organization = /^tenant (\S+)$/.exec(text)?.[1]
  return organization === undefined
    ? principals[text]
    : { actor: { id: "tariq" }, roles: ["tenant"], organizations: [organization] }
}

const dialect: Dialect = {
  codeOf: ({ body, status }) => {
    // An export of one line is JSON as well.
    const code = status < 400 ? undefined : at(jsonOf(body), "code")
    return typeof code === "string" ? code : undefined
  },
  explained: new Set(["502 sending_failed"]),
  commonMethods: (documented) => (documented.includes("GET") ? ["HEAD"] : []),
  // The document does not say what a cursor looks like, and which values depend on others.
  dependent: new Set([
    "cursor",
    "after",
    "before",
    "from",
    "to",
    "gateway",
    "paymentId",
    "position",
    "sender",
  ]),
  shared: new Set(["organizations"]),
  isLenient: () => false,
  isPublic: () => false,
}

const served: typeof mounts = {
  ...mounts,
  fetch: ({ handle }) =>
    getRequestListener((request, { incoming }) =>
      handle(request, { clientAddress: incoming.socket.remoteAddress }),
    ),
}

/** The parsers of Express answer what they cannot read; `test/mounts/Admin.test.ts` has requests that they read. */
const adminMounts = Object.keys(served)
  .filter((name) => !name.startsWith("express behind"))
  // The others are compared with the first.
  .toSorted((one, other) => Number(other === "node") - Number(one === "node"))

const base = "/dashboard/api"

interface Made extends FuzzedMount {
  readonly engine: SeededEngine
}

const makeMount = Effect.fnUntraced(function* (
  name: string,
  seed: number,
  store: FuzzOptions["store"],
) {
  const engine = yield* seededEngine(seed, store)
  const mounted = yield* Admin.make({ authorize, basePath: "/dashboard" }).pipe(
    Effect.flatMap((handler) => Mount.make(handler)),
    Effect.provideContext(engine.context),
  )
  const mount = served[name]
  if (mount === undefined) return yield* Effect.die(new Error(`no mount ${name}`))
  const listener = yield* Effect.promise(async () =>
    mount({ ...mounted, dispose: async () => undefined }),
  )
  const port = yield* Loopback.listening(createServer(listener))
  const wire = yield* Effect.acquireRelease(
    Effect.sync(() => new Wire(port)),
    (wire) => Effect.sync(() => wire.close()),
  )
  return { name, wire, engine } satisfies Made
})

/** Serves the admin API until the scope ends. */
export const adminFuzz = Effect.fnUntraced(function* (
  seed: number,
  { names = adminMounts, store }: Omit<FuzzOptions, "isPoor"> = {},
): Effect.fn.Return<Fuzzed, never, Scope.Scope | HttpContract.Time> {
  const time = yield* Time
  const [first, ...others] = yield* Effect.forEach(names, (name) => makeMount(name, seed, store))
  if (first === undefined) return yield* Effect.die(new Error("no mount"))
  const made = [first, ...others] as const
  const engines = made.map(({ engine }) => engine)
  const openOn = (id: string) => Promise.all(engines.map(({ run }) => run(TestEngine.open({ id }))))
  yield* Effect.promise(() => openOn("elsewhere"))
  const document: unknown = yield* Effect.promise(async () => {
    const url = `${first.wire.origin}${base}/openapi.json`
    return (await fetch(url, { headers: { authorization: "operator" } })).json()
  })
  if (!isObject(document)) return yield* Effect.die(new Error("no document"))
  const api: Interface = {
    base,
    described: readDocument(document),
    named,
    authorizations: [
      "operator",
      "reader",
      "tenant «organization»",
      "tenant elsewhere",
      "Operator",
      "\u00e9",
      undefined,
    ],
    // A stream does not end; `test/fuzz/RawSockets.test.ts` cuts it.
    weights: {
      "verifications.send": 3,
      "webhooks.create": 2,
      "messages.send": 2,
      "webhooks.update": 2,
    },
    without: {
      "events.stream": "A stream of events does not end.",
      "session.end": "No login has begun a session, and its 404 is that of a path.",
    },
  }
  let organizations = 0
  const begin = async (): Promise<World> => {
    const organization = `org-${(organizations += 1)}`
    await openOn(organization)
    return {
      texts: new Map([["organization", organization]]),
      accessOf: (authorization) => {
        if (authorization === "operator") return "all"
        return /^(?:reader$|tenant \S+$)/.test(authorization ?? "") ? "some" : "none"
      },
      isOwn: (target) => target.startsWith(`${base}/organizations/${organization}/`),
      codeFor: first.engine.codeFor,
    }
  }
  const waits: fc.Arbitrary<Step> = fc
    .constantFrom(1_000, 31_000, 61_000, 86_400_000)
    .map((millis) => ({ tag: "wait", millis }))
  return {
    checks: new Checks(api, dialect),
    mounts: made,
    begin,
    wait: time.advance,
    removes: { "privacy.erase": ["verifications", "messages"] },
    ends: { "webhooks.remove": "all" },
    steps: fc.oneof({ arbitrary: requestsTo(api), weight: 20 }, { arbitrary: waits, weight: 1 }),
  }
}, Effect.provide(layerTime))
