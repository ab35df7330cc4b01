/** Mistakes in the store, the sending and the jobs. Only faults and races show most of them. */
import type { SimulatedMistake } from "./ruleMistakes.ts"

const core = "packages/core/src"
const memoryStore = `${core}/adapters/MemoryStore.ts`
const gatewayCalls = `${core}/delivery/internal/gatewayCalls.ts`
const settlement = `${core}/jobs/Settlement.ts`
const progress = `${core}/domain/webhooks/WebhookProgress.ts`

export const jobMistakes: ReadonlyArray<SimulatedMistake> = [
  {
    name: "the store forgets the money of a message",
    file: `${core}/adapters/internal/organizationState.ts`,
    find: "this.ledger.push(entry)",
    replace: 'if (entry.kind !== "release") this.ledger.push(entry)',
  },
  {
    name: "the store writes no recipient",
    file: `${core}/adapters/internal/organizationState.ts`,
    find: "if (recipient !== undefined) this.recipients.set(recipient.phoneNumber, recipient)",
    replace: "",
  },
  {
    name: "the store does not list messages that are due",
    file: memoryStore,
    find: "if (writes.message !== undefined) index(writes.message)",
    replace: "",
  },
  {
    name: "the store does not find messages by the ids of gateways",
    file: memoryStore,
    find: "if (writes.gatewayId !== undefined) gatewayIds.add(writes.gatewayId, clockMillis)",
    replace: "",
  },
  {
    name: "the store reads an organization before it decides",
    file: memoryStore,
    find: "const view = Decision.view(state, command)",
    replace:
      "const view = Object.assign({}, Decision.view(state, command), { account: ((globalThis.stale ??= new Map()).get(command.organization + clockMillis) ?? (globalThis.stale.set(command.organization + clockMillis, state.account), state.account)) })",
  },
  {
    name: "a commit without an answer is made again",
    file: `${core}/engine/Commits.ts`,
    find: "runOnce: (command) => commit(command, firstResult),",
    replace: "runOnce: (command) => retryUnavailable(commit(command, firstResult)),",
  },
  {
    name: "a gateway that does not answer counts as not sent",
    file: gatewayCalls,
    find: 'Exit.succeed(unknown("The gateway did not answer in time"))',
    replace: 'Exit.succeed({ _tag: "NotSent", message: "late" })',
  },
  {
    name: "an adapter that breaks counts as not sent",
    file: gatewayCalls,
    find: 'unknown("The gateway adapter failed"),',
    replace: '{ _tag: "NotSent", message: "broken" },',
  },
  {
    name: "an answer that cannot be read counts as not sent",
    file: `${core}/domain/messages/GatewayOutcome.ts`,
    find: '_tag: "Unknown",\n  message: "The gateway\'s answer could not be read",',
    replace: '_tag: "NotSent",\n  message: "The gateway\'s answer could not be read",',
  },
  {
    name: "a message with an unknown outcome goes to the next gateway",
    file: `${core}/routing/Routing.ts`,
    find: 'Unknown: { next: "end", signal: "failure" },',
    replace: 'Unknown: { next: "later", signal: "failure" },',
  },
  {
    name: "a message is sent again although its gateway ignores tokens",
    file: settlement,
    find: "if (isOurs && isRemembered(message)) {",
    replace: "if (isOurs) {",
  },
  {
    name: "a router sends again under the token of its first gateway",
    file: `${core}/routing/internal/outcomes.ts`,
    find: "tokenMillis: all.length === 1 ? (only?.tokenMillis ?? 0) : 0,",
    replace: "tokenMillis: only?.tokenMillis ?? 0,",
  },
  {
    name: "a message whose node has stopped counts as not sent",
    file: settlement,
    find: '_tag: "Unknown",\n  message: "The node that was sending stopped",',
    replace: '_tag: "NotSent",\n  message: "The node that was sending stopped",',
  },
  {
    name: "no node takes a message over",
    file: settlement,
    find: 'if (closed._tag === "NotDue") yield* reclaim(ref)',
    replace: "",
  },
  {
    name: "a code that is lost is followed by no SMS",
    file: settlement,
    find: 'if (closed._tag === "FollowDue") yield* Effect.ignore(codes.follow(ref, closed.requestId))',
    replace: "",
  },
  {
    name: "an unreadable lookup closes a message as not sent",
    file: settlement,
    find: 'case "Accepted":\n    case "Unknown":\n      return undefined',
    replace:
      'case "Accepted":\n      return undefined\n    case "Unknown":\n      return { status: "delivered", detail: null }',
  },
  {
    name: "a node that gives up a message of another node calls it not sent",
    file: `${core}/delivery/Dispatcher.ts`,
    find: "if (claim.dispatchNumber > 1)",
    replace: "if (claim.dispatchNumber > 1_000)",
  },
  {
    name: "a report on an unknown message is dropped",
    file: `${core}/services/Reports.ts`,
    find: "yield* store.keepReport({ ...id, status, ...unknownTexts({ detail, evidence }) })",
    replace: "",
  },
  {
    name: "a kept report is forgotten and not applied",
    file: `${core}/services/Reports.ts`,
    find: "if (ref !== undefined) yield* busy.run(ref.organization, apply(ref, report, report))",
    replace: "",
  },
  {
    name: "the events of a round that failed are not sent again",
    file: progress,
    find: "retries.set(sequence, afterFailure(tried, jitter, retryAfterMillis, now))",
    replace: "retries.delete(sequence)",
  },
  {
    name: "the place of a webhook is one event ahead",
    file: progress,
    find: "      ...self,\n      position,\n      previous,\n      status,",
    replace: "      ...self,\n      position: position + 1,\n      previous,\n      status,",
  },
  {
    name: "a webhook that was claimed is never free again",
    file: progress,
    find: 'status === "active" && leaseUntil <= now',
    replace: 'status === "active" && leaseUntil === 0',
  },
]
