/**
 * Mistakes that a change could bring in, and the test that notices each. A row for every rule on which
 * money, the safety of codes or the work of several nodes depends. The tests draw nothing at random, or the
 * same in every run: a property may miss a mistake now and then.
 */
import { budgets } from "./budgets.ts"
import { adminMistakes } from "./adminMistakes.ts"
import { audit } from "./auditMistakes.ts"
import { commandLine } from "./cliMistakes.ts"
import { cacheMistakes } from "./cacheMistakes.ts"
import { codeMistakes } from "./codeMistakes.ts"
import { dashboardMistakes } from "./dashboardMistakes.ts"
import { defects } from "./defects.ts"
import { eventMistakes } from "./eventMistakes.ts"
import { idempotency } from "./idempotencyMistakes.ts"
import { inboxMistakes } from "./inboxMistakes.ts"
import { keys } from "./keyMistakes.ts"
import { proofs } from "./proofMistakes.ts"
import { prefixes } from "./prefixMistakes.ts"
import { privacy } from "./privacyMistakes.ts"
import { numbers } from "./numberMistakes.ts"
import { rowMistakes } from "./rowMistakes.ts"
import { totals } from "./totalMistakes.ts"
import { webhookMistakes } from "./webhookMistakes.ts"
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"
const postgres = "packages/postgres/src/internal"
const transactions = "packages/postgres/test/internal/batches/transactions.test.ts"

