/**
 * The HTTP interface under fuzzing: every mount over an engine of its own.
 */
import * as Money from "@countersign/core/domain/values/Money"
import type { Store } from "@countersign/core/ports/Store"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as HttpContract from "@countersign/testing/HttpContract"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { Checks, type Dialect } from "./checks.ts"
import { layerTime, openOther, phoneNumbers, seededEngine, type SeededEngine } from "./engines.ts"
import type { Fuzzed, FuzzedMount, Step, World } from "./histories.ts"
import { dates, type Named } from "./jsonArbitraries.ts"
import { isObject, readDocument } from "./openApi.ts"
import { type Interface, requestsTo } from "./requestArbitraries.ts"
import { mounts } from "../support/mounts.ts"
import { at } from "../support/Quickstart.ts"
import { headerOf, Wire } from "./wire.ts"

const ids = (pool: string) =>
  fc.oneof(
    { arbitrary: fc.nat({ max: 4 }).map((index) => `«${pool}:${index}»`), weight: 8 },
    { arbitrary: fc.constantFrom(`«foreign-${pool}»`, "vrf_none"), weight: 1 },
  )

const bangla = (digits: string): string =>
  digits.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x09e6 + Number(digit)))

const phoneNumber = fc.oneof(
  { arbitrary: fc.constantFrom(...phoneNumbers), weight: 8 },
  { arbitrary: fc.constantFrom(bangla(phoneNumbers[0]), "+14155552671"), weight: 1 },
)

const named: Named = {
  to: fc
    .record({ isBare: fc.boolean(), phoneNumber })
    .map(({ isBare, phoneNumber }) => (isBare ? phoneNumber.slice(1) : phoneNumber)),
  // A query's.
  "?to": dates,
  phone_number: phoneNumber,
  brand_id: fc.constantFrom("line", "profile"),
  request_id: ids("verify"),
  id: ids("messages"),
  code: fc.oneof(
    fc.nat({ max: 4 }).map((index) => `«code:${index}»`),
    fc.constantFrom("000000", "123 456", "12-34-56", "x"),
  ),
  client: fc.constantFrom("203.0.113.7", "device-1", "c"),
  purpose: fc.constantFrom("login", "pay"),
  audience: fc.constantFrom("https://shop.example"),
  metadata: fc.dictionary(fc.constantFrom("a", "__proto__", "ঢ"), fc.jsonValue({ maxDepth: 1 }), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  payment: fc.record({
    amount: fc.constantFrom("BDT 500", "৳ ৫০০"),
    payee: fc.constantFrom("Rahim Store", "ঢাকা"),
  }),
}

const dialect: Dialect = {
  codeOf: (answer) => headerOf(answer, "countersign-error"),
  // Some numbers are those of messages that the gateway does not take.
  explained: new Set(["500 sending_failed"]),
  commonMethods: (documented) => [...(documented.includes("GET") ? ["HEAD"] : []), "OPTIONS"],
  dependent: new Set(["brand_id", "from", "metadata", "request_id", "channel"]),
  shared: new Set(),
  // `request_id` decides; the document has no way to say that `phone_number` is not read beside it.
  isLenient: ({ id }, body) => id === "verifications.check" && at(body, "request_id") !== undefined,
  isPublic: ({ id }) => id === "proofs.keys",
}

/** A tracer that keeps nothing. With it, requests have spans. */
const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })

type Serve = HttpContract.Serve<unknown>

const variants: Readonly<Record<string, Serve>> = {
  // First: the others are compared with it.
  node: mounts.node,
  "node with a tracer": (options) =>
    Effect.provideService(mounts.node(options), Tracer.Tracer, tracer),
  express: mounts.express,
  listener: mounts.listener,
  fastify: mounts.fastify,
  hono: mounts.hono,
  http: mounts.http,
}

const tenantMounts = Object.keys(variants)

export interface FuzzOptions {
  /** @defaultValue all */
  readonly names?: ReadonlyArray<string> | undefined
  /** @defaultValue the memory store */
  readonly store?: Layer.Layer<Store> | undefined
  /** Whether all histories share an organization that can send nothing, so that nothing is stored. */
  readonly isPoor?: boolean | undefined
}

const base = "/api/v2"

const portOf = (url: string): number => Number(new URL(url).port)

