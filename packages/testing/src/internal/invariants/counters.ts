import { type Counter, inSlots, kinds } from "@countersign/core/domain/money/Counter"
import type { Message } from "@countersign/core/domain/messages/Message"
import { dayMillis, hourMillis } from "@countersign/core/domain/money/Total"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type { Snapshot } from "./snapshot.ts"

type Row = Pick<Counter, "hour" | "kind" | "subject" | "name" | "count" | "amount" | "refunded">

const keyOf = ({ hour, kind, name, subject }: Row): string => [hour, kind, subject, name].join(" ")

const textOf = ({ amount, count, refunded }: Row): string => [count, amount, refunded].join("/")

const linesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.map((row) => `${keyOf(row)} ${textOf(row)}`).toSorted()

/** The messages of all organizations by hour, gateway and status, as their logs have them. */
const recountOf = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => {
  const final = messages.filter(({ status }) => status !== "pending")
  const groups = Map.groupBy(final, ({ createdAt, gateway, status }) =>
    [createdAt - (createdAt % hourMillis), "messages", gateway, status].join(" "),
  )
  return [...groups].map(([key, own]) => {
    const sum = (some: ReadonlyArray<Message>) => some.reduce((all, { charge }) => all + charge, 0)
    const refunded = sum(own.filter(({ hold }) => hold === "released"))
    return `${key} ${own.length}/${sum(own)}/${refunded}`
  })
}

const difference = (what: string, found: ReadonlyArray<string>, right: ReadonlyArray<string>) => {
  const wrong = found.filter((line) => !right.includes(line))
  const missing = right.filter((line) => !found.includes(line))
  return wrong.length + missing.length === 0
    ? []
    : [`I39: ${what} are ${wrong.join(", ")}, and should be ${missing.join(", ")}`]
}

/** An error counts in its hour, and names a message of its gateway. */
const errorProblems = (
  rows: ReadonlyArray<Counter>,
  snapshots: ReadonlyArray<Snapshot>,
): ReadonlyArray<string> =>
  rows.flatMap(({ hour, kind, lastAt, lastOrganization, lastSequence, name, subject }) => {
    if (kind !== "errors") return lastAt === 0 ? [] : [`I39: ${kind} of ${subject} have a message`]
    const account = snapshots.find((one) => one.account.organization === lastOrganization)?.account
    const isInLog = lastSequence >= 1 && lastSequence <= (account?.lastMessage ?? 0)
    return isInLog && lastAt - (lastAt % hourMillis) === hour
      ? []
      : [`I39: the last ${name} of ${subject} is ${lastOrganization} ${lastSequence} at ${lastAt}`]
  })

/** Compares the counters of gateways and webhooks with the logs and the attempts of all organizations. */
export const counterProblems = (
  store: Store["Service"],
  snapshots: ReadonlyArray<Snapshot>,
): Effect.Effect<ReadonlyArray<string>, StoreUnavailable> =>
  Effect.gen(function* () {
    const messages = snapshots.flatMap((one) => one.messages)
    const webhooks = snapshots.flatMap((one) => one.webhooks)
    const ids = webhooks.map(({ id }) => id)
    const subjects = [...new Set([...messages.map(({ gateway }) => gateway), ...ids])]
    const query = { kinds, subjects, from: 0, to: Number.MAX_SAFE_INTEGER }
    const hours = yield* store.counters({ ...query, slotMillis: hourMillis })
    const days = yield* store.counters({ ...query, slotMillis: dayMillis })
    const counts = new Map<string, number>()
    for (const { count, kind, subject } of hours) {
      if (kind === "taken" || kind === "failed") {
        counts.set(`${subject} ${kind}`, (counts.get(`${subject} ${kind}`) ?? 0) + count)
      }
    }
    const ofWebhooks = yield* Effect.forEach(webhooks, ({ id, organization }) => {
      const all = { isTaken: undefined, event: undefined, from: undefined, to: undefined }
      const attempts = { organization, webhookId: id, ...all, before: undefined, limit: 10_000 }
      return Effect.map(store.webhookAttempts(attempts), (rows) =>
        [...Map.groupBy(rows, ({ error }) => (error === null ? "taken" : "failed"))].map(
          ([kind, own]) => `${id} ${kind} ${own.length}`,
        ),
      )
    })
    const counted = hours.filter(({ kind }) => kind === "messages")
    const isWhole = snapshots.every(({ account }) => account.firstMessage === 1)
    return [
      ...hours.flatMap((row) => (row.count < 0 ? [`I39: ${keyOf(row)} is ${row.count}`] : [])),
      ...(isWhole ? difference("the messages", linesOf(counted), recountOf(messages)) : []),
      ...difference("the days", linesOf(days), linesOf(inSlots(hours, dayMillis))),
      ...difference(
        "the attempts of webhooks",
        [...counts].map(([key, count]) => `${key} ${count}`),
        ofWebhooks.flat(),
      ),
      ...errorProblems(hours, snapshots),
    ]
  })
