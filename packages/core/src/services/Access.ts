/**
 * Authenticates callers and serves them from a versioned cache of organization settings.
 *
 * A node keeps organizations in memory and checks a known key without a read. Three rules keep the cache
 * correct. Each command carries the version of the settings that it was made with. The store rejects an older
 * version under its lock. A rejection that is based on the cache alone is confirmed before the caller
 * receives it. A revocation therefore applies on every node from its commit on.
 */
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as ApiKey from "../domain/ApiKey.ts"
import {
  AddressNotAllowed,
  OrganizationNotFound,
  StoreUnavailable,
  Unauthorized,
} from "../domain/Errors.ts"
import type * as Fields from "../domain/Fields.ts"
import type { ApiKeyId, OrganizationId } from "../domain/Ids.ts"
import { BoundedCache } from "./internal/boundedCache.ts"
import { StaleSettings } from "./internal/staleSettings.ts"
import * as Organization from "../domain/Organization.ts"
import { type OwnedApiKey, Store } from "../ports/Store.ts"

/** Identifies a caller. Code inside the host needs only `organization`. */
export interface Caller {
  readonly organization: OrganizationId
  /** The key that must be valid at the moment of the commit. */
  readonly key?: ApiKeyId | undefined
  /** The address that must be allowed, if the organization restricts addresses. */
  readonly address?: string | undefined
}

/** The input of a caller. A field can be the problem for which it could not be read; the call fails with it. */
export type Parsed<A extends Caller> = Caller & Fields.Parsed<Omit<A, keyof Caller>>

export type AccessError = OrganizationNotFound | Unauthorized | AddressNotAllowed | StoreUnavailable

/** Number of organizations, and of keys, that a node caches. */
export const cacheSize = 20_000

/** Maximum number of times that a command is repeated because the settings keep changing. */
export const maxReloads = 5

export class Access extends Context.Service<
  Access,
  {
    /**
     * The caller that a key belongs to. The next operation of the caller confirms that the key is still
     * valid.
     */
    readonly authenticate: (
      key: Redacted.Redacted<string>,
    ) => Effect.Effect<Caller, Unauthorized | StoreUnavailable>

    /** Confirms with the store that a caller may call now. For answers that no command confirms. */
    readonly confirm: (caller: Caller) => Effect.Effect<void, AccessError>

    /**
     * Runs `use` with the caller's organization. Repeats it with newer settings, at most `maxReloads` times,
     * when a store finds the settings stale.
     */
    readonly serve: <A, E>(
      caller: Caller,
      use: (organization: Organization.Organization) => Effect.Effect<A, E | StaleSettings>,
    ) => Effect.Effect<A, E | AccessError>

    /** Fails with `error` if the settings that led to it are current; otherwise makes `serve` try again. */
    readonly refuse: <E>(
      organization: Organization.Organization,
      error: E,
    ) => Effect.Effect<never, E | StaleSettings | StoreUnavailable>

    /** The organization as this node knows it. Reads the store if the organization is not cached. */
    readonly current: (
      id: OrganizationId,
    ) => Effect.Effect<Organization.Organization, OrganizationNotFound | StoreUnavailable>

    /** Replaces this node's copy of the organization. */
    readonly remember: (organization: Organization.Organization) => Effect.Effect<void>
  }
