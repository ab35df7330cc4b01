/** Mistakes by which money is lost or a message is sent twice, between one commit and the next. */
import type { Mistake } from "./planting.ts"

const coreTest = "packages/core/test"
const core = "packages/core/src"
const postgresTest = "packages/postgres/test"
const postgres = "packages/postgres/src/internal"

export const moneyMistakes: ReadonlyArray<Mistake> = [
  {
    name: "an outcome is recorded for any message with the sequence",
    file: `${core}/delivery/Dispatcher.ts`,
    find: "token: message.token,",
    replace: "",
    test: {
      path: `${coreTest}/services/Restore.test.ts`,
      title: "records no outcome for a message that has the sequence of a lost one",
    },
  },
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
    name: "an answer that a circuit does not count is taken for a call that was not made",
    file: `${core}/routing/Router.ts`,
    find: "return Effect.ignore(count)",
    replace: "return count",
    test: {
      path: `${coreTest}/routing/Router.circuits.test.ts`,
      title: "an answer counts although it is one of many that open a circuit: unknown",
    },
  },
  {
    name: "an outcome that could not be written is answered as accepted",
    file: `${core}/delivery/Dispatcher.ts`,
    find: "result.settled === undefined ?",
    replace: "result.settled === undefined && !isAccepted(outcome) ?",
    test: {
      path: `${coreTest}/delivery/Dispatcher.answers.test.ts`,
      title: "a message whose outcome cannot be written is not answered as accepted",
    },
  },
  {
    name: "a node sends after its lease has run out",
    file: `${core}/delivery/Dispatcher.ts`,
    find: "Number(now - claim.claimedAt) / 1e6 > marginMillis",
    replace: "Number(now - claim.claimedAt) / 1e6 > Infinity",
    test: {
      path: `${coreTest}/delivery/Dispatcher.lease.test.ts`,
      title: "does not send its message afterwards, and refunds the price",
    },
  },
  {
    name: "two nodes take over one dispatch",
    file: `${core}/domain/messages/Message.ts`,
    find: "dispatchNumber: self.dispatchNumber + 1, dueAt: now + leaseMillis",
    replace: "dispatchNumber: self.dispatchNumber + 1",
    test: {
      path: `${coreTest}/decide/Decision.settlement.test.ts`,
      title: "gives a message to one of two nodes that reclaim it at once",
    },
  },
  {
    name: "a message without its text is sent empty after its node has died",
    file: `${core}/jobs/Settlement.ts`,
    find: ' && message.text !== ""',
    replace: "",
    test: {
      path: `${coreTest}/services/Bodies.test.ts`,
      title: "a message whose node died is not sent again, and is refunded at its deadline",
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
    name: "the settlement of the command line sends codes by SMS",
    file: "packages/cli/src/internal/commands/maintenance.ts",
    find: "return followAt === null || (dueAt !== null && dueAt <= now)",
    replace: "return followAt === null || dueAt !== now",
    test: {
      path: "packages/cli/test/Maintenance.test.ts",
      title:
        "settle > leaves codes to the host that wait to be followed by an SMS, until their deadline",
    },
  },
  {
    name: "the settlement of the command line repeats dispatches",
    file: "packages/cli/src/internal/vendors.ts",
    find: "tokenMillis: 0 }",
    replace: "tokenMillis: 1 }",
    test: {
      path: "packages/cli/test/Gateways.test.ts",
      title:
        "the gateways of a settlement > honour no token and send nothing, so that no dispatch is repeated",
    },
  },
  {
    name: "a charge forgets the key of its call",
    file: `${core}/decide/shared/Decider.ts`,
    find: "idempotencyKey: newKey(context, idempotency, { messageSequence: sequence, requestId }),",
    replace: "",
    test: {
      path: `${coreTest}/adapters/MemoryStore.test.ts`,
      title: "of twelve calls with one key at once, one has its effect",
    },
  },
  {
    name: "a consumed request forgets the key of its call",
    file: `${core}/decide/commands/checks.ts`,
    find: "idempotencyKey: Decider.newKey(context, idempotency, {\n            messageSequence: null,\n            requestId,\n          }),",
    replace: "",
    test: {
      path: `${coreTest}/adapters/MemoryStore.model.test.ts`,
      title: "the engine over the memory store answers as the model does, history by history",
    },
  },
  {
    name: "a repeat after a crash does not wait for the SMS that follows",
    file: `${core}/engine/StoredAnswer.ts`,
    find: "message.followAt === null ? failedIn(message) :",
    replace: "message.sequence > 0 ? failedIn(message) :",
    test: {
      path: `${coreTest}/services/Idempotency.stops.test.ts`,
      title: "before FollowVerification, a repeat waits for the SMS and then tells of it",
    },
  },
  {
    name: "a repeat of a resend over WhatsApp counts once more",
    file: `${core}/services/verifications/requestLife.ts`,
    find: '_tag: "AdmitResend",\n            idempotency: admission.keyed,',
    replace: '_tag: "AdmitResend",\n            idempotency: undefined,',
    test: {
      path: `${coreTest}/adapters/MemoryStore.model.test.ts`,
      title: "the engine over the memory store answers as the model does, history by history",
    },
  },
  {
    name: "an answer is not recorded before its caller gets it",
    file: `${core}/engine/Idempotency.ts`,
    find: "if (keyed === undefined) return outcome",
    replace: "if (keyed !== null) return outcome",
    test: {
      path: `${coreTest}/services/Idempotency.test.ts`,
      title: "sends one message, and gets the first answer",
    },
  },
  {
    name: "a batch replaces the totals instead of adding to them",
    file: `${postgres}/statements/writes.ts`,
    find: "count = totals.count + excluded.count",
    replace: "count = excluded.count",
    test: {
      path: `${postgresTest}/StoreContract.test.ts`,
      title: "a server > totals > parallel commands of several organizations lose nothing",
    },
  },
  {
    name: "a round of a webhook that stops early skips events",
    file: `${core}/jobs/WebhookDelivery.ts`,
    find: "{ position: unstarted.sequence - 1, previous: unstarted.previous }",
    replace: "{ position: fresh.position, previous: fresh.previous }",
    test: {
      path: `${coreTest}/jobs/WebhookDelivery.test.ts`,
      title: "posts at most four events at once, and one while in trouble",
    },
  },
  {
    name: "a hook sends a repeat as a message of its own",
    file: "packages/hooks/src/internal/carry.ts",
    find: "if (!isContent) return idIn(0)",
    replace: "if (!isContent) return idIn(Math.random())",
    test: {
      path: "packages/hooks/test/supabase.test.ts",
      title: "carries the code once, however often Supabase repeats its request",
    },
  },
  {
    name: "a hook takes the message of another server for a repeat",
    file: "packages/hooks/src/internal/carry.ts",
    find: "JSON.stringify([system, hour, ...key])",
    replace: "JSON.stringify([hour, ...key])",
    test: {
      path: "packages/hooks/test/carry.test.ts",
      title: "differs for another secret, another server and other content",
    },
  },
]
