/**
 * The mistakes behind the defects of `docs/defects.md`, planted again.
 */
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"
const postgres = "packages/postgres/src/internal"
const storeTest = `${coreTest}/adapters/MemoryStore.test.ts`
const wrongKeys = `${coreTest}/engine/Access.wrongKeys.test.ts`
const constantTime = `${coreTest}/services/ConstantTime.test.ts`
const batches = "packages/postgres/test/internal/batches/batches.test.ts"
const patient = "packages/postgres/test/internal/batches/batches.patient.test.ts"

/** Outcomes that are written after the answer. */
const lateOutcomes: ReadonlyArray<Mistake> = [
  {
    name: "a message that was not sent is answered before its outcome is recorded",
    file: `${core}/delivery/Dispatcher.ts`,
    find: "isAccepted(outcome) && (",
    replace: "!isAccepted(outcome) || (",
    test: {
      path: `${coreTest}/delivery/Dispatcher.answers.test.ts`,
      title: "a message > that the gateway does not send is answered after its outcome",
    },
  },
  {
    name: "a code that an SMS may follow is answered before its outcome is recorded",
    file: `${core}/delivery/Dispatcher.ts`,
    find: " ||\n                claim.followMillis !== undefined",
    replace: "",
    test: {
      path: `${coreTest}/delivery/Dispatcher.answers.test.ts`,
      title: "waits for its outcome if an SMS may follow, whose time begins there",
    },
  },
  {
    name: "a send is answered before its outcome is recorded though no report has its reference",
    file: `${core}/ports/Gateway.ts`,
    find: "references === true && ",
    replace: "",
    test: {
      path: `${coreTest}/delivery/Dispatcher.answers.test.ts`,
      title:
        "a message to a gateway > that recovers nothing waits for its outcome unless that can be recovered",
    },
  },
  {
    name: "a message that is sent again by another gateway counts as recovered",
    file: `${core}/routing/Router.ts`,
    find: "members.size === 1 ? capabilities.tokenMillis : 0",
    replace: "capabilities.tokenMillis",
    test: {
      path: `${coreTest}/routing/Router.test.ts`,
      title: "says of each outcome whether the gateway that accepted it can recover it",
    },
  },
  {
    name: "an outcome that could not be written is answered as accepted",
    file: `${core}/delivery/Dispatcher.ts`,
    find: "result.settled === undefined && isAccepted(outcome)",
    replace: "false",
    test: {
      path: `${coreTest}/delivery/Dispatcher.answers.test.ts`,
      title: "a message whose outcome cannot be written is not answered as accepted",
    },
  },
  {
    name: "the close does not wait for outcomes that are written after the answer",
    file: `${core}/engine/Drain.ts`,
    find: "underWay += 1\n        const endVisit",
    replace: "underWay += 0\n        const endVisit",
    test: {
      path: `${coreTest}/delivery/Dispatcher.answers.test.ts`,
      title:
        "a message that the gateway accepts > is recorded once, by retries as well, and the close waits for it",
    },
  },
  {
    name: "a read does not wait for what its node has to write",
    file: `${postgres}/batches/afterOwnWrites.ts`,
    find: "    Effect.andThen(written(organization), read)",
    replace: "    read",
    test: {
      path: patient,
      title: "a read > of its own organization commits and includes what is not urgent",
    },
  },
  {
    name: "the timer forgets a command that is not urgent",
    file: `${postgres}/batches/batches.ts`,
    find: "stopTimer = delay(maxWait, hurry)",
    replace: "stopTimer = delay(maxWait, () => {})",
    test: { path: patient, title: "begins no commit, and has one after 10 ms" },
  },
  {
    name: "a command that a lock sends back waits for another command",
    file: `${postgres}/batches/commitQueue.ts`,
    find: 'this.#place(one, "unshift")',
    replace: 'this.#place(one, "unshift")\n      if (!one.isUrgent) this.#patient.add(one)',
    test: {
      path: "packages/postgres/test/internal/batches/commitQueue.test.ts",
      title: "makes commands urgent that it takes back",
    },
  },
  {
    name: "the admission gate stops counting a send at its answer",
    file: "packages/http/src/tenant/TenantHttp.ts",
    find: "gate.extend(request)\n      return end",
    replace: "return () => {}",
    test: {
      path: "packages/http/test/mount/AdmissionGate.requests.test.ts",
      title: "counts a send until its outcome is recorded, and refuses others meanwhile",
    },
  },
]

