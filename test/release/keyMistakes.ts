/**
 * Mistakes in the expiry, the scopes and the last use of keys, and in withdrawn brands; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"
const access = `${coreTest}/engine/Access.keys.test.ts`
const uses = `${coreTest}/engine/KeyUses.test.ts`
const queries = "packages/postgres/src/internal/statements/queries.ts"
const stores = "packages/postgres/test/StoreContract.test.ts"

export const keys: ReadonlyArray<Mistake> = [
  {
    name: "a key is valid at the moment of its expiry",
    file: `${core}/domain/access/ApiKey.ts`,
    find: "now < self.expiresAt",
    replace: "now <= self.expiresAt",
    test: {
      path: access,
      title: "authenticates until its expiry, on every node, also from its memory",
    },
  },
  {
    name: "a caller outlives the key",
    file: `${core}/engine/Access.ts`,
    find: "const isActive = key !== undefined && ApiKey.isActive(key, now)",
    replace: "const isActive = key?.revokedAt === null",
    test: { path: access, title: "ends a caller that was authenticated before" },
  },
  {
    name: "a key with scopes may be used for everything",
    file: `${core}/engine/Access.ts`,
    find: "if (!ApiKey.allows(key, scope)) return new InsufficientScope()",
    replace: "",
    test: { path: access, title: "may be used for its scopes, and for nothing else" },
  },
  {
    name: "a call without a scope may use any key",
    file: `${core}/domain/access/ApiKey.ts`,
    find: "scope !== undefined && scopes.includes(scope)",
    replace: "scope === undefined || scopes.includes(scope)",
    test: { path: access, title: "may be used for its scopes, and for nothing else" },
  },
  {
    name: "a key that may read requests may send codes again",
    file: "packages/http/src/tenant/internal/scopes.ts",
    find: 'resend: "verify:send"',
    replace: 'resend: "verify:read"',
    test: {
      path: "test/contract/WebHandler.test.ts",
      title:
        "a key with one scope is served by the endpoints of this scope, and gets 403 from all others",
    },
  },
  {
    name: "a node notes every use of a key",
    file: `${core}/engine/KeyUses.ts`,
    find: "before !== undefined && Math.abs(at - before) < sampleMillis",
    replace: "before === at",
    test: { path: uses, title: "writes a key at most once a minute, however often it is used" },
  },
  {
    name: "uses wait in memory without a bound",
    file: `${core}/engine/KeyUses.ts`,
    find: " || waiting.size >= maxWaiting",
    replace: "",
    test: { path: uses, title: "waits with a bounded number of uses, in writes of a bounded size" },
  },
  {
    name: "uses that could not be written are forgotten",
    file: `${core}/engine/KeyUses.ts`,
    find: "const uses = [...waiting.values()].slice(0, perWrite)",
    replace: "const uses = [...waiting.values()].slice(0, perWrite)\n    waiting.clear()",
    test: {
      path: uses,
      title: "keeps the uses that could not be written, and the later one of a key",
    },
  },
  {
    name: "an engine that closes forgets the uses of keys",
    file: `${core}/engine/KeyUses.ts`,
    find: "flush.pipe(Effect.interruptible, Effect.timeoutOption(closingTime), Effect.ignoreCause)",
    replace: "Effect.void",
    test: { path: uses, title: "writes what it has noted when the engine closes" },
  },
  {
    name: "the database takes every use of a key",
    file: queries,
    find: "k.last_used_at <= used.at - ${sampleMillis}",
    replace: "k.last_used_at <= used.at",
    test: {
      path: stores,
      title: "Store: a server > API keys > last use -59.999 s, used at 0 s: -59.999 s",
    },
  },
  {
    name: "a revoked key counts as used",
    file: queries,
    find: "(k.organization = used.organization) IS TRUE AND k.revoked_at IS NULL",
    replace: "(k.organization = used.organization) IS TRUE",
    test: {
      path: stores,
      title: "Store: a server > API keys > a use of a key that is revoked is not recorded",
    },
  },
  {
    name: "a change of an organization reverts a use of its key",
    file: "packages/postgres/src/internal/organizations/organizationRow.ts",
    find: "greatest(kept.${name}, excluded.${name})",
    replace: "excluded.${name}",
    test: {
      path: "packages/postgres/test/internal/organizations/organizationRow.test.ts",
      title: "on a server > keep a use of a key that was recorded after they were read",
    },
  },
  {
    name: "the name of a withdrawn brand is still taken",
    file: `${core}/domain/messages/Brand.ts`,
    find: 'brands.filter(({ status }) => status !== "withdrawn")',
    replace: "brands",
    test: {
      path: `${coreTest}/domain/messages/Brand.test.ts`,
      title: 'sms by "GONE": brand not found (a name that is withdrawn)',
    },
  },
  {
    name: "a withdrawn brand stays the default",
    file: `${core}/domain/organizations/Organization.ts`,
    find: '{ ...brand, status: "withdrawn", isDefault: false }',
    replace: '{ ...brand, status: "withdrawn" }',
    test: {
      path: `${coreTest}/domain/organizations/Organization.test.ts`,
      title: "withdraws a sender, which is then no default, and keeps it",
    },
  },
]
