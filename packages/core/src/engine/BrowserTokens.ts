/**
 * Tokens that a browser keeps, such as in a cookie. A token has a text that the browser can read, and a signature
 * without which it is not accepted. The key derives from the secrets of codes, so any node that has them accepts a
 * token.
 */
import * as Context from "effect/Context"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type CodeSecret, CodeSecrets } from "./CodeSecrets.ts"
import { utf8 } from "./internal/utf8.ts"

export class BrowserTokens extends Context.Service<
  BrowserTokens,
  {
    /** Signs a text under the current secret. The token is accepted for this use only. */
    readonly sign: (use: string, text: string) => Effect.Effect<string>
    /** The text of a token of this use; `undefined` if no secret in use has signed it. */
    readonly read: (use: string, token: string) => Effect.Effect<string | undefined>
    /** Short digests of a text under every secret in use, the current one first, for the text of a token. */
    readonly digests: (use: string, text: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@countersign/core/engine/BrowserTokens") {}

const version = "1"

const digestLength = 8

const decoder = new TextDecoder()

export const layer: Layer.Layer<BrowserTokens, never, CodeSecrets | Mac.Mac> = Layer.effect(
  BrowserTokens,
  Effect.gen(function* () {
    const mac = yield* Mac.Mac
    // A command line without secrets has an engine as well, so they are read when a token is.
    const secrets = yield* CodeSecrets

    // Its length is before the use, so that no other use and text are the same bytes.
    const signed = (
      kind: "token" | "digest",
      { tokenKey }: CodeSecret,
      use: string,
      text: string,
    ) => Effect.orDie(mac.sign(tokenKey, utf8(`${kind}\n${use.length}\n${use}\n${text}`)))

    return BrowserTokens.of({
      sign: (use, text) =>
        Effect.map(
          Effect.suspend(() => signed("token", secrets.current, use, text)),
          (signature) => [version, Base64Url.encode(text), Base64Url.encode(signature)].join("."),
        ),
      read: Effect.fnUntraced(function* (use, token) {
        const [ofVersion, encoded = "", tag = "", ...more] = token.split(".")
        if (ofVersion !== version || more.length > 0) return undefined
        const signature = Base64Url.decode(tag)
        const bytes = Base64Url.decode(encoded)
        if (Result.isFailure(signature) || Result.isFailure(bytes)) return undefined
        const text = decoder.decode(bytes.success)
        for (const secret of secrets.all) {
          const expected = yield* signed("token", secret, use, text)
          if (Mac.timingSafeEqual(expected, signature.success)) return text
        }
        return undefined
      }),
      digests: (use, text) =>
        Effect.suspend(() => {
          const { all, current } = secrets
          const ordered = [current, ...all.filter((secret) => secret !== current)]
          return Effect.forEach(ordered, (secret) =>
            Effect.map(signed("digest", secret, use, text), (digest) =>
              Base64Url.encode(digest.subarray(0, digestLength)),
            ),
          )
        }),
    })
  }),
)
