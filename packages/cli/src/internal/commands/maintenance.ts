import { inUse } from "@countersign/core/domain/access/RegisteredCodeSecret"
import * as Durations from "@countersign/core/domain/values/Duration"
import type { MessageRef } from "@countersign/core/domain/values/Ids"
import { Store } from "@countersign/core/ports/Store"
import { CodeSecrets } from "@countersign/core/engine/CodeSecrets"
import * as Retention from "@countersign/core/jobs/Retention"
import * as RetentionPolicy from "@countersign/core/engine/RetentionPolicy"
import { lookupWorkers, Settlement } from "@countersign/core/jobs/Settlement"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Number from "effect/Number"
import * as Record from "effect/Record"
import { bareCommand, confirm, group } from "../command.ts"
import { UsageError } from "../failures.ts"
import { printDone, printTable } from "../output.ts"
import { withProgress } from "../progress.ts"
import { duration, isGiven, many, optionally } from "../flags.ts"
import * as Session from "../session.ts"
import * as Vendors from "../vendors.ts"

/** Number of due messages that a round looks through for those that it may settle. */
const maxLooked = 1_000

/**
 * The store without the due messages that wait to be followed by an SMS. Only a node of the host sends one, with its
 * texts and gateways.
 */
const withoutFollows = (store: Store["Service"]): Store["Service"] => ({
  ...store,
  due: Effect.fnUntraced(function* (limit, without) {
    const due = yield* store.due(Math.max(limit, maxLooked), without)
    const now = yield* Clock.currentTimeMillis
    const isOver = (ref: MessageRef) =>
      Effect.map(store.message(ref), (found) => {
        const { dueAt = null, followAt = null } = found?.message ?? {}
        return followAt === null || (dueAt !== null && dueAt <= now)
      })
    const over = yield* Effect.filter(due, isOver, { concurrency: 4 })
    return over.slice(0, limit)
  }),
})

const gateways = many(
  "gateway",
  Vendors.names,
  "A gateway that looks messages up, with its credentials in the environment; repeatable",
)

const withoutLookup = isGiven(
  "without-lookup",
  "Close messages without asking a gateway for their outcome",
)

/** Runs rounds until nothing is due, or until a round changes nothing. */
const settleAll = withProgress("Settling", (progress) =>
  Effect.gen(function* () {
    const settlement = yield* Settlement
    const store = yield* Store
    let examined = 0
    let looked = 0
    let before: ReadonlyArray<MessageRef> = []
    for (;;) {
      const due = yield* store.due(maxLooked)
      if (due.length === 0 || Equal.equals(due, before))
        return { examined, looked, left: due.length }
      yield* progress.show({ done: examined, total: examined + due.length, unit: "messages" })
      examined += yield* settlement.round
      const lookups = Effect.replicateEffect(settlement.lookup, lookupWorkers, {
        concurrency: "unbounded",
      })
      looked += Number.sumAll(yield* lookups)
      before = due
    }
  }),
)

export const settle = bareCommand(
  "settle",
  "Settle messages without an outcome whose deadline is over. Sends nothing",
  { gateways, withoutLookup },
  function* ({ gateways, withoutLookup }) {
    const [first, ...others] = gateways ?? []
    if ((first === undefined) !== withoutLookup) {
      return yield* new UsageError({
        message:
          "Name the gateways of the host with --gateway, or give --without-lookup. A message that is closed without a look-up stays charged although its gateway may know that it failed.",
      })
    }
    const gateway =
      first === undefined ? Session.layerNoGateway : Vendors.layerLookup([first, ...others])
    const { examined, left, looked } = yield* Effect.gen(function* () {
      // Without the secret, the dispatch of a code whose node has died cannot be taken over.
      yield* Effect.map(CodeSecrets, ({ current }) => current)
      return yield* settleAll
    }).pipe(Effect.provide(Session.layerOver(gateway, withoutFollows)))
    yield* printDone(
      { examined, lookedUp: looked, left },
      left === 0
        ? `Settled. Examined messages: ${examined}. Looked up: ${looked}.`
        : `Examined messages: ${examined}. Looked up: ${looked}. Left: ${left}, whose organizations are busy.`,
    )
  },
)

