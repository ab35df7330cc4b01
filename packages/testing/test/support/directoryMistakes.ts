import { ApiKeyId, OrganizationId } from "@countersign/core/domain/values/Ids"
import type { MessagePage, OwnedApiKey } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type { StoreService } from "../../src/internal/store-suite/support.ts"
import * as Samples from "../../src/Samples.ts"

/** What a store does wrong, and the memory store's methods changed so that it does. */
export type Mistake = readonly [
  mistake: string,
  change: (store: StoreService) => Partial<StoreService>,
]

/** Changes the pages of the message log. */
export const pages =
  (change: (page: MessagePage) => MessagePage): Mistake[1] =>
  (store) => ({
    messages: (id, query) => Effect.map(store.messages(id, query), (page) => page && change(page)),
  })

/** Changes the keys that are found. */
const keys =
  (change: (owned: OwnedApiKey) => OwnedApiKey | undefined): Mistake[1] =>
  (store) => ({
    apiKey: (id) => Effect.map(store.apiKey(id), (owned) => owned && change(owned)),
  })

/** Mistakes with organizations, their settings and their keys. */
export const directoryMistakes: ReadonlyArray<Mistake> = [
  [
    "changes an organization that it has read before it took the lock",
    (store) => ({
      changeOrganization: (id, change, actor) =>
        Effect.gen(function* () {
          const read = yield* store.organization(id)
          yield* Effect.yieldNow
          return yield* store.changeOrganization(
            id,
            (current, now, last) => change(read ?? current, now, last),
            actor,
          )
        }),
    }),
  ],
  [
    "checks whether an id is free before it takes it",
    (store) => ({
      createOrganization: (organization, actor) =>
        Effect.gen(function* () {
          const taken = yield* store.organization(organization.id)
          yield* Effect.yieldNow
          if (taken !== undefined) return false
          yield* store.createOrganization(organization, actor)
          return true
        }),
    }),
  ],
  [
    "cuts texts at their ends",
    pages((page) => ({
      ...page,
      messages: page.messages.map((row) => ({ ...row, text: row.text.trim() })),
    })),
  ],
  [
    "leaves out what is null in the settings",
    (store) => ({
      organization: (id) =>
        Effect.map(store.organization(id), (found) => {
          if (found === undefined) return undefined
          const set = Object.entries(found.settings.limits).filter(([, value]) => value !== null)
          return { ...found, settings: { ...found.settings, limits: Object.fromEntries(set) } }
        }),
    }),
  ],
  [
    "lists ids as a dictionary would",
    (store) => ({
      organizations: (after, limit) =>
        Effect.map(store.organizations(after, 1_000), (ids) =>
          ids.toSorted((a, b) => a.localeCompare(b)).slice(0, limit),
        ),
    }),
  ],
  [
    "begins a page of ids with the last of the page before",
    (store) => ({
      organizations: (after, limit) =>
        Effect.map(store.organizations(undefined, 1_000), (ids) =>
          ids.filter((id) => after === undefined || id >= after).slice(0, limit),
        ),
    }),
  ],
  ["forgets revoked keys", keys((owned) => (owned.apiKey.revokedAt === null ? owned : undefined))],
  [
    "gives a key as it was made",
    keys((owned) => ({ ...owned, apiKey: { ...owned.apiKey, revokedAt: null } })),
  ],
  [
    "knows keys before they are made",
    () => ({
      apiKey: (id) =>
        Effect.succeed(
          id === ApiKeyId("unknown")
            ? undefined
            : {
                organization: OrganizationId("acme"),
                apiKey: Samples.apiKey({ id }),
                isSuspended: false,
              },
        ),
    }),
  ],
  [
    "takes no notice of a suspension where keys are read",
    keys((owned) => ({ ...owned, isSuspended: false })),
  ],
  ["records no uses of keys", () => ({ recordKeyUses: () => Effect.void })],
  [
    "raises the version of an organization for a use of its key",
    (store) => ({
      recordKeyUses: (uses) =>
        Effect.andThen(
          store.recordKeyUses(uses),
          Effect.forEach(
            uses,
            ({ organization }) => store.changeOrganization(organization, (same) => same),
            { discard: true },
          ),
        ),
    }),
  ],
  [
    "counts revoked keys in summaries",
    (store) => ({
      organizationSummaries: (after, limit) =>
        Effect.flatMap(store.organizationSummaries(after, limit), (page) =>
          Effect.forEach(page, (one) =>
            Effect.map(store.organization(one.id), (found) => ({
              ...one,
              activeApiKeys: found?.keys.length ?? 0,
            })),
          ),
        ),
    }),
  ],
  [
    "begins a page of summaries with the last of the page before",
    (store) => ({
      organizationSummaries: (after, limit) =>
        Effect.map(store.organizationSummaries(undefined, 1_000), (page) =>
          page.filter(({ id }) => after === undefined || id >= after).slice(0, limit),
        ),
    }),
  ],
]
