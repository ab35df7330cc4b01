/** API keys, which authenticate the calls of an organization. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Access } from "../engine/Access.ts"
import { storable } from "../domain/access/AuditRecord.ts"
import * as ApiKey from "../domain/access/ApiKey.ts"
import { ApiKeyNotFound } from "../domain/errors/Errors.ts"
import type { apiKeys } from "../api/apiKeys.ts"
import type * as Operation from "../api/Operation.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { pageAfter } from "../api/internal/pageLimit.ts"
import { Actor } from "../domain/values/Actor.ts"
import * as Counter from "../domain/money/Counter.ts"
import { dayMillis, slotOf } from "../domain/money/Total.ts"
import { Store } from "../ports/Store.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import * as ApiKeyScope from "../domain/access/ApiKeyScope.ts"

type ApiKeySummary = Omit<ApiKey.ApiKey, "secretHash">

/** Days of which the requests of a key are counted, with the current one. */
const countedDays = 7

export type CreateApiKey = Operation.Inputs<typeof apiKeys>["create"]

export class ApiKeys extends Context.Service<ApiKeys, Operation.HostMethods<typeof apiKeys>>()(
  "@countersign/core/services/ApiKeys",
) {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store

  const draw = Effect.fnUntraced(function* (environment: ApiKey.Environment) {
    while (true) {
      const drawn = ApiKey.encode(environment, yield* random.randomBytes(ApiKey.randomBytes))
      if (drawn !== undefined) return drawn
    }
  })

  return ApiKeys.of({
    create: Effect.fn("ApiKeys.create")(function* (input) {
      const createdAt = yield* Clock.currentTimeMillis
      const { expiresAt = null } = input
      const problems = new FieldProblems()
      problems.printable("name", input.name, 100)
      if (expiresAt !== null && !Number.isSafeInteger(expiresAt)) {
        problems.fail("expiresAt", "not_integer", {})
      } else if (expiresAt !== null && expiresAt <= createdAt) {
        problems.fail("expiresAt", "not_in_future", {})
      }
      const scopes =
        input.scopes === undefined ? null : problems.value("scopes", ApiKeyScope.read(input.scopes))
      if (problems.error !== undefined) return yield* problems.error
      const { environment, id, secret, text } = yield* draw(input.environment ?? "live")
      const secretHash = yield* digest.digest(Digest.sha256, new TextEncoder().encode(secret))
      const summary: ApiKeySummary = {
        id,
        name: input.name,
        environment,
        createdAt,
        createdBy: storable((yield* Actor).id),
        expiresAt,
        revokedAt: null,
        scopes: scopes ?? null,
        lastUsedAt: null,
      }
      yield* access.change(input.organization, (organization) =>
        Organization.withKey(organization, { ...summary, secretHash }),
      )
      return { ...summary, requests: 0, key: Redacted.make(text, { label: "api-key" }) }
    }),
    list: Effect.fn("ApiKeys.list")(function* ({ organization, ...page }) {
      const { keys } = yield* access.load(organization)
      const listed = pageAfter(keys, page)
      const today = slotOf(yield* Clock.currentTimeMillis, dayMillis)
      const counters = yield* store.counters({
        kinds: Counter.keyKinds,
        subjects: listed.map(({ id }) => id),
        from: today - (countedDays - 1) * dayMillis,
        to: today + dayMillis,
        slotMillis: dayMillis,
      })
      const ofKey = Map.groupBy(counters, ({ subject }) => subject)
      return listed.map(({ secretHash: _, ...summary }) => ({
        ...summary,
        requests: (ofKey.get(summary.id) ?? []).reduce((sum, { count }) => sum + count, 0),
      }))
    }),
    revoke: Effect.fn("ApiKeys.revoke")(function* ({ id, organization }) {
      const before = yield* access.load(organization)
      // Keys are never deleted, so a key that is found here still exists when it is revoked.
      if (Organization.keyOf(before, id) === undefined) return yield* new ApiKeyNotFound()
      yield* access.change(organization, (current, now) =>
        Organization.withoutKey(current, id, now),
      )
    }),
  })
})

export const layer = Layer.effect(ApiKeys, make)