>()("@countersign/core/services/Access") {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const store = yield* Store
      const digest = yield* Digest.Digest
      const encoder = new TextEncoder()
      const owners = new BoundedCache<ApiKeyId, OrganizationId>(cacheSize)
      const organizations = new BoundedCache<OrganizationId, Organization.Organization>(cacheSize)

      const load = Effect.fnUntraced(function* (id: OrganizationId) {
        const organization = yield* store.organization(id)
        if (organization === undefined) {
          organizations.delete(id)
          return yield* new OrganizationNotFound()
        }
        organizations.set(id, organization)
        return organization
      })

      const current = (id: OrganizationId) => {
        const known = organizations.get(id)
        return known === undefined ? load(id) : Effect.succeed(known)
      }

      const isLatest = (organization: Organization.Organization) =>
        Effect.map(
          store.account(organization.id),
          (account) => account?.version === organization.version,
        )

      const refuse = Effect.fnUntraced(function* <E>(
        organization: Organization.Organization,
        error: E,
      ): Effect.fn.Return<never, E | StaleSettings | StoreUnavailable> {
        if (yield* isLatest(organization)) return yield* Effect.fail(error)
        return yield* new StaleSettings()
      })

      const standing = (
        caller: Caller,
        organization: Organization.Organization,
      ): Unauthorized | AddressNotAllowed | undefined => {
        if (caller.key !== undefined) {
          const key = Organization.keyOf(organization, caller.key)
          const { isSuspended } = organization.settings
          if (isSuspended || key === undefined || key.revokedAt !== null) return new Unauthorized()
        }
        return caller.address !== undefined && !Organization.isAllowed(organization, caller.address)
          ? new AddressNotAllowed()
          : undefined
      }

      const attempt = <A, E>(
        caller: Caller,
        organization: Organization.Organization,
        use: (organization: Organization.Organization) => Effect.Effect<A, E | StaleSettings>,
        reloads: number,
      ): Effect.Effect<A, E | AccessError> => {
        const problem = standing(caller, organization)
        const used: Effect.Effect<A, E | AccessError | StaleSettings> =
          problem === undefined ? use(organization) : refuse(organization, problem)
        return Effect.catch(used, (error): Effect.Effect<A, E | AccessError> => {
          if (!(error instanceof StaleSettings)) return Effect.fail(error)
          if (reloads === maxReloads) {
            return Effect.fail(new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 }))
          }
          return Effect.flatMap(load(organization.id), (newer) =>
            attempt(caller, newer, use, reloads + 1),
          )
        })
      }

      const serve: Access["Service"]["serve"] = (caller, use) =>
        Effect.suspend(() => {
          const known = organizations.get(caller.organization)
          return known === undefined
            ? Effect.flatMap(load(caller.organization), (loaded) => attempt(caller, loaded, use, 0))
            : attempt(caller, known, use, 0)
        })

      /**
       * The key as cached on this node. `undefined` if it is not cached, or is revoked or of a suspended
       * organization in the cache: the store has to confirm that.
       */
      const copyOf = (id: ApiKeyId): OwnedApiKey | undefined => {
        const owner = owners.get(id)
        const copy = owner === undefined ? undefined : organizations.get(owner)
        if (copy === undefined || copy.settings.isSuspended) return undefined
        const key = Organization.keyOf(copy, id)
        return key?.revokedAt === null
          ? { organization: copy.id, key, isSuspended: false }
          : undefined
      }

      const authenticate: Access["Service"]["authenticate"] = Effect.fnUntraced(function* (key) {
        const parts = ApiKey.split(Redacted.value(key))
        // Fails immediately: the format of a key is public, so the timing reveals nothing.
        if (parts === undefined) return yield* new Unauthorized()
        const hash = yield* digest.digest(Digest.sha256, encoder.encode(parts.secret))
        const copy = copyOf(parts.id)
        if (copy !== undefined && ApiKey.matches(copy.key, parts, hash)) {
          return { organization: copy.organization, key: copy.key.id }
        }
        // A key that differs from its cached copy is always wrong. It is looked up all the same, because a
        // faster rejection would reveal which ids exist.
        const found = yield* store.apiKey(parts.id)
        if (copy !== undefined || !ApiKey.matches(found?.key, parts, hash) || found === undefined) {
          return yield* new Unauthorized()
        }
        if (found.isSuspended) return yield* new Unauthorized()
        const caller: Caller = { organization: found.organization, key: found.key.id }
        // The id of the row: a slice of the key's text would keep the whole text in memory.
        owners.set(found.key.id, found.organization)
        yield* Effect.mapError(current(found.organization), (error) =>
          error instanceof OrganizationNotFound ? new Unauthorized() : error,
        )
        return caller
      })

      const confirm = (caller: Caller) =>
        serve(caller, (organization) =>
          Effect.flatMap(isLatest(organization), (latest) =>
            latest ? Effect.void : Effect.fail(new StaleSettings()),
          ),
        )

      return Access.of({
        authenticate,
        confirm,
        serve,
        refuse,
        current,
        remember: (organization) =>
          Effect.sync(() => organizations.set(organization.id, organization)),
      })
    }),
  )
}
