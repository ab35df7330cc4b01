import type { Command, CommandResult, Tag } from "@countersign/core/decide/Command"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Money } from "@countersign/core/domain/values/Money"
import type { MessageQuery, Store } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Samples from "../../Samples.ts"

export type StoreService = Store["Service"]

/** The steps of a test, in the form of `Effect.gen`. */
export type Body = (store: StoreService) => Generator<Effect.Effect<unknown, unknown>, void, never>

/** Registers a test with its own store, at `Samples.now`. */
export type Test = (title: string, body: Body) => void

/** Opens the sample organization and tops up its balance. */
export const open = Effect.fnUntraced(function* (
  store: StoreService,
  balance: Money = Samples.money("10"),
  id: OrganizationId = Samples.organizationId,
) {
  yield* store.createOrganization(Samples.organization({ id }))
  if (balance > 0) yield* store.execute(Samples.topUp({ organization: id, amount: balance }))
})

/** Executes a command and returns its outcome. */
export const run = <T extends Tag>(store: StoreService, command: Command<T>) =>
  Effect.map(store.execute(command), ({ result }): CommandResult<T> => result)

/** Executes commands sequentially and returns the tags of their outcomes. */
export const transcript = (store: StoreService, commands: ReadonlyArray<Command>) =>
  Effect.forEach(commands, (command) => Effect.map(run(store, command), ({ _tag }): string => _tag))

/** Executes all commands concurrently. */
export const atOnce = <T extends Tag>(store: StoreService, commands: ReadonlyArray<Command<T>>) =>
  Effect.forEach(commands, (command) => run(store, command), { concurrency: "unbounded" })

/** A message with an id of its own. */
export const held = (index: number, overrides: Samples.Overrides<Command<"HoldMessage">> = {}) =>
  Samples.holdMessage({ draft: { id: Samples.messageId(index) }, ...overrides })

/** A request with an id of its own, for the number with its index. */
export const asked = (
  index: number,
  overrides: Samples.Overrides<Command<"RequestVerification">> = {},
) =>
  Samples.requestVerification({
    requestId: Samples.requestId(index),
    phoneNumber: Samples.phoneNumber(index),
    draft: { id: Samples.messageId(index) },
    ...overrides,
  })

export const delivered = (gatewayId = "gw-1") => ({ _tag: "Delivered", gatewayId }) as const

export const unsent = { _tag: "NotSent", message: "no route" } as const

/** The outcome of the first dispatch of a message. */
export const settled = (
  messageSequence: number,
  outcome: GatewayOutcome,
  overrides: Samples.Overrides<Command<"RecordDispatch">> = {},
) => Samples.recordDispatch({ messageSequence, outcome, ...overrides })

/** A page of the log: all messages, unless the query selects some. */
export const logOf = (
  store: StoreService,
  query: Partial<MessageQuery> = {},
  id: OrganizationId = Samples.organizationId,
) =>
  Effect.map(
    store.messages(id, { from: undefined, to: undefined, skip: 0, limit: 1_000, ...query }),
    present,
  )

export const tagsOf = (outcomes: ReadonlyArray<{ readonly _tag: string }>): Array<string> =>
  outcomes.map(({ _tag }) => _tag)

/** Counts each text. */
export const tally = (texts: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

export const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** Returns a value. Fails if it is `undefined`. */
export const present = <A>(value: A | undefined): A => {
  assert.isDefined(value)
  return value
}
