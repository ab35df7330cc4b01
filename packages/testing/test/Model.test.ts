import type { Limits } from "@countersign/core/domain/limits/Limits"
import type { NewMessage } from "@countersign/core/domain/messages/Message"
import type { Command, CommandResult, Tag } from "@countersign/core/decide/Command"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import type { RequestId } from "@countersign/core/domain/values/Ids"
import { limitsOf } from "@countersign/core/domain/limits/SlidingWindow"
import * as Money from "@countersign/core/domain/values/Money"
import type { CommitResult, Store } from "@countersign/core/ports/Store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Model from "../src/Model.ts"
import * as Samples from "../src/Samples.ts"
import { seededBytes } from "../src/TestCrypto.ts"
import { answers } from "./support/modelAnswers.ts"
import { altering, setting, withMistake, without } from "./support/mistakenStore.ts"
import { recordMistakes } from "./support/recordMistakes.ts"

/** The memory store, whose every call takes from none to three turns before and after it. */
const slow = withMistake((store) => {
  const draw = seededBytes(7)
  const turns = Effect.suspend(() => Effect.replicateEffect(Effect.yieldNow, (draw(1)[0] ?? 0) % 4))
  const around = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(Effect.andThen(turns, call), () => turns)
  return {
    execute: (command) => around(store.execute(command)),
    changeOrganization: (...change) => around(store.changeOrganization(...change)),
    organization: (id) => around(store.organization(id)),
    account: (id) => around(store.account(id)),
    messages: (organization, query) => around(store.messages(organization, query)),
    due: (limit, without) => around(store.due(limit, without)),
    locate: (gateway, gatewayId) => around(store.locate(gateway, gatewayId)),
  }
})

const everyNth = (n: number) => {
  let count = 0
  return () => ++count % n === 0
}

/** Changes the limits of every command that has limits. */
const limiting = (limits: Partial<Limits>): Layer.Layer<Store> =>
  altering((command) =>
    "limits" in command ? { ...command, limits: { ...command.limits, ...limits } } : command,
  )

/** Changes the message of every command that has one. */
const drafting = (change: (draft: NewMessage) => Partial<NewMessage>): Layer.Layer<Store> =>
  altering((command) =>
    "draft" in command
      ? { ...command, draft: { ...command.draft, ...change(command.draft) } }
      : command,
  )

const window = (max: number, windowMillis = 60_000) => ({ max, windowMillis })

const pending = { status: "pending", verifiedAt: null, consumedAt: null } as const

/** Another seed finds a mistake sooner. */
const mistakes: ReadonlyArray<
  readonly [mistake: string, layer: Layer.Layer<Store>, seed?: number]
