/**
 * Mistakes in the audit and in the event of a low balance; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"
const change = `${core}/decide/OrganizationChange.ts`
const memory = `${coreTest}/adapters/MemoryStore.test.ts`
const services = `${coreTest}/services/Audit.test.ts`

const changes = {
  path: memory,
  title: "a change of an organization appends who changed what, without secrets",
}
const commands = {
  path: memory,
  title: "the commit of an administrative command appends its entry, and no other command does",
}
const low = {
  path: memory,
  title: "a balance that falls below the threshold is one event until it was above it",
}

export const audit: ReadonlyArray<Mistake> = [
  {
    name: "the audit has the hashes of keys",
    file: change,
    find: "lastUsedAt: _use, secretHash: _hash, ...values",
    replace: "lastUsedAt: _use, ...values",
    test: changes,
  },
  {
    name: "two entries of a change have one sequence",
    file: `${core}/decide/shared/Recorder.ts`,
    find: "lastAudit: account.lastAudit + audited.length",
    replace: "lastAudit: account.lastAudit + 1",
    test: changes,
  },
  {
    name: "another order of the fields of a setting is a change",
    file: change,
    find: "const isSame: (one: unknown, other: unknown) => boolean = Equal.equals",
    replace:
      "const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)",
    test: changes,
  },
  {
    name: "a removed part leaves no entry",
    file: change,
    find: "return [...new Map([...old, ...current])]",
    replace: "return [...current]",
    test: changes,
  },
  {
    name: "the audit has whole phone numbers",
    file: `${core}/decide/commands/verificationDeciders.ts`,
    find: "target: mask(phoneNumber)",
    replace: "target: phoneNumber",
    test: commands,
  },
  {
    name: "a text about an actor that no store can keep stops the change",
    file: `${core}/domain/access/AuditEntry.ts`,
    find: "actor: storable(id)",
    replace: "actor: id",
    test: commands,
  },
  {
    name: "a change of an organization forgets its actor",
    file: `${core}/engine/Access.ts`,
    find: "store.changeOrganization(id, change, actor, version)",
    replace: "store.changeOrganization(id, change, undefined, version)",
    test: {
      path: services,
      title: "names the actor of the effect for every administrative change",
    },
  },
  {
    name: "the audit of a change is not in its commit",
    file: "packages/postgres/src/internal/organizations/directory.ts",
    find: "...(audit === undefined ? [] : [sql.insertAudit(audit)]),",
    replace: "",
    test: {
      path: "packages/postgres/test/StoreContract.test.ts",
      title: `Store: a server > audit > ${changes.title}`,
    },
  },
  {
    name: "the audit calls the revocation of a key a change",
    file: change,
    find: 'return was["revokedAt"] === is["revokedAt"] ? "changed" : "revoked"',
    replace: 'return "changed"',
    test: changes,
  },
  {
    name: "the host may correct a balance without a reason",
    file: `${core}/services/Accounts.ts`,
    find: 'if (kind === "adjustment" && note.trim() === "")',
    replace: "if (note === null)",
    test: {
      path: `${coreTest}/services/Accounts.test.ts`,
      title: "refuse an adjustment without a reason",
    },
  },
  {
    name: "each decision reports a balance that stays low",
    file: `${core}/domain/money/Account.ts`,
    find: "before.balance >= before.balanceLowAt",
    replace: "before.balance >= 0",
    test: low,
  },
  {
    name: "a balance at the threshold is low",
    file: `${core}/domain/money/Account.ts`,
    find: "balance < before.balanceLowAt",
    replace: "balance <= before.balanceLowAt",
    test: low,
  },
]