interface Made extends FuzzedMount {
  readonly engine: SeededEngine
}

const makeMount = Effect.fnUntraced(function* (
  name: string,
  seed: number,
  store: FuzzOptions["store"],
) {
  const engine = yield* seededEngine(seed, store)
  const serve = variants[name] ?? mounts.node
  const url = yield* Effect.provideContext(Effect.orDie(serve({})), engine.context)
  const wire = yield* Effect.acquireRelease(
    Effect.sync(() => new Wire(portOf(url))),
    (wire) => Effect.sync(() => wire.close()),
  )
  return { name, wire, engine } satisfies Made
})

/** Opens an organization on every engine, which all make the same ids and keys. */
const openOn = (engines: ReadonlyArray<SeededEngine>, id: string, balance: string) =>
  Promise.all(
    engines.map(({ run }) =>
      run(
        Effect.gen(function* () {
          const { key, organization } = yield* TestEngine.open({ id, balance: Money.make(balance) })
          const keys = yield* ApiKeys
          const other = yield* Effect.orDie(keys.create({ organization, name: "dead" }))
          yield* Effect.orDie(keys.revoke({ organization, id: other.id }))
          return { key: Redacted.value(key), dead: Redacted.value(other.key) }
        }),
      ),
    ),
  )

/** Serves the interface until the scope ends. */
export const tenantFuzz = Effect.fnUntraced(function* (
  seed: number,
  { isPoor = false, names = tenantMounts, store }: FuzzOptions = {},
): Effect.fn.Return<Fuzzed, never, Scope.Scope | HttpContract.Time> {
  const time = yield* HttpContract.Time
  const [first, ...others] = yield* Effect.forEach(names, (name) => makeMount(name, seed, store))
  if (first === undefined) return yield* Effect.die(new Error("no mount"))
  const made = [first, ...others] as const
  const engines = made.map(({ engine }) => engine)
  const [foreign] = yield* Effect.promise(() =>
    Promise.all(engines.map(({ run }) => run(openOther))),
  )
  const document: unknown = yield* Effect.promise(async () =>
    (await fetch(`${first.wire.origin}${base}/openapi.json`)).json(),
  )
  if (!isObject(document)) return yield* Effect.die(new Error("no document"))
  const api: Interface = {
    base,
    described: readDocument(document),
    named,
    authorizations: [
      "Bearer «key»",
      "bearer   «key» ",
      "Bearer «key»x",
      "Bearer «dead»",
      "Bearer «foreign-key»",
      "Basic «key»",
      "Bearer",
      "Bearer «key» «key»",
      "Bearer \u00e9",
      "",
      undefined,
    ],
    weights: {
      "verifications.send": 4,
      "verifications.check": 3,
      "verifications.status": 2,
      "messages.send": 2,
    },
    without: {},
  }
  let organizations = 0
  const open = async (): Promise<World> => {
    organizations += 1
    const [opened] = await openOn(engines, `org-${organizations}`, isPoor ? "0" : "100")
    const { dead = "", key = "" } = { ...opened }
    return {
      texts: new Map([
        ["key", key],
        ["dead", dead],
        ["foreign-key", foreign?.key ?? ""],
        ["foreign-verify", foreign?.requestId ?? ""],
        ["foreign-messages", foreign?.messageId ?? ""],
      ]),
      accessOf: (authorization) => {
        const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
        if (sent === foreign?.key) return "some"
        return sent === key ? "all" : "none"
      },
      isOwn: () => true,
      codeFor: first.engine.codeFor,
    }
  }
  const poor = isPoor ? yield* Effect.promise(open) : undefined
  const waits: fc.Arbitrary<Step> = fc
    .constantFrom(1, 1_000, 31_000, 61_000, 301_000, 86_400_000)
    .map((millis) => ({ tag: "wait", millis }))
  return {
    checks: new Checks(api, dialect),
    mounts: made,
    begin: poor === undefined ? open : async () => poor,
    wait: time.advance,
    removes: {},
    ends: { "verifications.cancel": ["verifications.resend", "verifications.consume"] },
    steps: fc.oneof(
      { arbitrary: requestsTo(api), weight: 12 },
      { arbitrary: waits, weight: isPoor ? 0 : 1 },
    ),
  }
}, Effect.provide(layerTime))