> = [
  ["admits an eleventh request in a minute", limiting({ sendsPerNumber: window(11) })],
  [
    "counts a window that is a millisecond too short",
    limiting({ sendsPerNumber: window(10, 59_999) }),
    1,
  ],
  [
    "counts a window that is a millisecond too long",
    limiting({ sendsPerNumber: window(10, 60_001) }),
  ],
  ["has room for a sixth pending request", limiting({ pendingPerNumber: 6 })],
  ["gives a fourth attempt", limiting({ attempts: 4 })],
  [
    "lets requests live a second longer",
    altering((command) =>
      "expirySeconds" in command
        ? { ...command, expirySeconds: command.expirySeconds + 1 }
        : command,
    ),
  ],
  ["checks codes without a limit", limiting({ checksPerOrganization: undefined })],
  [
    "counts wrong codes in the shorter window only",
    altering((command) => {
      if (!("limits" in command) || command.limits.guessesPerNumber === undefined) return command
      const [guessesPerNumber] = limitsOf(command.limits.guessesPerNumber)
      return { ...command, limits: { ...command.limits, guessesPerNumber } }
    }),
  ],
  [
    "takes every client for a stranger",
    altering((command) => ("client" in command ? { ...command, client: undefined } : command)),
  ],
  [
    "takes the client of a code that is sent again for a stranger",
    without("ResendVerification", "client"),
    6,
  ],
  ["never blocks a number", limiting({ guessesSinceSuccess: undefined })],
  ...(
    [
      "HoldMessage",
      "RequestVerification",
      "ResendVerification",
      "ConsumeVerification",
      "VerifyCode",
    ] as const
  ).map((tag) => [`forgets the idempotency key of ${tag}`, without(tag, "idempotency")] as const),
  [
    "takes every call with a used idempotency key for the first one",
    altering((command) =>
      "idempotency" in command && command.idempotency !== undefined
        ? { ...command, idempotency: { ...command.idempotency, fingerprint: new Uint8Array(32) } }
        : command,
    ),
  ],
  [
    "forgets the answers to calls with idempotency keys",
    setting("RecordAnswer", { idempotencyId: "another" }),
  ],
  [
    "resets the wrong codes of another number",
    setting("ResetGuesses", { phoneNumber: Samples.phoneNumber() }),
    8,
  ],
  ["sends a code again without a pause", limiting({ resendCooldownMillis: 0 })],
  ["sends a code again for the fourth time", limiting({ resends: 4 })],
  [
    "does not count a code that is sent again",
    altering((command) => ("isCounted" in command ? { ...command, isCounted: true } : command)),
  ],
  [
    "finds requests for any purpose",
    altering((command) =>
      command._tag === "CheckCode" || command._tag === "ConsumeVerification"
        ? { ...command, purpose: undefined }
        : command,
    ),
  ],
  [
    "says that a request is not verified when it is used up",
    withMistake((store) => ({
      execute: <T extends Tag>(command: Command<T>) =>
        Effect.map(store.execute<T>(command), (committed) =>
          committed.result._tag === "AlreadyConsumed"
            ? { ...committed, result: { ...committed.result, _tag: "NotVerified" } }
            : committed,
        ),
    })),
  ],
  [
    "lets an SMS follow too late",
    altering((command) =>
      "followMillis" in command && command.followMillis !== undefined
        ? { ...command, followMillis: 600_000 }
        : command,
    ),
  ],
  ["sends a queued message twice", without("HoldMessage", "queued")],
  ["sends a queued code twice", without("RequestVerification", "queued")],
  ["cancels a queued send instead of refusing it", setting("EndQueued", { end: "cancelled" })],
  ["moves a queued send to another time", setting("MoveQueued", { dueAt: 9_999_999_999_999 })],
  ["knows no cap", limiting({ spendPerDay: undefined })],
  [
    "watches for nothing",
    altering((command) => ("rules" in command ? { ...command, rules: undefined } : command)),
  ],
  ["counts codes that never left", without("RecordDispatch", "rules"), 6],
  ["fails a request whose code goes out once more", without("RecordDispatch", "followMillis")],
  [
    "keeps a request whose code went out neither way",
    setting("RecordDispatch", { followMillis: 30_000 }),
  ],
  [
    "keeps a request whose second message cannot be paid",
    withMistake((store) => {
      const kept = new Set<RequestId>()
      return {
        execute: (command) =>
          Effect.tap(store.execute(command), ({ result: { _tag } }) =>
            Effect.sync(() => {
              const isUnpaid = _tag === "Insufficient" || _tag === "Capped"
              const isFollowed = "messageSequence" in command && "requestId" in command
              if (isUnpaid && isFollowed && command.requestId !== null) kept.add(command.requestId)
            }),
          ),
        verification: (organization, id) =>
          Effect.map(store.verification(organization, id), (found) =>
            found !== undefined && kept.has(id)
              ? { ...found, verification: { ...found.verification, ...pending } }
              : found,
          ),
      }
    }),
  ],
  ["forgets that a message is paid for", drafting(() => ({ charge: Money.zero }))],
  [
    "takes a refusal for a silence",
    altering((command) =>
      "outcome" in command && command.outcome._tag === "Rejected"
        ? { ...command, outcome: { _tag: "Unknown", message: "" } }
        : command,
    ),
  ],
  ["takes every acceptance for a delivery", setting("RecordDispatch", { hasReports: false })],
  [
    "forgets which request a refused message was for",
    setting("RecordDispatch", { requestId: null }),
  ],
  [
    "takes a dispatch over a millisecond early",
    drafting(({ leaseMillis }) => ({ leaseMillis: leaseMillis - 1 })),
    11,
  ],
  [
    "closes a message a millisecond late",
    drafting(({ settleMillis }) => ({ settleMillis: settleMillis + 1 })),
  ],
  [
    "serves callers by old settings",
    withMistake((store) => ({
      execute: <T extends Tag>(command: Command<T>) =>
        Effect.flatMap(store.account(command.organization), (account) =>
          store.execute<T>(
            "version" in command ? { ...command, version: account?.version ?? 1 } : command,
          ),
        ),
    })),
  ],
  [
    "pays a refund out twice",
    withMistake((store) => ({
      execute: <T extends Tag>(command: Command<T>) =>
        Effect.tap(store.execute<T>(command), ({ events }) =>
          Effect.forEach(events, (event) =>
            event._tag === "Refunded"
              ? store.execute(
                  Samples.adjust({ organization: event.organization, amount: event.amount }),
                )
              : Effect.void,
          ),
        ),
    })),
  ],
  [
    "books a payment again when it is repeated",
    altering((command) => ("paymentId" in command ? { ...command, paymentId: null } : command)),
  ],
  [
    "finds other people's requests",
    withMistake((store) => ({
      execute: <T extends Tag>(
        command: Command<T>,
      ): Effect.Effect<CommitResult<CommandResult<T>>, never> =>
        Effect.orDie(
          Effect.flatMap(store.execute<T>(command), (committed) =>
            committed.result._tag === "NotFound" && command._tag === "CheckCode"
              ? Effect.flatMap(store.organizations(undefined, 1), ([organization]) =>
                  organization === undefined
                    ? Effect.succeed(committed)
                    : store.execute<T>({ ...command, organization, version: 5 }),
                )
              : Effect.succeed(committed),
          ),
        ),
    })),
  ],
  [
    "drops one outcome in ten",
    withMistake((store) => {
      const isDropped = everyNth(10)
      return {
        execute: (command) =>
          store.execute(
            command._tag === "RecordDispatch" && isDropped()
              ? { ...command, dispatchNumber: 99 }
              : command,
          ),
      }
    }),
  ],
  ...recordMistakes,
  [
    "leaves the end of a range out",
    withMistake((store) => ({
      messages: (organization, query) =>
        store.messages(organization, {
          ...query,
          to: query.to === undefined ? undefined : query.to - 1,
        }),
    })),
  ],
  [
    "shows the log a message late",
    withMistake((store) => ({
      messages: (organization, query) =>
        store.messages(
          organization,
          query.limit === 1 ? query : { ...query, skip: Math.max(0, query.skip - 1) },
        ),
    })),
    3,
  ],
  [
    "shows an older balance",
    withMistake((store) => {
      const isOld = everyNth(7)
      return {
        account: (id) =>
          Effect.map(store.account(id), (account) =>
            account !== undefined && isOld() && account.balance > 0
              ? { ...account, balance: Money.fromUnits(account.balance - 1) }
              : account,
          ),
      }
    }),
  ],
  [
    "loses the last entry of the ledger",
    withMistake((store) => ({
      entries: (id, after, limit) =>
        Effect.map(store.entries(id, after, limit), (entries) =>
          entries.length > 9 ? entries.slice(0, -1) : entries,
        ),
    })),
  ],
  [
    "drops rows a millisecond early",
    withMistake((store) => ({
      prune: (step) => store.prune({ ...step, keepMillis: step.keepMillis - 1 }),
    })),
  ],
  [
    "says that it is done before it is",
    withMistake((store) => ({
      prune: (step) =>
        Effect.map(store.prune(step), ({ dropped }) => ({ dropped, next: undefined })),
    })),
  ],
  ["forgets what is due", withMistake(() => ({ due: () => Effect.succeed([]) }))],
  [
    "does not find messages by the gateway's id",
    withMistake(() => ({ locate: () => Effect.succeed(undefined) })),
  ],
]

describe("Model", () => {
  it.effect(
    "finds nothing in the memory store, and reaches every possible answer",
    () =>
      Effect.gen(function* () {
        const { met } = yield* Model.check({ layer: MemoryStore.layer, numRuns: 400, seed: 24 })
        const missing = answers.filter((answer) => !met.has(answer))
        assert.deepStrictEqual(missing, [])
      }),
    300_000,
  )

  it.effect(
    "finds nothing if every answer of the store takes a while and commands interleave",
    () =>
      Effect.gen(function* () {
        const { histories } = yield* Model.check({ layer: slow, numRuns: 150 })
        assert.strictEqual(histories, 150)
      }),
  )

  it.effect.each(mistakes)("finds a store that %s", ([, layer, seed = 2]) =>
    Effect.gen(function* () {
      const result = yield* Effect.flip(
        Model.check({ layer, numRuns: 3_000, maxCommands: 120, seed, endOnFailure: true }),
      )
      assert.include(result.message, "\n\nhistory:\n  1. ")
    }),
  )
})
