/**
 * What an attacker could time: the comparisons of secrets, and refusals that have to be alike. Each is the engine's own
 * function or service, with inputs of two classes.
 */
import * as Decision from "@countersign/core/decide/Decision"
import type { CodeDigest } from "@countersign/core/decide/shared/Results"
import * as ApiKey from "@countersign/core/domain/access/ApiKey"
import * as Limits from "@countersign/core/domain/limits/Limits"
import { defaults } from "@countersign/core/domain/organizations/RecordOptions"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Access } from "@countersign/core/engine/Access"
import * as Codes from "@countersign/core/engine/Codes"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { signInWithPassword } from "@countersign/dashboard"
import * as Node from "@countersign/node/Node"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Timing from "@countersign/testing/Timing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomFillSync, randomInt } from "node:crypto"

export interface Subject {
  readonly title: string
  readonly measure: (samples: number) => Timing.Result | Promise<Timing.Result>
  /** A difference of the medians that is accepted: one look-up in a `Map` finds more than another. */
  readonly nanoseconds?: number
}

/** What a measurement of a subject has found. */
export const isConstant = ({ nanoseconds = 0 }: Subject, found: Timing.Result, limit: number) =>
  found.t < limit || Math.abs(found.nanoseconds) < nanoseconds

/** One `Map` entry more or less. Over a network, a difference of 5,000 ns is not seen. */
const ofMap = 500

const hashBytes = 32

/** A digest that differs from the right one in one bit of the first byte, or of the last. */
const differing =
  (right: Uint8Array) =>
  (slot: Uint8Array, kind: Timing.Kind): void => {
    slot.set(right)
    const place = kind === 0 ? 0 : right.length - 1
    slot[place] = (right[place] ?? 0) ^ (1 << randomInt(8))
  }

const right = randomFillSync(new Uint8Array(hashBytes))

/** A comparison that has to be found: it ends at the first byte that differs. */
export const control: Subject = {
  title: "a comparison with an early exit",
  measure: (samples) =>
    Timing.measure({
      samples,
      width: hashBytes,
      fill: differing(right),
      input: (slot) => slot,
      run: (given) => given.every((byte, index) => byte === right[index]),
    }),
}

/** A pending request with the digest of its code. */
const pending = (code: CodeDigest): Decision.View => ({
  account: Samples.account(),
  recipient: Samples.recipient(),
  verification: Samples.verification(code),
  message: undefined,
  payment: undefined,
  idempotencyKey: undefined,
  carrier: undefined,
  prefixStats: undefined,
  client: undefined,
  webhook: undefined,
  queued: undefined,
  queuedRows: [],
  batch: undefined,
  alerts: undefined,
  erased: undefined,
  optOuts: new Map(),
})

const codeDigest: Subject = {
  title: "the digest of a code: wrong in its first byte, or in its last",
  measure: (samples) => {
    const view = pending({ pepper: "k1", digest: right })
    return Timing.measure({
      samples,
      width: hashBytes,
      fill: differing(right),
      input: (digest) => Samples.checkCode({ candidates: [{ pepper: "k1", digest }] }),
      run: (command) => Decision.decide(view, command, Samples.now, defaults),
    })
  },
}

const owner = { organization: Samples.organizationId, requestId: Samples.requestId() }
const digits = 6
const zero = 0x30

const code: Subject = {
  title: "a code: wrong in its first digit, or in its last",
  measure: async (samples) => {
    const layer = Codes.layer.pipe(
      Layer.provide([CodeSecrets.layer(TestEngine.codeSecret), Node.layerCrypto]),
    )
    const codes = await Effect.runPromise(Effect.provide(Codes.Codes, layer))
    const candidatesOf = (text: string) =>
      Effect.runSync(codes.candidates(owner, Redacted.make(text)))
    const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
    return Timing.measure({
      samples,
      // The right code, and the given one.
      width: 2 * digits,
      fill: (slot, kind) => {
        for (let place = 0; place < digits; place++) slot[place] = zero + randomInt(10)
        slot.copyWithin(digits, 0, digits)
        const place = kind === 0 ? digits : 2 * digits - 1
        slot[place] = zero + (((slot[place] ?? 0) - zero + 1 + randomInt(9)) % 10)
      },
      input: (slot) => {
        const [stored = Samples.codeOf()] = candidatesOf(textOf(slot.subarray(0, digits)))
        return { view: pending(stored), given: textOf(slot.subarray(digits)) }
      },
      run: ({ given, view }) => {
        const candidates = candidatesOf(given)
        return Decision.decide(view, Samples.checkCode({ candidates }), Samples.now, defaults)
      },
    })
  },
}