const older = (kind: string, what: string) =>
  optionally(
    duration(kind, { min: 1, max: Durations.maxMillis }, "day").pipe(
      Flag.withDescription(`Delete ${what} that are older: "90 days". Default: none`),
    ),
  )

const kinds = {
  messages: older("messages", "messages"),
  verifications: older("verifications", "requests, and phone numbers without later ones,"),
  findings: older("findings", "findings of fraud"),
  totals: older("totals", "totals"),
  events: older("events", "events"),
  audit: older("audit", "entries of the audit"),
  refusals: older("refusals", "refused calls"),
}

const pruneAll = withProgress("Deleting", (progress) =>
  Effect.gen(function* () {
    const retention = yield* Retention.Retention
    yield* progress.show({ done: 0, unit: "rows" })
    const codes = yield* retention.eraseCodes
    let sums: Record.ReadonlyRecord<string, number> = {}
    for (;;) {
      const { isDone, ...dropped } = yield* retention.round
      sums = Record.union(sums, dropped, Number.sum)
      yield* progress.show({ done: Number.sumAll(Object.values(sums)), unit: "rows" })
      if (isDone) return { codes, ...sums }
    }
  }),
)

export const prune = bareCommand(
  "prune",
  "Delete rows older than the given durations, and the codes of expired requests",
  {
    ...kinds,
    share: Flag.Finite("share").pipe(
      Flag.withDescription("Share of the time that deletions may take, above 0 and at most 1"),
      Flag.filter(
        (share) => share > 0 && share <= 1,
        () => "Expected more than 0 and at most 1",
      ),
      Flag.withDefault(RetentionPolicy.defaults.share),
    ),
  },
  function* ({ share, ...kinds }) {
    const kept = Record.filter(kinds, (millis) => millis !== undefined)
    const deleted = Object.entries(kept).map(
      ([kind, millis]) => `${kind} older than ${Durations.format(millis)}`,
    )
    if (deleted.length > 0) {
      yield* confirm(`Delete ${deleted.join(", ")}, of all organizations?`)
    }
    const policy: RetentionPolicy.RetentionPolicy = {
      ...RetentionPolicy.defaults,
      share,
      refusals: Duration.millis(kinds.verifications ?? Infinity),
      ...Record.map(kept, Duration.millis),
    }
    const dropped: Readonly<Record<string, number>> = yield* pruneAll.pipe(
      Effect.provide(
        Session.layer.pipe(Layer.provide(Layer.succeed(RetentionPolicy.RetentionPolicy, policy))),
      ),
    )
    const counts = Object.entries(dropped).map(([kind, count]) => `${kind}: ${count}`)
    yield* printDone(dropped, `Deleted. ${counts.join(", ")}.`)
  },
)

const listSecrets = bareCommand(
  "list",
  "List the secrets that processes have started with, by their ids",
  {},
  function* () {
    const { now, registered } = yield* Store.use((_) => _.codeSecrets)
    const used = inUse(registered, now)
    const secrets = registered.map((secret) => ({
      id: secret.id,
      /** The last start of a process that knew it. */
      usedAt: new Date(secret.usedAt),
      isInUse: used.includes(secret),
    }))
    yield* printTable(
      secrets,
      ["id", ["last start", "usedAt"], "isInUse"],
      "No process has started on this database yet.",
    )
  },
)

const forgetSecrets = bareCommand(
  "forget",
  "Let the next start decide the secret: the old one is lost, or the database a copy",
  {},
  function* () {
    const store = yield* Store
    const { registered } = yield* store.codeSecrets
    yield* confirm(
      "Forget the secrets of this database? Stop its processes first. The next start decides the secret. Codes, secrets of webhooks and limits of erased numbers under other secrets are lost.",
    )
    yield* store.forgetCodeSecrets(registered.map(({ id }) => id))
    yield* printDone(
      { forgotten: registered.length },
      `Forgotten secrets: ${registered.length}. The next process that starts decides the secret.`,
    )
  },
)

export const secret = Command.provide(
  group("secret", [listSecrets, forgetSecrets], "The secrets that the database is used with"),
  Session.layerStore,
)
