/**
 * Authenticates callers and serves them from a versioned cache of organization settings.
 *
 * A node checks a known key without a read. Each command carries the version of the settings that it was made
 * with, and the store rejects another version under its lock. A rejection that is based on the cache alone
 * is confirmed first. A revocation therefore applies on every node from its commit on.
 */
import type { Caller, AccessError, HostEffect } from "../api/Caller.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Actor } from "../domain/values/Actor.ts"
import * as ApiKey from "../domain/access/ApiKey.ts"
import * as Errors from "../domain/errors/Errors.ts"
import type { ApiKeyId, OrganizationId } from "../domain/values/Ids.ts"
import { BoundedCache } from "../domain/values/BoundedCache.ts"
import type { Change } from "../decide/OrganizationChange.ts"
import * as Admission from "./Admission.ts"
import type { Opening, Step } from "./Admission.ts"
import * as Call from "./Call.ts"
import { StaleSettings } from "./Commits.ts"
import { KeyUses } from "./KeyUses.ts"
import { Events } from "./Events.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import type { ApiKeyScope } from "../domain/access/ApiKeyScope.ts"
import { type OwnedApiKey, Store } from "../ports/Store.ts"
import { newVersion } from "./internal/newId.ts"
import { utf8 } from "./internal/utf8.ts"

/**
 * The place of a key in the cache: 48 bits of the hash of its secret. A wrong secret therefore finds nothing, like an
 * unknown id. By its id it would find the organization, and the time of its refusal would depend on the number of keys.
 */
const placeOf = (hash: Uint8Array): number => {
  let place = 0
  for (let index = 0; index < 6; index++) place = place * 256 + (hash[index] ?? 0)
  return place
}

/** Number of organizations, and of keys, that a node caches. */
const cacheSize = 20_000

/** Maximum number of times that a command is repeated because the settings keep changing. */
export const maxReloads = 5

/** The function that `serve` calls with the settings of the caller's organization. */
type Use<A, E> = (organization: Organization.Organization) => Effect.Effect<A, E | StaleSettings>

export class Access extends Context.Service<
  Access,
  {
    /**
     * The caller that a key belongs to. Its next operation confirms that the key is still valid, and may be used
     * for `scope`. Mounts give the text, because it takes a microsecond to redact it.
     */
    readonly authenticate: (
      key: Redacted.Redacted<string> | string,
      scope?: ApiKeyScope,
    ) => Effect.Effect<Caller, Errors.Unauthorized | Errors.StoreUnavailable>

    /** The caller's organization, if the caller may call now. For answers that no command confirms. */
    readonly confirm: (caller: Caller) => Effect.Effect<Organization.Organization, AccessError>

    /** Runs `use`, and repeats it with newer settings, at most `maxReloads` times, if they were stale. */
    readonly serve: <A, E>(caller: Caller, use: Use<A, E>) => Effect.Effect<A, E | AccessError>

    /** As `serve`, for steps. */
    readonly serving: <I extends Caller, A, E>(
      step: Step<I, A, E | StaleSettings>,
    ) => Opening<I, A, E | AccessError>

    /** As `serve`, for a read of the store. The version that was read must equal the version of the settings. */
    readonly read: <A extends { readonly version: number }, E>(
      caller: Caller,
      use: Use<A | undefined, E>,
    ) => Effect.Effect<A, E | AccessError>

    /** Fails with `error` if the settings that led to it are current; otherwise makes `serve` try again. */
    readonly refuse: <E>(
      organization: Organization.Organization,
      error: E,
    ) => Effect.Effect<never, E | StaleSettings | Errors.StoreUnavailable>

    /** The organization in the store, which replaces this node's copy. */
    readonly load: (id: OrganizationId) => HostEffect<Organization.Organization>

    /** Changes an organization in the store for the `Actor`, and this node's copy. Publishes the events. */
    readonly change: (id: OrganizationId, change: Change) => HostEffect<Organization.Organization>
  }
