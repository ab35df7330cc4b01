/** Mistakes that show codes, phone numbers or keys, or leave them in the database. */
import type { Mistake } from "./planting.ts"

const coreTest = "packages/core/test"
const core = "packages/core/src"
const postgresTest = "packages/postgres/test"
const postgres = "packages/postgres/src/internal"

export const secretMistakes: ReadonlyArray<Mistake> = [
  {
    name: "the hash of a key is compared with an early exit",
    file: `${core}/domain/access/ApiKey.ts`,
    find: "Mac.timingSafeEqual(secretHash, stored?.secretHash ?? noHash)",
    replace: "secretHash.every((byte, index) => byte === (stored?.secretHash ?? noHash)[index])",
    test: {
      path: `${coreTest}/services/ConstantTime.test.ts`,
      title: "A key's hash > is read to its end when it differs in the first byte",
    },
  },
  {
    name: "the digest of a code is compared with an early exit",
    file: `${core}/decide/commands/checks.ts`,
    find: "Mac.timingSafeEqual(candidate?.digest ?? noDigest, verification.digest)",
    replace:
      "(candidate?.digest ?? noDigest).every((byte, index) => byte === verification.digest[index])",
    test: {
      path: `${coreTest}/services/ConstantTime.test.ts`,
      title: "A code's digest > is read to its end when it differs in the first byte",
    },
  },
  {
    name: "a wrong secret under a known id is not looked up",
    file: `${core}/engine/Access.ts`,
    find: "const found = yield* store.apiKey(parts.id)",
    replace: "const found = copy === undefined ? yield* store.apiKey(parts.id) : undefined",
    test: {
      path: `${coreTest}/engine/Access.wrongKeys.test.ts`,
      title: "on a node that has served the organization: a key with a wrong secret",
    },
  },
  {
    name: "the answer of a gateway brings the code into a row",
    file: `${core}/delivery/internal/gatewayCalls.ts`,
    find: "(outcome) => Redaction.outcome(outcome, message)",
    replace: "(outcome) => outcome",
    test: {
      path: `${coreTest}/services/Redaction.test.ts`,
      title: "in the outcome of a send, Rejected, is not quoted",
    },
  },
  {
    name: "the answer of a lookup brings the code into a row",
    file: `${core}/jobs/Settlement.ts`,
    find: "settle(Redaction.outcome(found, yield* contentOf(message)))",
    replace: "settle(found)",
    test: {
      path: `${coreTest}/services/Redaction.test.ts`,
      title: "in the outcome of a lookup, Rejected, is not quoted",
    },
  },
  {
    name: "a report brings the code into a row",
    file: `${core}/services/Reports.ts`,
    find: '![detail ?? "", ...Evidence.wordsIn(evidence)].some(Redaction.hasDigits)',
    replace: "true",
    test: {
      path: `${coreTest}/services/Redaction.test.ts`,
      title: "in a report by the message is not quoted",
    },
  },
  {
    name: "the evidence of a report on an unknown message brings the code into a row",
    file: `${core}/services/Reports.ts`,
    find: "evidence: Redaction.unknownEvidence(evidence)",
    replace: "evidence",
    test: {
      path: `${coreTest}/services/Redaction.test.ts`,
      title: "in a report by an id that is not known yet is not quoted",
    },
  },
  {
    name: "a sealed code outlives the verification of its request",
    file: `${core}/domain/verifications/Verification.ts`,
    find: "consumedAt: null, sealed: null }",
    replace: "consumedAt: null }",
    test: {
      path: `${coreTest}/decide/Decision.life.test.ts`,
      title:
        "erases the sealed code when the request is verified, and when its attempts are used up",
    },
  },
  {
    name: "the place up to which codes are erased passes a pending one",
    file: `${postgres}/maintenance/prune.ts`,
    find: "? from + cleared : codesErasedTo",
    replace: "? from + codes.length : codesErasedTo",
    test: {
      path: `${postgresTest}/StoreContract.test.ts`,
      title:
        "Store: a server > retention > the sealed codes of expired requests are erased, and no others",
    },
  },
  {
    name: "a message is dropped before its pending code",
    file: `${postgres}/maintenance/prune.ts`,
    find: "Math.min(old, codesErasedTo + cleared + 1)",
    replace: "old",
    test: {
      path: `${postgresTest}/StoreContract.test.ts`,
      title:
        "Store: a server > retention > a message stays while its code is pending, and takes the expired code along",
    },
  },
  {
    name: "the audit has the hashes of keys",
    file: `${core}/decide/OrganizationChange.ts`,
    find: "lastUsedAt: _use, secretHash: _hash, ...values",
    replace: "lastUsedAt: _use, ...values",
    test: {
      path: `${coreTest}/adapters/MemoryStore.test.ts`,
      title: "a change of an organization appends who changed what, without secrets",
    },
  },
  {
    name: "the audit has whole phone numbers",
    file: `${core}/decide/commands/checks.ts`,
    find: "target: mask(phoneNumber)",
    replace: "target: phoneNumber",
    test: {
      path: `${coreTest}/decide/Decision.fraud.test.ts`,
      title: "keeps its sends when an operator resets its wrong codes",
    },
  },
  {
    name: "a request finds its recipient only in its own form",
    file: "packages/postgres/src/PostgresStore.ts",
    find: "isRotating ? Opened.phoneNumberOf(queries, query) : undefined",
    replace: "undefined",
    test: {
      path: `${postgresTest}/NumberKeys.test.ts`,
      title: "rows under a retiring key are found, count, and come under the first key",
    },
  },
  {
    name: "a recipient that changes its form stays in the old one as well",
    file: `${postgres}/batches/batchRows.ts`,
    find: "form === undefined ? [] : [{ organization, form }]",
    replace: "form !== null ? [] : [{ organization, form }]",
    test: {
      path: `${postgresTest}/NumberKeys.test.ts`,
      title: "rows under a retiring key are found, count, and come under the first key",
    },
  },
  {
    name: "an id of a gateway is stored in plain text",
    file: `${postgres}/rows/secretColumns.ts`,
    find: 'Columns.secret(text, String, "text")',
    replace: "text",
    test: {
      path: `${postgresTest}/NumberKeys.ids.test.ts`,
      title: "no row of any table contains a number in an id, nor the answer to an idempotency key",
    },
  },
  {
    name: "an id of a gateway is looked up under the current key only",
    file: `${postgres}/numbers/cipher.ts`,
    find: "...keys.map((key) => sealText(key, text))",
    replace: "sealText(current, text)",
    test: {
      path: `${postgresTest}/NumberKeys.ids.test.ts`,
      title: "ids under a retiring key are found by any node, and come under the first key",
    },
  },
  {
    name: "a key leaves the table while a scan still finds its rows",
    file: `${postgres}/numbers/rotation.ts`,
    find: "used_at < now() - interval '25 hours'",
    replace: "used_at < now() + interval '25 hours'",
    test: {
      path: `${postgresTest}/NumberKeys.test.ts`,
      title: "rows under a retiring key are found, count, and come under the first key",
    },
  },
  {
    name: "nodes do not learn of an erasure",
    file: `${core}/services/Privacy.ts`,
    find: "({ ...one, erasedAt: now })",
    replace: "one",
    test: {
      path: `${coreTest}/services/Privacy.test.ts`,
      title: "after an erasure > a node with older settings learns of it before it sends",
    },
  },
  {
    name: "the id of a gateway still finds an erased message",
    file: `${postgres}/personalData.ts`,
    find: "WHERE organization = $1 AND sequence = ANY ($2::int8[])",
    replace: "WHERE organization = $1 AND sequence = ANY ($2::int8[]) AND false",
    test: {
      path: `${postgresTest}/Privacy.test.ts`,
      title: "an erasure > leaves the number, its texts and its words in no table",
    },
  },
  {
    name: "a private key is published",
    file: "packages/proofs/src/ProofSigner.ts",
    find: "const publicKey = { ...bare,",
    replace: "const publicKey = { ...(await exportJWK(privateKey)), ...bare,",
    test: {
      path: "packages/proofs/test/ProofSigner.test.ts",
      title: "signs if it is the first, and is published in any place",
    },
  },
  {
    name: "a hook accepts every signature",
    file: "packages/hooks/src/internal/signatures.ts",
    find: "given.some((text) => isSame(text, expected))",
    replace: "given.length + expected.length > 0",
    test: {
      path: "packages/hooks/test/supabase.test.ts",
      title: "refuses a request that Supabase has not signed, or not now",
    },
  },
]
