/**
 * Examines the organizations that have sent messages of late, and raises their alerts.
 *
 * Any number of nodes may run it. The commit that examines an organization decides whether it is due, so only one of them
 * examines it in a minute.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as AlertOverrides from "../domain/alerts/AlertOverrides.ts"
import * as AlertState from "../domain/alerts/AlertState.ts"
import { checkMillis } from "../domain/alerts/AlertTable.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import { hourMillis } from "../domain/money/Total.ts"
import type { Organization } from "../domain/organizations/Organization.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { Access } from "../engine/Access.ts"
import { Commits } from "../engine/Commits.ts"
import { Store } from "../ports/Store.ts"

export class AlertChecks extends Context.Service<
  AlertChecks,
  {
    /** Examines all organizations that are due, and returns their number. */
    readonly round: Effect.Effect<number, StoreUnavailable>
  }
>()("@countersign/core/jobs/AlertChecks") {}

/** Number of organizations in a read. */
const pageSize = 200

/** Number of organizations that a node examines at once. */
const workers = 4

const make = Effect.gen(function* () {
  const access = yield* Access
  const commits = yield* Commits
  const store = yield* Store

  /** For how long the enabled webhook that is in trouble for longest has taken nothing, in minutes. */
  const troubleOf = Effect.fnUntraced(function* ({ id, webhooks }: Organization, now: number) {
    const enabled = webhooks.filter(({ isEnabled }) => isEnabled).map((one) => one.id)
    if (enabled.length === 0) return null
    const progress = yield* store.webhookProgress(id)
    const ofEnabled = progress.filter((one) => enabled.includes(one.id))
    return AlertState.troubleOf(ofEnabled, now)
  })

  const check = Effect.fnUntraced(function* (organization: OrganizationId, now: number) {
    const totals = yield* store.totals(organization, {
      kinds: ["messages", "requests"],
      ...AlertState.hoursOf(now),
      slotMillis: hourMillis,
    })
    const shares = AlertState.sharesOf(totals, now)
    return yield* access.serve(
      { organization },
      Effect.fnUntraced(function* (current: Organization) {
        return yield* commits.run({
          _tag: "CheckAlerts",
          organization,
          version: current.version,
          bounds: AlertOverrides.apply(current.settings.alerts),
          values: { ...shares, webhooks: yield* troubleOf(current, now) },
        })
      }),
    )
  })

  const checkOne = (organization: OrganizationId, now: number) =>
    check(organization, now).pipe(
      Effect.map(({ _tag }) => (_tag === "AlertsChecked" ? 1 : 0)),
      Effect.catchCause(() =>
        Effect.as(Effect.logWarning("Alerts could not be examined", { organization }), 0),
      ),
    )

  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const hours = AlertState.hoursOf(now)
    let after: OrganizationId | undefined
    let checked = 0
    for (;;) {
      const page = yield* store.examinable({ ...hours, after, limit: pageSize })
      const due = page.filter((one) => AlertState.isDue(one, now))
      const counts = yield* Effect.forEach(due, ({ organization }) => checkOne(organization, now), {
        concurrency: workers,
      })
      checked += counts.reduce((sum, one) => sum + one, 0)
      after = page.at(-1)?.organization
      if (page.length < pageSize) return checked
    }
  }).pipe(Effect.withSpan("AlertChecks.round"))

  return AlertChecks.of({ round })
})

export const layer = Layer.effect(AlertChecks, make)

/** Runs rounds for the lifetime of the layer. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { round } = yield* AlertChecks
    yield* round.pipe(
      Effect.catchCause(() =>
        Effect.logWarning("A round of alerts failed; the next will try again"),
      ),
      Effect.delay(Duration.millis(checkMillis)),
      Effect.repeat(Schedule.forever),
      Effect.forkScoped,
    )
  }),
)