>()("@countersign/core/engine/Access") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const uses = yield* KeyUses
  const events = yield* Events
  const owners = new BoundedCache<number, OrganizationId>(cacheSize)
  const organizations = new BoundedCache<OrganizationId, Organization.Organization>(cacheSize)

  const keep = (
    id: OrganizationId,
    organization: Organization.Organization | undefined,
  ): Effect.Effect<Organization.Organization, Errors.OrganizationNotFound> => {
    if (organization === undefined) {
      organizations.delete(id)
      return Effect.fail(new Errors.OrganizationNotFound())
    }
    organizations.set(id, organization)
    return Effect.succeed(organization)
  }

  const load = (id: OrganizationId) =>
    Effect.flatMap(store.organization(id), (found) => keep(id, found))

  const isLatest = ({ id, version }: Organization.Organization) =>
    Effect.map(store.account(id), (account) => account?.version === version)

  const refuse = <E>(organization: Organization.Organization, error: E) =>
    Effect.flatMap(isLatest(organization), (latest) =>
      Effect.fail(latest ? error : new StaleSettings()),
    )

  const callerProblem = (
    { address, apiKeyId: id, scope }: Caller,
    organization: Organization.Organization,
    clock: Clock.Clock,
  ): Errors.Unauthorized | Errors.InsufficientScope | Errors.AddressNotAllowed | undefined => {
    if (id !== undefined) {
      const key = Organization.keyOf(organization, id)
      // Only a key that expires needs the time.
      const doesExpire = key !== undefined && key.expiresAt !== null
      const now = doesExpire ? clock.currentTimeMillisUnsafe() : 0
      const isActive = key !== undefined && ApiKey.isActive(key, now)
      if (organization.settings.isSuspended || !isActive) return new Errors.Unauthorized()
      if (!ApiKey.allows(key, scope)) return new Errors.InsufficientScope()
    }
    return address !== undefined && !Organization.isAllowed(organization, address)
      ? new Errors.AddressNotAllowed()
      : undefined
  }

  const attempt = <I extends Caller, A, E>(
    step: Step<I, A, E | StaleSettings>,
    call: Call.Call,
    done: Call.Done<A, E | AccessError>,
    input: I,
    organization: Organization.Organization,
    admission: Admission.Admission,
    reloads: number,
  ): void => {
    const ended = Call.catching<A, E | AccessError | StaleSettings>(done, (error) => {
      if (!(error instanceof StaleSettings)) return done(Exit.fail(error))
      if (reloads === maxReloads) {
        return done(
          Exit.fail(new Errors.StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 })),
        )
      }
      call.andThen(load(organization.id), done, (newer) =>
        attempt(step, call, done, input, newer, admission, reloads + 1),
      )
    })
    const problem = callerProblem(input, organization, Context.get(call.context, Clock.Clock))
    if (problem === undefined) step(call, ended, input, organization, admission)
    else call.run(refuse(organization, problem), ended)
  }

  const serving: Access["Service"]["serving"] = (step) => (call, done, input, admission) => {
    const known = organizations.get(input.organization)
    if (known !== undefined) return attempt(step, call, done, input, known, admission, 0)
    call.andThen(load(input.organization), done, (loaded) =>
      attempt(step, call, done, input, loaded, admission, 0),
    )
  }

  const serve = <A, E>(caller: Caller, use: Use<A, E>): Effect.Effect<A, E | AccessError> => {
    const opening = serving<Caller, A, E>((call, done, _, organization) =>
      call.run(use(organization), done),
    )
    return Call.make((call, done) => opening(call, done, caller, Admission.make()))
  }

  /** The key as cached on this node; `undefined` if the store has to confirm it. */
  const copyOf = (place: number, id: ApiKeyId, now: number): OwnedApiKey | undefined => {
    const owner = owners.get(place)
    const copy = owner === undefined ? undefined : organizations.get(owner)
    if (copy === undefined || copy.settings.isSuspended) return undefined
    const apiKey = Organization.keyOf(copy, id)
    if (apiKey !== undefined && ApiKey.isActive(apiKey, now))
      return { organization: copy.id, apiKey, isSuspended: false }
    owners.delete(place)
    return undefined
  }

  const callerOf = (
    organization: OrganizationId,
    { id: key }: ApiKey.ApiKey,
    scope: ApiKeyScope | undefined,
    now: number,
  ): Caller => {
    uses.note(organization, key, now)
    return scope === undefined
      ? { organization, apiKeyId: key }
      : { organization, apiKeyId: key, scope }
  }

  const authenticate: Access["Service"]["authenticate"] = (key, scope) => {
    const parts = ApiKey.split(typeof key === "string" ? key : Redacted.value(key))
    // Fails immediately: the format of a key is public, so the timing reveals nothing.
    if (parts === undefined) return unauthorized
    return Call.make((call, done) =>
      call.andThen(digest.digest(Digest.sha256, utf8(parts.secret)), done, (hash) => {
        const now = Context.get(call.context, Clock.Clock).currentTimeMillisUnsafe()
        const place = placeOf(hash)
        const copy = copyOf(place, parts.id, now)
        const isKnown = copy !== undefined && ApiKey.matches(copy.apiKey, parts, hash, now)
        if (isKnown) done(Exit.succeed(callerOf(copy.organization, copy.apiKey, scope, now)))
        else call.run(lookUp(parts, hash, place, copy !== undefined, scope, now), done)
      }),
    )
  }

  /** A key that differs from its copy is looked up, too: a faster rejection would reveal which ids exist. */
  const lookUp = Effect.fnUntraced(function* (
    parts: ApiKey.Candidate,
    hash: Uint8Array,
    place: number,
    isOther: boolean,
    scope: ApiKeyScope | undefined,
    now: number,
  ) {
    const found = yield* store.apiKey(parts.id)
    if (isOther || !ApiKey.matches(found?.apiKey, parts, hash, now) || found === undefined) {
      return yield* unauthorized
    }
    if (found.isSuspended) return yield* unauthorized
    owners.set(place, found.organization)
    if (organizations.get(found.organization) === undefined) {
      yield* Effect.catchTag(load(found.organization), "OrganizationNotFound", () => unauthorized)
    }
    return callerOf(found.organization, found.apiKey, scope, now)
  })

  const read = <A extends { readonly version: number }, E>(
    caller: Caller,
    use: Use<A | undefined, E>,
  ) =>
    serve(caller, (organization) =>
      Effect.flatMap(use(organization), (found): Effect.Effect<A, AccessError | StaleSettings> => {
        if (found === undefined) return Effect.fail(new Errors.OrganizationNotFound())
        const isLatest = found.version === organization.version
        return isLatest ? Effect.succeed(found) : Effect.fail(new StaleSettings())
      }),
    )

  const confirm = (caller: Caller) =>
    serve(caller, (organization) =>
      Effect.flatMap(isLatest(organization), (latest) =>
        latest ? Effect.succeed(organization) : Effect.fail(new StaleSettings()),
      ),
    )

  return Access.of({
    authenticate,
    confirm,
    serve,
    serving,
    read,
    refuse,
    load,
    change: Effect.fnUntraced(function* (id, change) {
      const version = yield* newVersion(random)
      const changed = yield* store.changeOrganization(id, change, yield* Actor, version)
      if (changed !== undefined) events.publishUnsafe(changed.events)
      return yield* keep(id, changed?.organization)
    }, Effect.uninterruptible),
  })
})

export const layer = Layer.effect(Access, make)

const unauthorized = Effect.fail(new Errors.Unauthorized())
