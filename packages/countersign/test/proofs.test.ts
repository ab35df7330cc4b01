import { Proofs } from "@countersign/core/ports/Proofs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { generateKeyPairSync } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { temporaryFolder } from "../../../test/support/temporaryFolder.ts"
import { run } from "../../../test/tools/run.ts"
import * as Countersign from "../src/index.ts"
import { layer } from "../src/internal/options/proofs.ts"
import * as Verifying from "../src/proofs.ts"
import { secret } from "./support/host.ts"
import { inEnvironment, strongSecret } from "./support/production.ts"
import { failure, untyped } from "./support/values.ts"

const home = temporaryFolder("countersign-proofs-")

const newKey = (): string =>
  String(generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }))

/** The key of RFC 8037, appendix A.1. */
const published = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}

const noDatabase = "postgres://127.0.0.1:1/none"

const refusal = async (
  environment: string | undefined,
  options: Countersign.CountersignOptions,
): Promise<Countersign.CountersignError> =>
  inEnvironment(environment, () =>
    failure(
      Countersign.createCountersign({
        secret: strongSecret,
        gateways: { sms: Countersign.developmentGateway() },
        log: () => {},
        ...options,
      }),
    ),
  )

const signerOf = (options: Countersign.CountersignOptions) =>
  Effect.runPromise(
    Effect.scoped(Layer.build(layer(options))).pipe(
      Effect.map((context) => Context.get(context, Proofs)),
    ),
  )

describe("the option proofs", () => {
  it("gives the engine a signer with all public keys", async () => {
    const signer = await signerOf({ verifications: { proofs: { keys: [newKey(), published] } } })
    assert.lengthOf(signer?.jwks.keys ?? [], 2)
    assert.notInclude(inspect(signer, { depth: null }), published.d)
  })

  it("gives none by default", async () => {
    assert.isUndefined(await signerOf({}))
  })

  it.each([
    ["verifications.proofs: there is no key", {}],
    ["verifications.proofs.keys must be a list", { keys: newKey() }],
    [
      "verifications.proofs: key 2 is not an Ed25519 private key, in PEM (PKCS #8) or as a JWK",
      { keys: [newKey(), "hunter2"] },
    ],
    ["verifications.proofs.audience must be a text", { keys: [published], audience: 5 }],
    [
      "verifications.proofs.lifetimeMillis is not an option; did you mean lifetime?",
      { keys: [published], lifetimeMillis: 60 },
    ],
  ])("is rejected before a folder is created, without quoting a key: %s", async (said, proofs) => {
    const folder = join(home, "untouched")
    const error = await refusal("test", {
      database: { folder },
      secret: undefined,
      verifications: { proofs: untyped(proofs) },
    })
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.strictEqual(error.message, said)
    assert.notMatch(inspect(error, { depth: null }), /hunter2|nWGxne|PRIVATE KEY/)
    assert.isFalse(existsSync(folder))
  })
})

describe("a published key of proofs", () => {
  it.each([
    ["production", noDatabase, true],
    ["production", undefined, true],
    [undefined, noDatabase, true],
    ["development", noDatabase, false],
    ["test", noDatabase, false],
  ])("with NODE_ENV %s on %s is refused: %s", async (environment, database, isRefused) => {
    const folder = join(home, "published")
    const proofs = { keys: [newKey(), published] }
    const { message } = await refusal(environment, {
      database: database ?? { folder },
      verifications: { proofs },
    })
    const said = "verifications.proofs: key 2 stands in public documents; make your own"
    assert.strictEqual(message === said, isRefused, message)
  })

  it("is accepted in memory", async () => {
    await inEnvironment(undefined, async () => {
      await using engine = await Countersign.createCountersign({
        database: "memory",
        secret,
        verifications: { proofs: { keys: [published] } },
        log: () => {},
      })
      assert.isDefined(engine)
    })
  })
})

it("countersign/proofs has the verifier", () => {
  assert.deepStrictEqual(Object.keys(Verifying).toSorted(), ["ProofError", "createProofVerifier"])
})

it("jose is loaded only by an engine with keys", { timeout: 60_000 }, async () => {
  const program = `
    import { registerHooks } from "node:module"
    let isLoaded = false
    registerHooks({
      load: (url, context, next) => {
        isLoaded ||= url.includes("/node_modules/jose/")
        return next(url, context)
      },
    })
    const { createCountersign } = await import("countersign")
    const options = { database: "memory", log: () => {} }
    await (await createCountersign(options)).dispose()
    console.log(isLoaded)
    const proofs = { keys: [process.env["KEY"]] }
    await (await createCountersign({ ...options, verifications: { proofs } })).dispose()
    console.log(isLoaded)`
  const { code, stderr, stdout } = await run(
    process.execPath,
    ["--input-type=module", "-e", program],
    { cwd: join(import.meta.dirname, ".."), env: { KEY: newKey() } },
  )
  assert.strictEqual(code, 0, stderr)
  assert.strictEqual(stdout, "false\ntrue\n")
})