const parts = { environment: "live", isIntact: true } as const

const keyHash: Subject = {
  title: "the hash of a key: wrong in its first byte, or in its last",
  measure: (samples) => {
    const stored = Samples.apiKey({ secretHash: right })
    return Timing.measure({
      samples,
      width: hashBytes,
      fill: differing(right),
      input: (hash) => hash,
      run: (hash) => ApiKey.matches(stored, parts, hash, Samples.now),
    })
  },
}

const knownOrNot: Subject = {
  title: "a key: a wrong hash under a known id, or no key with the id",
  nanoseconds: ofMap,
  measure: (samples) => {
    const rows = [Samples.apiKey({ secretHash: right }), undefined]
    return Timing.measure({
      samples,
      width: 1 + hashBytes,
      fill: (slot, kind) => {
        randomFillSync(slot)
        slot[0] = kind
      },
      input: (slot) => ({ stored: rows[slot[0] ?? 0], hash: slot.subarray(1) }),
      run: ({ hash, stored }) => ApiKey.matches(stored, parts, hash, Samples.now),
    })
  },
}

/** Two lists of texts of one length. A sample gets a new copy of one of them. */
export const texts = (...lists: readonly [ReadonlyArray<string>, ReadonlyArray<string>]) => {
  const pools = lists.map((list) => list.map((text) => Buffer.from(text)))
  const lengths = new Set(pools.flat().map(({ length }) => length))
  const [width = 0] = lengths
  if (lengths.size !== 1 || lists[0].length !== lists[1].length)
    throw new Error("The classes differ in more than their texts")
  return {
    width,
    fill: (slot: Uint8Array, kind: Timing.Kind): void => {
      const text = pools[kind]?.[randomInt(lists[0].length)]
      if (text !== undefined) slot.set(text)
    },
    input: (slot: Uint8Array): string => String.fromCharCode(...slot),
  }
}

const poolSize = 64

const times = <A>(make: () => A): ReadonlyArray<A> => Array.from({ length: poolSize }, make)

/** The engine in memory, with two organizations. */
const engineOf = Effect.gen(function* () {
  const own = yield* TestEngine.open({ balance: Samples.money("1000") })
  const other = yield* TestEngine.open({ id: "other", balance: Samples.money("1000") })
  return { own: own.organization, other: other.organization }
})

const layerEngine = Layer.fresh(TestEngine.layer()).pipe(
  Layer.provide(
    Layer.succeed(Limits.Limits, { ...Limits.defaults, checksPerOrganization: undefined }),
  ),
)

/** Measures with the services of a new engine. */
const withEngine =
  (use: (samples: number) => Effect.Effect<Timing.Result, unknown, TestEngine.TestEngine>) =>
  (samples: number) =>
    Effect.runPromise(Effect.provide(use(samples), layerEngine))

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const randomLetters = (length: number): string =>
  Array.from({ length }, () => letters.charAt(randomInt(letters.length))).join("")

/** The text of a key with this id and a random secret. */
export const keyWith = (id: string = randomLetters(16)): string => {
  const bytes = Uint8Array.from(`${id}${randomLetters(43)}`, (letter) => letters.indexOf(letter))
  return ApiKey.encode("live", bytes)?.text ?? ""
}

