import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hash } from "node:crypto"

const names: Readonly<Record<Digest.Algorithm["name"], string>> = {
  MD5: "md5",
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512",
}

/** Like Effect's own layer, but with one call, because creating a hash object costs more than hashing a key. */
export const layerDigest: Layer.Layer<Digest.Digest> = Layer.succeed(Digest.Digest, {
  digest: ({ name }, data) => Effect.sync(() => new Uint8Array(hash(names[name], data, "buffer"))),
  digestHex: ({ name }, data) => Effect.sync(() => hash(names[name], data, "hex")),
})
