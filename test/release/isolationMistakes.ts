/** Mistakes by which an organization or a key meets what belongs to another. */
import type { Mistake } from "./planting.ts"

const coreTest = "packages/core/test"
const core = "packages/core/src"
const postgresTest = "packages/postgres/test"
const postgres = "packages/postgres/src/internal"

export const isolationMistakes: ReadonlyArray<Mistake> = [
  {
    name: "a promotional message ignores the opt-outs",
    file: `${core}/services/Messages.ts`,
    find: "          optOut: delivery.optOut,",
    replace: "",
    test: {
      path: `${coreTest}/services/OptOuts.test.ts`,
      title: "refuse promotional messages to a number, until it is removed",
    },
  },
  {
    name: "the opt-outs of a promotional message are not read",
    file: `${core}/decide/Needs.ts`,
    find: "    ...promotion(command),\n",
    replace: "",
    test: {
      path: `${postgresTest}/StoreContract.test.ts`,
      title:
        "Store: a server > opt-outs > a promotional message to it is refused, from the next commit on",
    },
  },
  {
    name: "quiet hours across midnight end at midnight",
    file: `${core}/domain/messages/QuietHours.ts`,
    find: ": time >= from || time < to",
    replace: ": time >= from",
    test: {
      path: `${coreTest}/domain/messages/QuietHours.test.ts`,
      title: "the next time that is not quiet > after midnight",
    },
  },
  {
    name: "a country with several zones has the quiet hours of the first",
    file: `${core}/domain/messages/QuietHours.ts`,
    find: 'get(country) ?? ["UTC"]',
    replace: 'get(country)?.slice(0, 1) ?? ["UTC"]',
    test: {
      path: `${coreTest}/domain/messages/QuietHours.test.ts`,
      title: "the next time that is not quiet > it is quiet in Honolulu only",
    },
  },
  {
    name: "a shared batch that timed out is not split",
    file: `${postgres}/batches/batches.ts`,
    find: "if (isTimeout(exit) && organizationsOf(entries).length > 1)",
    replace: "if (isTimeout(exit) && organizationsOf(entries).length > 1_000)",
    test: {
      path: `${postgresTest}/internal/batches/batches.test.ts`,
      title: "delays its own organization only, with lanes: 4",
    },
  },
  {
    name: "a commit that dies fails every command in it",
    file: `${postgres}/batches/batches.ts`,
    find: "Exit.hasDies(exit) && entries.length > 1",
    replace: "Exit.hasDies(exit) && entries.length > 1_000",
    test: {
      path: `${postgresTest}/StoreContract.test.ts`,
      title: "Store: a server > malformed commands > a posting fails alone, with any mistake in it",
    },
  },
  {
    name: "a final message is found before an open one",
    file: `${core}/adapters/internal/gatewayIds.ts`,
    find: "Order.mapInput(Order.Boolean, ({ dueAt }: Message) => dueAt === null),",
    replace: "",
    test: {
      path: `${coreTest}/adapters/MemoryStore.test.ts`,
      title: "a repeated id finds an open message before a final one, and then the newest",
    },
  },
  {
    name: "the digest of a code is good for every organization",
    file: `${core}/engine/Codes.ts`,
    find: "`code\\n${organization}\\n",
    replace: "`code\\n",
    test: {
      path: `${coreTest}/engine/Codes.test.ts`,
      title: "depends on the organization, the request and the secret",
    },
  },
  {
    name: "the digest of a client is the same in every organization",
    file: `${core}/engine/Codes.ts`,
    find: "`client\\n${organization}\\n${client}`",
    replace: "`client\\n${client}`",
    test: {
      path: `${coreTest}/engine/Codes.test.ts`,
      title: "depends on the client, the organization and the secret",
    },
  },
  {
    name: "a sealed code can be opened for another request",
    file: `${core}/engine/Codes.ts`,
    find: "`seal\\n${owner.organization}\\n${owner.requestId}`",
    replace: "`seal\\n${owner.organization}`",
    test: {
      path: `${coreTest}/engine/Codes.test.ts`,
      title: "gives back the text to its owner only, under its secret",
    },
  },
  {
    name: "a form does not depend on the organization",
    file: `${postgres}/numbers/cipher.ts`,
    find: "`${organization.length}:${organization}`",
    replace: "String(organization.length * 0)",
    test: {
      path: `${postgresTest}/internal/numbers/cipher.test.ts`,
      title: "law: other numbers, organizations and keys have other forms",
    },
  },
  {
    name: "a statement uses the sums of another organization",
    file: `${core}/services/internal/ledgerSums.ts`,
    find: "JSON.stringify(last)",
    replace: "`${last.sequence}`",
    test: {
      path: `${coreTest}/services/Accounts.test.ts`,
      title:
        "a statement > adds up a ledger that is longer than a slice, and each whole slice once",
    },
  },
  {
    name: "one organization takes all places for webhooks",
    file: `${core}/jobs/internal/webhookPlaces.ts`,
    find: "this.#free > 0 && this.#takenBy(organization) < this.#perOrganization",
    replace: "this.#free > 0",
    test: {
      path: `${coreTest}/jobs/WebhookDelivery.fair.test.ts`,
      title: "gives an organization two places at most, also while others are free",
    },
  },
  {
    name: "a tenant reads other organizations",
    file: "packages/http/src/admin/internal/authorization.ts",
    find: "if (organization !== undefined && !sees(principal, organization)) {",
    replace: 'if (organization === "") {',
    test: {
      path: "packages/http/test/admin/Admin.test.ts",
      title: "account.ledger hides other organizations from a tenant",
    },
  },
  {
    name: "support reads phone numbers",
    file: "packages/http/src/admin/internal/api.ts",
    find: "(masksNumbers(call.principal) ? maskedAnswer(answer) : answer)",
    replace: "answer",
    test: {
      path: "packages/http/test/admin/Admin.masking.test.ts",
      title: "have none in the export of messages, nor in the stream of events",
    },
  },
  {
    name: "a caller outlives the key",
    file: `${core}/engine/Access.ts`,
    find: "const isActive = key !== undefined && ApiKey.isActive(key, now)",
    replace: "const isActive = key?.revokedAt === null",
    test: {
      path: `${coreTest}/engine/Access.test.ts`,
      title: "ends a caller that was authenticated before",
    },
  },
  {
    name: "every well-formed key has a bound of its own",
    file: "packages/http/src/mount/AdmissionGate.ts",
    find: "return key !== undefined && this.#known.has(key) ? key : unknown",
    replace: "return key ?? unknown",
    test: {
      path: "packages/http/test/mount/AdmissionGate.test.ts",
      title: "the bound of a key > is shared by all keys that have not authenticated",
    },
  },
  {
    name: "the bound of a key is known by the key's id alone",
    file: `${core}/domain/access/ApiKey.ts`,
    find: '[parts.id, parts.secret.slice(0, 8), text.slice(-6)].join("")',
    replace: "parts.id",
    test: {
      path: "packages/http/test/mount/AdmissionGate.test.ts",
      title: "is not used up by unknown keys, nor by wrong keys under its own id",
    },
  },
  {
    name: "a key of one endpoint is used up by another",
    file: `${core}/engine/Idempotency.ts`,
    find: "sha256(`${endpoint}\\n${key}`)",
    replace: "sha256(key)",
    test: {
      path: `${coreTest}/services/Idempotency.test.ts`,
      title: "belongs to one call, one endpoint and one organization",
    },
  },
]