/** Whether the keys were used on the node, so that it has their organization in memory. */
const wrongSecrets = (title: string, areUsed: boolean): Subject => ({
  title,
  nanoseconds: ofMap,
  measure: withEngine((samples) =>
    Effect.gen(function* () {
      const { own: organization } = yield* engineOf
      const keys = yield* ApiKeys
      const access = yield* Access
      const made = yield* Effect.all(times(() => keys.create({ organization, name: "key" })))
      if (areUsed) yield* Effect.forEach(made, ({ key }) => access.authenticate(key))
      return Timing.measure({
        samples,
        ...texts(
          made.map(({ id }) => keyWith(id)),
          times(() => keyWith()),
        ),
        run: (key) => Effect.runSyncExit(access.authenticate(key)),
      })
    }),
  ),
})

const revoked: Subject = {
  title: "a sign-in by key: a revoked key, or an unknown id",
  nanoseconds: ofMap,
  measure: withEngine((samples) =>
    Effect.gen(function* () {
      const { own: organization } = yield* engineOf
      const keys = yield* ApiKeys
      const access = yield* Access
      const made = yield* Effect.all(times(() => keys.create({ organization, name: "key" })))
      yield* Effect.forEach(made, ({ id }) => keys.revoke({ organization, id }))
      return Timing.measure({
        samples,
        ...texts(
          made.map(({ key }) => Redacted.value(key)),
          times(() => keyWith()),
        ),
        run: (key) => Effect.runSyncExit(access.authenticate(key)),
      })
    }),
  ),
}

/** Calls for requests of another organization, and for requests that do not exist. */
const foreign = (
  title: string,
  call: (
    verifications: Verifications["Service"],
    organization: OrganizationId,
    requestId: string,
  ) => Effect.Effect<unknown, unknown>,
): Subject => ({
  title,
  measure: withEngine((samples) =>
    Effect.gen(function* () {
      const { other, own } = yield* engineOf
      const verifications = yield* Verifications
      const sent = yield* Effect.forEach(
        times(() => 0)
          .keys()
          .toArray(),
        (index) =>
          verifications.send({ organization: other, phoneNumber: Samples.phoneNumber(index) }),
      )
      const absent = yield* Effect.all(times(() => verifications.newRequestId))
      return Timing.measure({
        samples,
        ...texts(
          sent.map(({ requestId }) => requestId),
          absent,
        ),
        run: (requestId) => Effect.runSyncExit(call(verifications, own, requestId)),
      })
    }),
  ),
})

const password = "the password of operators"

const signIn: Subject = {
  title: "a password: wrong in its first letter, or in its last",
  measure: (samples) => {
    let now = 0
    const authorize = signInWithPassword({
      password,
      // A minute passes between two tries, so that none is limited.
      now: () => (now += 60_000),
    })
    const sessions = {
      begin: () => Promise.reject(new Error("No password is right")),
      find: async () => undefined,
      end: async () => undefined,
    }
    const right = Buffer.from(password)
    return Timing.measureAsync({
      samples,
      width: right.length,
      fill: (slot, kind) => {
        slot.set(right)
        slot[kind === 0 ? 0 : right.length - 1] = letters.charCodeAt(randomInt(10))
      },
      input: (slot) =>
        new Request("http://host/admin/", {
          method: "POST",
          body: new URLSearchParams({ password: String.fromCharCode(...slot) }),
        }),
      run: (request) => authorize(request, undefined, { clientAddress: undefined, sessions }),
    })
  },
}

const wrongCode = Redacted.make("000000")

/** All of them but the control. */
export const subjects: ReadonlyArray<Subject> = [
  code,
  codeDigest,
  keyHash,
  knownOrNot,
  wrongSecrets("a sign-in by key: a wrong secret, or an unknown id", false),
  wrongSecrets(
    "a sign-in by key, after the keys were used: a wrong secret, or an unknown id",
    true,
  ),
  revoked,
  foreign("the state of a request: a foreign one, or none", (_, organization, requestId) =>
    _.status({ organization, requestId }),
  ),
  foreign("a check: of a foreign request, or of none", (_, organization, requestId) =>
    _.check({ organization, requestId, code: wrongCode }),
  ),
  signIn,
]