const rules: ReadonlyArray<Mistake> = [
  {
    name: "a window admits one event too many",
    file: `${core}/domain/limits/SlidingWindow.ts`,
    find: "past[past.length - max]",
    replace: "past[past.length - max - 1]",
    test: {
      path: `${coreTest}/domain/limits/SlidingWindow.test.ts`,
      title: "admits a burst of ten, and the eleventh after the first leaves the window",
    },
  },
  {
    name: "a wrong code costs no attempt",
    file: `${core}/domain/verifications/Verification.ts`,
    find: "self.attemptsRemaining - 1",
    replace: "self.attemptsRemaining",
    test: {
      path: `${coreTest}/domain/verifications/Verification.test.ts`,
      title: "pending, wrong code, -1 ms from expiry: WrongCode → pending, 2 left",
    },
  },
  {
    name: "a code is good at the moment of its expiry",
    file: `${core}/domain/verifications/Verification.ts`,
    find: "now >= self.expiresAt",
    replace: "now > self.expiresAt",
    test: {
      path: `${coreTest}/domain/verifications/Verification.test.ts`,
      title: "pending, right code, 0 ms from expiry: Expired → pending, 3 left",
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
    name: "letters in a typed code are dropped",
    file: `${core}/engine/Codes.ts`,
    find: 'typed.replace(separators, "")',
    replace: 'typed.replace(/\\P{Nd}/gu, "")',
    test: {
      path: `${coreTest}/services/verifications/Verifications.check.test.ts`,
      title: "takes an attempt for a letter within it",
    },
  },
  {
    name: "a code matches under a secret that is gone",
    file: `${core}/decide/commands/verificationDeciders.ts`,
    find: "verification.digest) &&\n    candidate !== undefined",
    replace: "verification.digest)",
    test: {
      path: `${coreTest}/decide/Decision.verification.test.ts`,
      title: "a secret that is gone, and a digest of …: WrongCode, 2 left | writes account, rec…",
    },
  },
  {
    name: "a request counts as pending after its expiry",
    file: `${core}/domain/verifications/Recipient.ts`,
    find: "=> now < until",
    replace: "=> now <= until",
    test: {
      path: `${coreTest}/decide/Decision.verification.test.ts`,
      title: "five that were pending until now: Admitted | writes account, recipient",
    },
  },
  {
    name: "the clock of an organization goes back",
    file: `${core}/decide/Decision.ts`,
    find: "Math.max(clockMillis, account?.lastAt ?? 0)",
    replace: "clockMillis",
    test: {
      path: `${coreTest}/decide/Decision.test.ts`,
      title: "an organization that has seen 10 at clock time 5 decides at 10",
    },
  },
  {
    name: "a message is sent for more than the balance",
    file: `${core}/domain/money/Account.ts`,
    find: "charge > self.balance)",
    replace: "charge > self.balance + self.held)",
    test: {
      path: `${coreTest}/domain/money/Account.test.ts`,
      title: "refuses a hold above the balance without the held money",
    },
  },
  {
    name: "a day's cap is exceeded by one charge",
    file: `${core}/domain/money/Spending.ts`,
    find: "spentAt(self, now) + amount <= cap",
    replace: "spentAt(self, now) <= cap",
    test: {
      path: `${coreTest}/domain/money/Spending.test.ts`,
      title: "a unit more: 1.0001 on 9 of 10 comes to 43200",
    },
  },
  {
    name: "a price is given back that was never held",
    file: `${core}/domain/messages/Message.ts`,
    find: 'self.hold === "open" ? resolution : "keep"',
    replace: "resolution",
    test: {
      path: `${coreTest}/domain/messages/Message.test.ts`,
      title: "moves no money for a message that costs nothing",
    },
  },
  {
    name: "a report changes an outcome that is final",
    file: `${core}/domain/messages/Message.ts`,
    find: "boolean => self.dueAt === null",
    replace: "boolean => self.dueAt === undefined",
    test: {
      path: `${coreTest}/domain/messages/Message.test.ts`,
      title:
        'unknown for good, report delivered → unknown, released, closed, no id, anomaly "report: delivered" | keep',
    },
  },
  {
    name: "a dispatch that was taken over writes its outcome",
    file: `${core}/decide/commands/messageDeciders.ts`,
    find: "before.attempt !== command.attempt",
    replace: "before.attempt < command.attempt",
    test: {
      path: `${coreTest}/decide/Decision.message.test.ts`,
      title: "RecordDispatch > with an older dispatch: Fenced",
    },
  },
  {
    name: "two nodes take over one dispatch",
    file: `${core}/domain/messages/Message.ts`,
    find: "attempt: self.attempt + 1, dueAt: now + leaseMillis",
    replace: "attempt: self.attempt + 1",
    test: {
      path: `${coreTest}/decide/Decision.settlement.test.ts`,
      title: "gives a message to one of two nodes that reclaim it at once",
    },
  },
]

const access: ReadonlyArray<Mistake> = [
  {
    name: "a revoked key is as good as any",
    file: `${core}/engine/Access.ts`,
    find: "key !== undefined && ApiKey.isActive(key, now)\n      if",
    replace: "key !== undefined\n      if",
    test: {
      path: `${coreTest}/engine/Access.test.ts`,
      title: "a revoked key cannot ask for Verifications.send",
    },
  },
  {
    name: "the keys of a suspended organization are as good as any",
    file: `${core}/engine/Access.ts`,
    find: "organization.settings.isSuspended || !isActive",
    replace: "!isActive",
    test: {
      path: `${coreTest}/engine/Access.test.ts`,
      title: "a key of a suspended organization cannot ask for Messages.send until it is resumed",
    },
  },
  {
    name: "a command is decided by settings that have changed",
    file: `${core}/decide/Decision.ts`,
    find: '"version" in command && command.version !== account.version',
    replace: '"version" in command && command.version > account.version',
    test: {
      path: `${coreTest}/engine/Access.test.ts`,
      title: "a revoked key cannot ask for Verifications.check",
    },
  },
  {
    name: "a forwarding header is trusted from any peer",
    file: "packages/http/src/mount/ClientAddress.ts",
    find: "if (!IpBlock.someContains(trusted, client)) break",
    replace: "if (trusted.length === 0) break",
    test: {
      path: "packages/http/test/mount/ClientAddress.test.ts",
      title: `the peer is near a proxy's block: 11.0.0.1 says "198.51.100.1", so it is "11.0.0.1"`,
    },
  },
  {
    name: "a check over HTTP forgets the client that the host names",
    file: "packages/http/src/tenant/internal/readers.ts",
    find: '    code: field("code", code),\n    client: field("client", optionalText),',
    replace: '    code: field("code", code),',
    test: {
      path: "packages/http/test/Bounds.test.ts",
      title: "match the service: POST /verify/check, client",
    },
  },
  {
    name: "the evidence of a report holds any text",
    file: "packages/core/src/domain/messages/Evidence.ts",
    find: "(token.test(text) && Masking.words(text) === text)",
    replace: 'text !== ""',
    test: {
      path: "packages/core/test/domain/messages/Evidence.test.ts",
      title: "Evidence.text > drops a text with a code",
    },
  },
  {
    name: "a report needs no signature of its vendor",
    file: "packages/gateways/src/Twilio.ts",
    find: 'if (!isSigned) return refused("Wrong signature")',
    replace: "",
    test: {
      path: "packages/gateways/test/Twilio.test.ts",
      title: "Gateway: Twilio > signatures > refuses a report whose body differs in one bit",
    },
  },
]

const nodes: ReadonlyArray<Mistake> = [
  {
    name: "rows are read before the stamps that they are held against",
    file: `${postgres}/batches/transactions.ts`,
    find: "const results = yield* runBatch(connection, [...first, ...read])",
    replace: `const found = yield* runBatch(connection, [...read, ...first])
    const results = [...found.slice(read.length), ...found.slice(0, read.length)]`,
    test: { path: transactions, title: "never takes older rows for rows of a newer stamp" },
  },
  {
    name: "a batch is written although rows have changed since it was read",
    file: `${postgres}/statements/join.ts`,
    find: "WHERE found.stamps = $2::int8[]",
    replace: "WHERE array_length(found.stamps, 1) = array_length($2::int8[], 1)",
    test: { path: transactions, title: "does not restore a recipient that retention has dropped" },
  },
  {
    name: "a refusal is not confirmed by a second look",
    file: `${postgres}/batches/transactions.ts`,
    find: "if (rows.length === 0 && (isRecent || condition === undefined)) return { value }",
    replace: "if (rows.length === 0) return { value }",
    test: { path: transactions, title: "does not refuse by rows that have changed since" },
  },
  {
    name: "retention leaves the account's stamp as it was",
    file: `${postgres}/maintenance/prune.ts`,
    find: "stamp = $${params.length + 1}::int8",
    replace: "stamp = coalesce(a.stamp, $${params.length + 1}::int8)",
    test: { path: transactions, title: "does not restore a recipient that retention has dropped" },
  },
  {
    name: "a redo looks for its lane's row and does not hold it",
    file: `${postgres}/statements/batchReads.ts`,
    find: `INSERT INTO \${schema}.lanes (organization, id, batch) VALUES ($1, $2, 0)
      ON CONFLICT (organization, id) DO UPDATE SET batch = lanes.batch RETURNING batch`,
    replace: "SELECT batch FROM ${schema}.lanes WHERE organization = $1 AND id = $2",
    test: {
      path: transactions,
      title: "does not commit between its look-up and its repeat",
    },
  },
  {
    name: "a redo does not look whether the lost commit took effect",
    file: `${postgres}/batches/transactions.ts`,
    find: 'int8.decode(row, "batch") === signature',
    replace: 'int8.decode(row, "batch") > signature',
    test: {
      path: "packages/postgres/test/PostgresStore.test.ts",
      title: "is neither repeated nor lost when the network happens to lose the answer",
    },
  },
  {
    name: "accounts are locked in the order of their partitions before a batch is read",
    file: `${postgres}/statements/batchReads.ts`,
    find: "ORDER BY organization FOR UPDATE\n",
    replace: "FOR UPDATE\n",
    test: {
      path: transactions,
      title: "takes them in the order of their names, in any rows: lockAccounts",
    },
  },
  {
    name: "accounts are locked in the order of their partitions when a batch is written",
    file: `${postgres}/statements/join.ts`,
    find: "ORDER BY organization ${",
    replace: "${",
    test: {
      path: transactions,
      title: "takes them in the order of their names, in any rows: joinIfStamped",
    },
  },
  {
    name: "lanes of nodes that are at work are dropped",
    file: `${postgres}/maintenance/expiredRows.ts`,
    find: "r.seen_at < to_timestamp(${now} / 1000.0) - interval '7 days'",
    replace: "${now} >= 0",
    test: {
      path: "packages/postgres/test/internal/maintenance/tableScan.test.ts",
      title: "on a server > drops exactly the lanes without a commit for seven days",
    },
  },
  {
    name: "the engine ends without waiting for messages under way",
    file: `${core}/engine/Drain.ts`,
    find: "if (underWay === 0) tell()",
    replace: "tell()",
    test: {
      path: `${coreTest}/Engine.ending.test.ts`,
      title: "while a message is under way > waits for its outcome (at gateway.send)",
    },
  },
  {
    name: "the engine charges a message after its end has begun",
    file: `${core}/engine/Drain.ts`,
    find: "if (isClosing) return Effect.interrupt",
    replace: "",
    test: {
      path: `${coreTest}/Engine.ending.test.ts`,
      title: "while a message is under way > refuses another before it is charged",
    },
  },
  {
    name: "the engine ends between the claim of an abandoned message and its dispatch",
    file: `${core}/jobs/Settlement.ts`,
    find: "Effect.uninterruptibleMask((restore) =>",
    replace:
      "((f: (restore: typeof Effect.interruptible) => Effect.Effect<void, CommitError>) => f(Effect.interruptible))((restore) =>",
    test: {
      path: `${coreTest}/Engine.ending.test.ts`,
      title: "waits for a message that was taken over from another node",
    },
  },
  {
    name: "dispose does not wait for calls of the promise API",
    file: "packages/countersign/src/internal/engine/createCountersign.ts",
    find: "calls.run(effect)",
    replace: "effect",
    test: {
      path: "packages/countersign/test/ending.test.ts",
      title: "sends of the promise API under way",
    },
  },
]

export const mistakes: ReadonlyArray<Mistake> = [
  ...rules,
  ...budgets,
  ...cacheMistakes,
  ...codeMistakes,
  ...access,
  ...inboxMistakes,
  ...keys,
  ...nodes,
  ...proofs,
  ...eventMistakes,
  ...audit,
  ...idempotency,
  ...prefixes,
  ...privacy,
  ...numbers,
  ...rowMistakes,
  ...totals,
  ...webhookMistakes,
  ...adminMistakes,
  ...dashboardMistakes,
  ...commandLine,
  ...defects,
]