const names: ReadonlyArray<Mistake> = [
  {
    name: "the log does not name the gateway that has refused a message",
    file: `${core}/domain/messages/Message.ts`,
    find: "move({ ...self, gateway }, status",
    replace: "move(self, status",
    test: {
      path: "packages/countersign/test/failures.test.ts",
      title: "names the vendor that refused the account, its code and its text, without secrets",
    },
  },
]

const commits: ReadonlyArray<Mistake> = [
  {
    name: "a shared batch that timed out is not split",
    file: `${postgres}/batches/batches.ts`,
    find: "if (isTimeout(exit) && organizationsOf(entries).length > 1)",
    replace: "if (isTimeout(exit) && organizationsOf(entries).length > 1_000)",
    test: { path: batches, title: "delays its own organization only, with lanes: 4" },
  },
  {
    name: "a commit that dies fails every command in it",
    file: `${postgres}/batches/batches.ts`,
    find: "Exit.hasDies(exit) && entries.length > 1",
    replace: "Exit.hasDies(exit) && entries.length > 1_000",
    test: {
      path: "packages/postgres/test/StoreContract.test.ts",
      title: "Store: a server > malformed commands > a posting fails alone, with any mistake in it",
    },
  },
  {
    name: "reports take all the room of a commit",
    file: `${postgres}/batches/commitQueue.ts`,
    find: "Math.min(beginning.length, roomToBegin(room))",
    replace: "0",
    test: {
      path: "packages/postgres/test/internal/batches/commitQueue.test.ts",
      title: "keeps a quarter of the room for new commands, when both kinds wait",
    },
  },
  {
    name: "the answer of an adapter is not read",
    file: `${core}/domain/messages/GatewayOutcome.ts`,
    find: "const isOutcome = (value: unknown): value is GatewayOutcome => outcomeProblem(value) === undefined",
    replace: "const isOutcome = (value: unknown): value is GatewayOutcome => value !== null",
    test: {
      path: `${coreTest}/delivery/Dispatcher.test.ts`,
      title: 'is an unknown outcome of a dispatch: {"_tag":"Accepted","gatewayId":4711}',
    },
  },
  {
    name: "a final message is found before an open one",
    file: `${core}/adapters/internal/gatewayIds.ts`,
    find: "Number(a.dueAt === null) - Number(b.dueAt === null) ||",
    replace: "",
    test: {
      path: storeTest,
      title: "a repeated id finds an open message before a final one, and then the newest",
    },
  },
]

const outcomes: ReadonlyArray<Mistake> = [
  {
    name: "an expired request fails when its code was not sent",
    file: `${core}/domain/verifications/Verification.ts`,
    find: 'stateAt(self, now) === "pending" ? failed(self)',
    replace: 'self.status === "pending" ? failed(self)',
    test: {
      path: `${coreTest}/jobs/Settlement.test.ts`,
      title: "leaves a request expired when it learns later that the code was never sent",
    },
  },
  {
    name: "a request fails although its message was delivered",
    file: `${core}/decide/commands/messageDeciders.ts`,
    find: "isUnsent(outcome) && Message.isUnsentStatus(status)",
    replace: "isUnsent(outcome)",
    test: {
      path: `${coreTest}/services/Reports.overtaking.test.ts`,
      title: "delivered: the code is good although the dispatch then says that nothing was sent",
    },
  },
  {
    name: "a node sends after its lease has run out",
    file: `${core}/delivery/Dispatcher.ts`,
    find: "Number(clock.monotonicTimeNanosUnsafe() - claim.claimedAt) / 1e6 > marginMillis",
    replace: "Number(now - claim.claimedAt) / 1e6 > Infinity",
    test: {
      path: `${coreTest}/delivery/Dispatcher.lease.test.ts`,
      title: "does not send its message afterwards, and refunds the price",
    },
  },
  {
    name: "a follow-up does not recognize its own commit",
    file: `${core}/decide/commands/followDeciders.ts`,
    find: "verification.messageSequence !== messageSequence && carrier?.id === draft.id",
    replace: "verification.messageSequence !== messageSequence && carrier === undefined",
    test: {
      path: `${coreTest}/decide/Decision.follow.test.ts`,
      title: "with the message that this command has writt…: Followed as 2, 10.00 left",
    },
  },
  {
    name: "a payment is booked again when it is repeated",
    file: `${core}/decide/commands/moneyDeciders.ts`,
    find: "if (payment !== undefined) {",
    replace: "if (payment !== undefined && payment.amount < 0) {",
    test: {
      path: storeTest,
      title: "a payment id posts once, and its repeats return the first entry",
    },
  },
]

