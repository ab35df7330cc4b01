/**
 * One-time codes, drawn uniformly from a cryptographic generator. The store holds a keyed digest of each code
 * and, until the request ends, the code itself, sealed with AES-256-GCM.
 */
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { CodeDigest } from "../decide/shared/Results.ts"
import type { OrganizationId, RequestId, WebhookId } from "../domain/values/Ids.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import { type CodeSecret, CodeSecrets } from "./CodeSecrets.ts"
import type * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import { utf8 } from "./internal/utf8.ts"

/** The request that a code belongs to. A digest is useless for any other request. */
export interface CodeOwner {
  readonly organization: OrganizationId
  readonly requestId: RequestId
}

/** The owner of sealed bytes. They cannot be opened for any other owner. */
export type SealOwner =
  | CodeOwner
  | { readonly organization: OrganizationId; readonly webhookId: WebhookId }

export class Codes extends Context.Service<
  Codes,
  {
    /** Draws a code of `length` digits, leading zeros included. */
    readonly generate: (length: number) => Effect.Effect<Redacted.Redacted<string>>
    readonly digest: (
      owner: CodeOwner,
      code: Redacted.Redacted<string>,
    ) => Effect.Effect<CodeDigest>
    /** The digests of `code` under every secret in use. Does not change `code`: `normalize` it first. */
    readonly candidates: (
      owner: CodeOwner,
      code: Redacted.Redacted<string>,
    ) => Effect.Effect<ReadonlyArray<CodeDigest>>
    /** The digests of a client of an organization under every secret in use, the current one first. */
    readonly client: (organization: OrganizationId, client: string) => Effect.Effect<Digests>
    /** The digests of a phone number of an organization under every secret in use, the current one first. */
    readonly phoneNumber: (
      organization: OrganizationId,
      phoneNumber: PhoneNumber.PhoneNumber,
    ) => Effect.Effect<Digests>
    /** Encrypts a text under the current secret. It can be opened for its owner only. */
    readonly seal: (owner: SealOwner, text: string) => Effect.Effect<Uint8Array>
    /** Whether this process has the secret with this id. */
    readonly knows: (secretId: string) => boolean
    /** Decrypts a text; `undefined` if its secret is no longer in use, or the bytes are not its owner's. */
    readonly open: (
      owner: SealOwner,
      secretId: string,
      sealed: Uint8Array,
    ) => Effect.Effect<Redacted.Redacted<string> | undefined>
  }
>()("@countersign/core/engine/Codes") {}

const make = Effect.gen(function* () {
  const aead = yield* Aead.Aead
  const mac = yield* Mac.Mac
  const random = yield* SecureRandom.SecureRandom
  const codeSecrets = yield* CodeSecrets
  const decoder = new TextDecoder()
  const seal = Aead.aes256Gcm

  const boundTo = (owner: SealOwner) =>
    utf8(
      "webhookId" in owner
        ? `webhook\n${owner.organization}\n${owner.webhookId}`
        : `seal\n${owner.organization}\n${owner.requestId}`,
    )

  const sign = <A>(secret: CodeSecret, text: string, use: (digest: Uint8Array) => A) =>
    Effect.matchEffect(mac.sign(secret.key, utf8(text)), {
      // The error is replaced, because a crypto failure may quote its input.
      onFailure: () => Effect.die(new Error("The message authentication code failed")),
      onSuccess: (digest) => Effect.succeed(use(digest)),
    })

  const digestWith = (secret: CodeSecret, { organization, requestId }: CodeOwner, code: string) =>
    // Only the code, which comes last, can contain the separator.
    sign(secret, `code\n${organization}\n${requestId}\n${code}`, (digest): CodeDigest => ({
      pepper: secret.id,
      digest,
    }))

  const digestsOf = (text: string): Effect.Effect<Digests> => {
    const under = (secret: CodeSecret) => sign(secret, text, (digest) => Base64Url.encode(digest))
    const others = codeSecrets.all.filter((secret) => secret !== codeSecrets.current)
    return Effect.all([under(codeSecrets.current), ...others.map(under)])
  }

  return Codes.of({
    generate: (length) =>
      Effect.map(random.intBetween(0, 10 ** length, { halfOpen: true }), (value) =>
        Redacted.make(String(value).padStart(length, "0"), { label: "code" }),
      ),
    digest: (owner, code) => digestWith(codeSecrets.current, owner, Redacted.value(code)),
    client: (organization, client) => digestsOf(`client\n${organization}\n${client}`),
    phoneNumber: (organization, phoneNumber) =>
      digestsOf(`phone number\n${organization}\n${phoneNumber}`),
    candidates: (owner, code) => {
      const text = Redacted.value(code)
      // Most hosts have one secret, for which no loop of effects is needed.
      return codeSecrets.all.length === 1
        ? Effect.map(digestWith(codeSecrets.current, owner, text), (digest) => [digest])
        : Effect.forEach(codeSecrets.all, (secret) => digestWith(secret, owner, text))
    },
    seal: (owner, text) =>
      Effect.flatMap(random.randomBytes(seal.nonceLength), (nonce) =>
        Effect.matchEffect(
          aead.encrypt(codeSecrets.current.sealKey, utf8(text), { nonce, aad: boundTo(owner) }),
          {
            onFailure: () => Effect.die(new Error("A secret could not be sealed")),
            onSuccess: (encrypted) => {
              const sealed = new Uint8Array(nonce.length + encrypted.length)
              sealed.set(nonce)
              sealed.set(encrypted, nonce.length)
              return Effect.succeed(sealed)
            },
          },
        ),
      ),
    knows: (id) => codeSecrets.all.some((one) => one.id === id),
    open: (owner, id, sealed) => {
      const secret = codeSecrets.all.find((one) => one.id === id)
      if (secret === undefined) return Effect.undefined
      const nonce = sealed.subarray(0, seal.nonceLength)
      const encrypted = sealed.subarray(seal.nonceLength)
      return aead.decrypt(secret.sealKey, encrypted, { nonce, aad: boundTo(owner) }).pipe(
        Effect.map((bytes) => Redacted.make(decoder.decode(bytes), { label: "code" })),
        Effect.catch(() => Effect.undefined),
      )
    },
  })
})

export const layer = Layer.effect(Codes, make)
