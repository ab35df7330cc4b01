import * as ConfigProvider from "effect/ConfigProvider"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { assert, test } from "vitest"
import { secret } from "../src/Environment.ts"

const read = (env: Record<string, string>, inDevelopment?: string) =>
  Effect.runPromise(
    secret("COUNTERSIGN_SECRET", inDevelopment).pipe(
      Effect.map(Redacted.value),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
      Effect.provide(SecureRandom.layerWebCrypto),
      Effect.catchTag("ConfigError", () => Effect.succeed("refused")),
    ),
  )

test.each([
  [{ COUNTERSIGN_SECRET: "given" }, "given"],
  [{ COUNTERSIGN_SECRET: "given", NODE_ENV: "production" }, "given"],
  [{ NODE_ENV: "production" }, "refused"],
])("reads the secret of %j as %s", async (env, expected) => {
  assert.strictEqual(await read(env), expected)
})

test("has a default outside of production only", async () => {
  assert.strictEqual(await read({}, "default"), "default")
  assert.strictEqual(await read({ NODE_ENV: "production" }, "default"), "refused")
})

test("makes a new secret each time outside of production", async () => {
  const [one, other] = [await read({}), await read({})]
  assert.match(one, /^[0-9a-f]{64}$/)
  assert.notStrictEqual(one, other)
})
