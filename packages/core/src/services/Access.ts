/**
 * Who is calling, and by which copy of their organization's settings they are
 * served.
 *
 * A node keeps organizations in memory and pays no trip for a key. What keeps
 * that honest: every command carries the version of the copy that it was made
 * with, the store refuses an older one under its lock, and a refusal that was
 * made from the copy alone is confirmed before it is answered. So a revocation
 * holds from its commit on, on every node.
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
import type { ApiKeyId, OrganizationId } from "../domain/Ids.ts"
import { BoundedCache } from "./internal/boundedCache.ts"
import { StaleSettings } from "./internal/staleSettings.ts"
import * as Organization from "../domain/Organization.ts"
import { type OwnedApiKey, Store } from "../ports/Store.ts"

/** On whose behalf something is done. Code inside the host needs only `organization`. */
export interface Caller {
  readonly organization: OrganizationId
  /** The key that has to be good at the moment of the commit. */
  readonly key?: ApiKeyId | undefined
  /** The address that has to be allowed, where addresses are guarded. */
  readonly address?: string | undefined
}

export type AccessError = OrganizationNotFound | Unauthorized | AddressNotAllowed | StoreUnavailable

/** How many organizations, and how many keys, a node remembers. */
export const cacheSize = 20_000

/** How often a command is made anew because the settings keep changing. */
export const maxReloads = 5

export class Access extends Context.Service<
  Access,
  {
    /** The caller behind a key. The key's good standing is confirmed by what is done next. */
    readonly authenticate: (
      key: Redacted.Redacted<string>,
    ) => Effect.Effect<Caller, Unauthorized | StoreUnavailable>

    /** Makes sure that a caller may call, now: to be asked before a refusal that no command confirms. */
    readonly confirm: (caller: Caller) => Effect.Effect<void, AccessError>

    /**
     * Runs `use` with the caller's organization, and once more with a newer copy
     * when a store finds the copy stale.
     */
    readonly serve: <A, E>(
      caller: Caller,
      use: (organization: Organization.Organization) => Effect.Effect<A, E | StaleSettings>,
    ) => Effect.Effect<A, E | AccessError>

    /** Fails with `error` when the copy that led to it is still the truth, else has `serve` try again. */
    readonly refuse: <E>(
      organization: Organization.Organization,
      error: E,
    ) => Effect.Effect<never, E | StaleSettings | StoreUnavailable>

    /** The organization as this node knows it. */
    readonly current: (
      id: OrganizationId,
    ) => Effect.Effect<Organization.Organization, OrganizationNotFound | StoreUnavailable>

    /** Replaces this node's copy. */
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
       * The key as this node remembers it. `undefined` if it is revoked or its organization is suspended in
       * this node's copy: the store has to confirm that.
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
        // At once: the form of a key is public.
        if (parts === undefined) return yield* new Unauthorized()
        const hash = yield* digest.digest(Digest.sha256, encoder.encode(parts.secret))
        const copy = copyOf(parts.id)
        if (copy !== undefined && ApiKey.matches(copy.key, parts, hash)) {
          return { organization: copy.organization, key: copy.key.id }
        }
        // A key that differs from its copy is wrong for good. It is looked up all the same: a refusal that
        // takes less time would tell which ids exist.
        const found = yield* store.apiKey(parts.id)
        if (copy !== undefined || !ApiKey.matches(found?.key, parts, hash) || found === undefined) {
          return yield* new Unauthorized()
        }
        if (found.isSuspended) return yield* new Unauthorized()
        const caller: Caller = { organization: found.organization, key: found.key.id }
        // The row's id: a slice of the key's text would keep all of the text in memory.
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
