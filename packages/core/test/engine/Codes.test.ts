import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as Samples from "@countersign/testing/Samples"
import { afterEach, assert, describe, vi } from "@effect/vitest"
import * as CryptoError from "effect/crypto/CryptoError"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Codes from "../../src/engine/Codes.ts"
import { OrganizationId, WebhookId } from "../../src/domain/values/Ids.ts"
import * as CodeSecrets from "../../src/engine/CodeSecrets.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const secretOf = (name: string): Redacted.Redacted =>
  Redacted.make(`the secret of ${name}, which is long enough`)

const idOf = (secret: Redacted.Redacted): Effect.Effect<string> =>
  Effect.map(CodeSecrets.CodeSecrets, ({ current }) => current.id).pipe(
    Effect.provide(CodeSecrets.layer(secret)),
  )

const codes = (current: Redacted.Redacted, ...retiring: ReadonlyArray<Redacted.Redacted>) =>
  Codes.layer.pipe(Layer.provide([CodeSecrets.layer(current, ...retiring), TestCrypto.layer(42)]))

const drawingFrom = (random: Layer.Layer<SecureRandom.SecureRandom>) =>
  Codes.layer.pipe(
    Layer.provide([
      CodeSecrets.layer(secretOf("k1")),
      Layer.provideMerge(Layer.merge(TestCrypto.layerAead, TestCrypto.layerMac), random),
    ]),
  )

const owner: Codes.CodeOwner = {
  organization: Samples.organizationId,
  requestId: Samples.requestId(1),
}
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

const digestWith = (config: Redacted.Redacted, of: Codes.CodeOwner, code: string) =>
  Effect.provide(
    Codes.Codes.use(({ digest }) => digest(of, Redacted.make(code))),
    codes(config),
  )

const draw = (length: number, count: number) =>
  Codes.Codes.use(({ generate }) =>
    Effect.map(Effect.replicateEffect(generate(length), count), (drawn) =>
      drawn.map(Redacted.value),
    ),
  )

afterEach(() => vi.restoreAllMocks())

describe("Codes.generate", () => {
  effectTest("draws from the first code to the last, and none outside", function* () {
    // The greatest draw that is not rejected, and the least.
    const greatest = Math.floor(2 ** 53 / 10_000) * 10_000 - 1
    const bytesOf = (value: number) => (size: number) => {
      const bytes = new Uint8Array(8)
      new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
      return bytes.slice(8 - size)
    }
    const drawn = yield* Effect.forEach([0, greatest], (value) =>
      Effect.provide(
        draw(4, 1),
        drawingFrom(Layer.succeed(SecureRandom.SecureRandom, SecureRandom.make(bytesOf(value)))),
      ),
    )
    assert.deepStrictEqual(drawn.flat(), ["0000", "9999"])
  })

  testOn(drawingFrom(SecureRandom.layerWebCrypto))(
    "uses the cryptographic generator only",
    function* () {
      vi.spyOn(Math, "random").mockImplementation(() => {
        throw new Error("Math.random is not for codes")
      })
      const used = vi.spyOn(crypto, "getRandomValues")
      const code = yield* Codes.Codes.use(({ generate }) => generate(6))
      assert.match(Redacted.value(code), /^\d{6}$/)
      assert.isAbove(used.mock.calls.length, 0)
    },
  )

  testOn(codes(secretOf("k1")))("hides the code from printing", function* () {
    const code = yield* Codes.Codes.use(({ generate }) => generate(6))
    for (const text of [String(code), JSON.stringify({ code })]) {
      assert.notInclude(text, Redacted.value(code))
    }
  })
})

describe("Codes.digest", () => {
  effectTest(
    "is the same for the same code and request, and does not contain the code",
    function* () {
      const one = yield* digestWith(secretOf("k1"), owner, "012345")
      const two = yield* digestWith(secretOf("k1"), owner, "012345")
      assert.deepStrictEqual(one, two)
      assert.deepStrictEqual([one.pepper, one.digest.length], [yield* idOf(secretOf("k1")), 32])
      assert.notInclude(hex(one.digest), hex(new TextEncoder().encode("012345")))
    },
  )

  effectTest("depends on the organization, the request and the secret", function* () {
    const mine = yield* digestWith(secretOf("k1"), owner, "012345")
    const others = yield* Effect.all([
      digestWith(secretOf("k1"), { ...owner, organization: OrganizationId("other") }, "012345"),
      digestWith(secretOf("k1"), { ...owner, requestId: Samples.requestId(2) }, "012345"),
      digestWith(secretOf("k2"), owner, "012345"),
      digestWith(secretOf("k1"), owner, "012346"),
      digestWith(secretOf("k1"), owner, "12345"),
      digestWith(secretOf("k1"), owner, "012345\n"),
      digestWith(secretOf("k1"), owner, "০১২৩৪৫"),
    ])
    const all = [mine, ...others].map(({ digest }) => hex(digest))
    assert.strictEqual(new Set(all).size, all.length)
  })

  effectTest("hides the code from the error if the cryptography fails", function* () {
    const failing = Layer.mock(Mac.Mac, {
      sign: (_key, data) =>
        Effect.fail(
          new CryptoError.CryptoError({
            module: "Mac",
            method: "sign",
            reason: new CryptoError.InvalidArgument({
              description: new TextDecoder().decode(data),
            }),
          }),
        ),
    })
    const layer = Codes.layer.pipe(
      Layer.provide([CodeSecrets.layer(secretOf("k1")), failing]),
      Layer.provide(TestCrypto.layer()),
    )
    const exit = yield* Effect.exit(
      Effect.provide(
        Codes.Codes.use(({ digest }) => digest(owner, Redacted.make("987654"))),
        layer,
      ),
    )
    assert.strictEqual(exit._tag, "Failure")
    assert.notInclude(JSON.stringify(exit) + String(exit), "987654")
  })
})

