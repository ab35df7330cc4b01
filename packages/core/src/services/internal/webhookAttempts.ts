/** The requests to a webhook: their list, their content and their counts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HostEffect } from "../../api/Caller.ts"
import { FieldProblems } from "../../api/internal/fieldProblems.ts"
import { pageLimit } from "../../api/internal/pageLimit.ts"
import type * as Operation from "../../api/Operation.ts"
import type { webhooks } from "../../api/webhooks.ts"
import { headersOf } from "../../delivery/internal/webhookPosts.ts"
import { InvalidRequest, type WebhookNotFound } from "../../domain/errors/Errors.ts"
import type { LoggedEvent } from "../../domain/events/Event.ts"
import * as Counter from "../../domain/money/Counter.ts"
import * as Total from "../../domain/money/Total.ts"
import * as Cursor from "../../domain/values/Cursor.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import * as Webhook from "../../domain/webhooks/Webhook.ts"
import type { WebhookAttempt } from "../../domain/webhooks/WebhookAttempt.ts"
import * as WebhookProgress from "../../domain/webhooks/WebhookProgress.ts"
import type { Store } from "../../ports/Store.ts"
import { maxSlots } from "../Totals.ts"

type Operations = typeof webhooks

type Methods = Operation.HostMethods<Pick<Operations, "activity" | "attempt" | "attempts">>

type Ref = Operation.Inputs<Operations>["remove"]

type Find = (ref: Ref) => HostEffect<Webhook.Webhook, WebhookNotFound>

const notKept = (field: string) =>
  new InvalidRequest({ details: { [field]: [FieldProblem.make("not_kept", {})] } })

const slots = { hour: Total.hourMillis, day: Total.dayMillis } as const

/** The event with a sequence. Fails if it is not kept. */
export const eventAt =
  (store: Store["Service"]) => (organization: OrganizationId, sequence: number, field: string) =>
    Effect.flatMap(store.events(organization, sequence - 1, 1), (page) => {
      const event = page?.events.find((one) => one.sequence === sequence)
      return event === undefined ? Effect.fail(notKept(field)) : Effect.succeed(event)
    })

export const makeWebhookAttempts = (store: Store["Service"], find: Find): Methods => {
  const progressOf = ({ id, organization }: Ref, { startsAfter }: Webhook.Webhook) =>
    Effect.map(
      store.webhookProgress(organization),
      (all) =>
        all.find((one) => one.id === id) ?? WebhookProgress.initial(organization, id, startsAfter),
    )

  const attempts: Methods["attempts"] = Effect.fn("Webhooks.attempts")(function* ({
    cursor,
    event,
    from,
    id,
    limit,
    organization,
    result,
    to,
  }) {
    const problems = new FieldProblems()
    const before = cursor === undefined ? undefined : problems.parse("cursor", cursor, Cursor.parse)
    problems.period({ from, to })
    if (problems.error !== undefined) return yield* problems.error
    const webhook = yield* find({ id, organization })
    const progress = yield* progressOf({ id, organization }, webhook)
    const rows = pageLimit(limit)
    const isTaken = result === undefined ? undefined : result === "taken"
    const about = { organization, webhookId: id, isTaken, event, from, to, before, limit: rows }
    const found = yield* store.webhookAttempts(about)
    const last = found.length === rows ? found.at(-1) : undefined
    return {
      attempts: found.map((one) => shown(one, progress)),
      next: last && Cursor.make(last.position),
    }
  })

  const attempt: Methods["attempt"] = Effect.fn("Webhooks.attempt")(function* ({
    id,
    organization,
    position,
  }) {
    const webhook = yield* find({ id, organization })
    const progress = yield* progressOf({ id, organization }, webhook)
    const [one] = yield* store.webhookAttempts({
      organization,
      webhookId: id,
      before: position + 1,
      limit: 1,
      isTaken: undefined,
      event: undefined,
      from: undefined,
      to: undefined,
    })
    if (one?.position !== position) return yield* notKept("position")
    const page = yield* store.events(organization, one.sequence - 1, 1)
    const event = page?.events.find(({ sequence }) => sequence === one.sequence)
    return { ...shown(one, progress), request: event ? requestOf(webhook, one, event) : null }
  })

  const activity: Methods["activity"] = Effect.fn("Webhooks.activity")(function* ({
    every = "hour",
    from,
    id,
    organization,
    to,
  }) {
    const slotMillis = slots[every]
    const start = Total.slotOf(from, slotMillis)
    const problems = new FieldProblems()
    if (start > to) problems.fail("from", "after_to", {})
    if (to > start + maxSlots * slotMillis) problems.fail("to", "too_many_slots", { max: maxSlots })
    if (problems.error !== undefined) return yield* problems.error
    const webhook = yield* find({ id, organization })
    const progress = yield* progressOf({ id, organization }, webhook)
    const end = Math.ceil(to / slotMillis) * slotMillis
    const query = { kinds: Counter.webhookKinds, subjects: [id], from: start, to: end, slotMillis }
    const rows = yield* store.counters(query)
    const page = yield* store.events(organization, progress.position, 1)
    const now = yield* Clock.currentTimeMillis
    return {
      ...sumsOf(rows),
      ...waitingIn(progress, page, now),
      slots: [...Map.groupBy(rows, ({ hour }) => hour)].map(([at, own]) => ({
        at,
        ...sumsOf(own),
      })),
    }
  })

  return { attempts, attempt, activity }
}

/** Only the last attempt of an event is followed by another. */
const shown = (
  { organization: _, previous: _previous, webhookId: _id, ...attempt }: WebhookAttempt,
  { retries, status }: WebhookProgress.WebhookProgress,
) => {
  const retry = retries.find(({ sequence }) => sequence === attempt.sequence)
  const isLast = attempt.error !== null && retry?.attempts === attempt.number
  return { ...attempt, nextAt: isLast && status === "active" ? retry.nextAt : null }
}

const requestOf = (
  { url }: Webhook.Webhook,
  { at, previous }: WebhookAttempt,
  event: LoggedEvent,
) => ({
  url,
  headers: headersOf(Webhook.deliveryId(event), Math.floor(at / 1_000)),
  body: Webhook.bodyOf(event, previous),
})

const sumsOf = (rows: ReadonlyArray<Counter.Counter>) => {
  const counts = { taken: 0, failed: 0 }
  for (const { count, kind } of rows) {
    if (kind === "taken" || kind === "failed") counts[kind] += count
  }
  const histogram = Counter.histogramOf(rows)
  return {
    ...counts,
    p50: Counter.quantile(histogram, 0.5),
    p95: Counter.quantile(histogram, 0.95),
  }
}

/** A webhook whose deliveries have ended waits for a replay: nothing is on its way. */
const waitingIn = (
  { position, retries }: WebhookProgress.WebhookProgress,
  page: { readonly last: number; readonly events: ReadonlyArray<LoggedEvent> } | undefined,
  now: number,
) => {
  const fresh = Math.max(0, (page?.last ?? 0) - position)
  const times = [
    ...retries.map(({ firstAt }) => firstAt),
    ...(page?.events ?? []).map(({ at }) => at),
  ]
  const waiting = fresh + retries.length
  return { waiting, waitingSince: waiting === 0 ? null : Math.min(now, ...times) }
}
