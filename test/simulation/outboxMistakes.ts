/** Mistakes in the outbox. Several nodes, a caller who dispatches, or a node that dies show them. */
import type { SimulatedMistake } from "./ruleMistakes.ts"

const core = "packages/core/src"
const queuedSend = `${core}/domain/outbox/QueuedSend.ts`
const commands = `${core}/decide/commands/outbox.ts`
const rows = `${core}/adapters/internal/outboxRows.ts`
const outbox = `${core}/services/Outbox.ts`

export const outboxMistakes: ReadonlyArray<SimulatedMistake> = [
  {
    name: "the end of a queued send is not written with its charge",
    file: `${core}/decide/shared/Decider.ts`,
    find: "...(queued &&\n        view.queued && {",
    replace: "...(queued && now < 0 &&\n        view.queued && {",
  },
  {
    name: "an old claim of a queued send is good",
    file: queuedSend,
    find: "self.end === null && (claim ?? self.claim) === self.claim",
    replace: "self.end === null && (claim ?? self.claim) <= self.claim",
  },
  {
    name: "a queued send that has ended counts as open",
    file: queuedSend,
    find: "self !== undefined && self.end === null &&",
    replace: "self !== undefined &&",
  },
  {
    name: "a queued send that is moved keeps its claim",
    file: queuedSend,
    find: "QueuedSend => take(self, until)",
    replace: "QueuedSend => ({ ...self, dueAt: until })",
  },
  {
    name: "the order key of queued sends is ignored",
    file: rows,
    find: "send.orderKey === null ||",
    replace: "send.orderKey !== undefined ||",
  },
  {
    name: "a queued send is sent while the gateway has not answered to the one before it",
    file: queuedSend,
    find: "dueAt: self.orderKey === null ? null : now + leaseMillis,",
    replace: "dueAt: null,",
  },
  {
    name: "the order key of a queued send whose node has died is never released",
    file: outbox,
    find: "if (send.end !== null) return void (yield* release(send))",
    replace: "if (send.end !== null) return",
  },
  {
    name: "the lease of a queued send never ends",
    file: rows,
    find: "QueuedSend.take(send, at + leaseMillis)",
    replace: "QueuedSend.take(send, at + 1_000 * leaseMillis)",
  },
  {
    name: "a queued send that is cancelled stays open",
    file: commands,
    find: "queued: QueuedSend.end(queued, command.end, failure, now) },",
    replace:
      'queued: command.end === "cancelled" ? queued : QueuedSend.end(queued, command.end, failure, now) },',
  },
  {
    name: "a queued send is taken before its time",
    file: rows,
    find: "dueAt !== null && dueAt <= at",
    replace: "dueAt !== null && dueAt <= at + 5_000",
  },
  {
    name: "a queued send is sent after its time",
    file: `${core}/decide/Decision.ts`,
    find: "!QueuedSend.isExpired(queued, now)",
    replace: "now > 0",
  },
  {
    name: "a queued send that is refused never ends",
    file: queuedSend,
    find: 'if (isFinal) return { _tag: "refuse" }',
    replace: "",
  },
]