describe("Codes.candidates", () => {
  effectTest(
    "has one digest for each secret, so that codes stay valid across a rotation",
    function* () {
      const old = yield* digestWith(secretOf("k1"), owner, "012345")
      const candidates = yield* Codes.Codes.use(({ candidates }) =>
        candidates(owner, Redacted.make("012345")),
      ).pipe(Effect.provide(codes(secretOf("k2"), secretOf("k1"))))
      assert.deepStrictEqual(
        candidates.map(({ pepper }) => pepper),
        [yield* idOf(secretOf("k2")), yield* idOf(secretOf("k1"))],
      )
      assert.deepStrictEqual(candidates[1], old)
      const fresh = yield* digestWith(secretOf("k2"), owner, "012345")
      assert.deepStrictEqual(candidates[0], fresh)
    },
  )
})

describe("Codes.seal", () => {
  const text = "012345 and more"
  const sealWith = (config: Redacted.Redacted) =>
    Effect.provide(
      Codes.Codes.use(({ seal }) => seal(owner, text)),
      codes(config),
    )
  const openWith = (config: Redacted.Redacted, of: Codes.CodeOwner, sealed: Uint8Array) =>
    Effect.provide(
      Effect.flatMap(idOf(secretOf("k1")), (id) =>
        Codes.Codes.use(({ open }) => open(of, id, sealed)),
      ),
      codes(config),
    )

  effectTest("gives back the text to its owner only, under its secret", function* () {
    const sealed = yield* sealWith(secretOf("k1"))
    const opened = yield* openWith(secretOf("k1"), owner, sealed)
    assert.strictEqual(opened && Redacted.value(opened), text)
    const ofAnother = { ...owner, requestId: Samples.requestId(2) }
    assert.isUndefined(yield* openWith(secretOf("k1"), ofAnother, sealed))
    const otherSecret = Redacted.make("another secret of 32 characters!")
    assert.isUndefined(yield* openWith(otherSecret, owner, sealed))
    assert.isUndefined(yield* openWith(secretOf("k2"), owner, sealed))
  })

  testOn(codes(secretOf("k1")))(
    "gives back the secret of a webhook to that webhook only",
    function* () {
      const { organization } = owner
      const webhook = { organization, webhookId: WebhookId(Samples.requestId()) }
      const { open, seal } = yield* Codes.Codes
      const sealed = yield* seal(webhook, text)
      const id = yield* idOf(secretOf("k1"))
      const opened = yield* open(webhook, id, sealed)
      assert.strictEqual(opened && Redacted.value(opened), text)
      for (const another of [
        owner,
        { ...webhook, webhookId: WebhookId("another") },
        { ...webhook, organization: Samples.otherOrganizationId },
      ]) {
        assert.isUndefined(yield* open(another, id, sealed))
      }
      assert.isUndefined(yield* open(webhook, id, yield* seal(owner, text)))
    },
  )

  effectTest("refuses every changed byte", function* () {
    const sealed = yield* sealWith(secretOf("k1"))
    for (const [index, byte] of sealed.entries()) {
      const changed = sealed.with(index, byte ^ 1)
      assert.isUndefined(yield* openWith(secretOf("k1"), owner, changed))
    }
    assert.isUndefined(yield* openWith(secretOf("k1"), owner, new Uint8Array(5)))
  })

  effectTest("hides the text, and seals it differently each time", function* () {
    const [one, other] = yield* Effect.provide(
      Codes.Codes.use(({ seal }) => Effect.all([seal(owner, text), seal(owner, text)])),
      codes(secretOf("k1")),
    )
    assert.notStrictEqual(hex(one), hex(other))
    assert.notInclude(Buffer.from(one).toString("latin1"), "012345")
  })
})

describe("Codes.client", () => {
  const digests = (client: string, ...codeSecrets: readonly [string, ...ReadonlyArray<string>]) => {
    const [current, ...retiring] = codeSecrets
    return (organization = Samples.organizationId) =>
      Effect.provide(
        Codes.Codes.use((_) => _.client(organization, client)),
        codes(secretOf(current), ...retiring.map(secretOf)),
      )
  }

  effectTest("gives a digest under each secret, the current one first", function* () {
    const [old] = yield* digests("203.0.113.7", "k1")()
    const rotated = yield* digests("203.0.113.7", "k2", "k1")()
    assert.lengthOf(rotated, 2)
    assert.strictEqual(rotated[1], old)
    assert.match(old, /^[\w-]{43}$/)
  })

  effectTest("depends on the client, the organization and the secret", function* () {
    const all = yield* Effect.all([
      digests("203.0.113.7", "k1")(),
      digests("203.0.113.70", "k1")(),
      digests("203.0.113.7", "k1")(OrganizationId("other")),
      digests("203.0.113.7", "k2")(),
    ])
    assert.strictEqual(new Set(all.flat()).size, 4)
  })
})