const time: ReadonlyArray<Mistake> = [
  {
    name: "a clock is believed however far it jumps",
    file: `${core}/domain/values/ClockGuard.ts`,
    find: "if (aheadMillis <= maxJumpMillis) return accepted",
    replace: "if (aheadMillis <= Infinity) return accepted",
    test: {
      path: storeTest,
      title: "a clock that is ten years ahead for one commit blocks no checks and no codes",
    },
  },
  {
    name: "a request is shown as expired before that is durable",
    file: `${core}/domain/verifications/Verification.ts`,
    find: 'stateAt(self, now) === "expired" && stateAt(self, lastAt) === "pending"',
    replace: 'stateAt(self, now) === "verified" && stateAt(self, lastAt) === "pending"',
    test: {
      path: storeTest,
      title: "a request that was shown as expired stays so when the clock goes back",
    },
  },
  {
    name: "a repair leaves the times of messages as they are",
    file: `${core}/decide/maintenance/TimeRepair.ts`,
    find: "const ahead = Math.max(0, self.createdAt - now)",
    replace: "const ahead = 0",
    test: {
      path: `${coreTest}/decide/maintenance/TimeRepair.test.ts`,
      title: "brings a message from the future back to the present",
    },
  },
]

const keys: ReadonlyArray<Mistake> = [
  {
    name: "the hash of a key is compared with an early exit",
    file: `${core}/domain/access/ApiKey.ts`,
    find: "Mac.timingSafeEqual(secretHash, stored?.secretHash ?? noHash)",
    replace: "secretHash.every((byte, index) => byte === (stored?.secretHash ?? noHash)[index])",
    test: {
      path: constantTime,
      title: "A key's hash > is read to its end when it differs in the first byte",
    },
  },
  {
    name: "the digest of a code is compared with an early exit",
    file: `${core}/decide/commands/verificationDeciders.ts`,
    find: "Mac.timingSafeEqual(candidate?.digest ?? noDigest, verification.digest)",
    replace:
      "(candidate?.digest ?? noDigest).every((byte, index) => byte === verification.digest[index])",
    test: {
      path: constantTime,
      title: "A code's digest > is read to its end when it differs in the first byte",
    },
  },
  {
    name: "a live key passes as a test key",
    file: `${core}/domain/access/ApiKey.ts`,
    find: " &&\n    stored.environment === environment",
    replace: "",
    test: {
      path: wrongKeys,
      title: "on a node that has seen no key: a live key that says it is a test key",
    },
  },
  {
    name: "a wrong secret under a known id is not looked up",
    file: `${core}/engine/Access.ts`,
    find: "const found = yield* store.apiKey(parts.id)",
    replace: "const found = copy === undefined ? yield* store.apiKey(parts.id) : undefined",
    test: {
      path: wrongKeys,
      title: "on a node that has served the organization: a key with a wrong secret",
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
    name: "the fast path reads a body before the key has ever authenticated",
    file: "packages/http/src/tenant/TenantHttp.ts",
    find: "!gate.knows(authorization) ||",
    replace: "",
    test: {
      path: "packages/http/test/tenant/TenantHttp.fastPath.test.ts",
      title: "leaves to the handler: a key that has not authenticated",
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
]

export const defects: ReadonlyArray<Mistake> = [
  ...commits,
  ...lateOutcomes,
  ...names,
  ...outcomes,
  ...time,
  ...keys,
]
