/**
 * A change of an organization's settings, brands and keys by the host, and the events that it is.
 */
import type { Account } from "../domain/Account.ts"
import * as Event from "../domain/Event.ts"
import type { Organization } from "../domain/Organization.ts"
import type { Webhook } from "../domain/Webhook.ts"
import type { Records } from "../domain/Records.ts"
import { recorded } from "./internal/recorded.ts"

/**
 * `change` is the host's. Pure, because a store may run it more than once. `lastEvent`: the `sequence` of the
 * organization's newest event.
 */
export type Change = (organization: Organization, now: number, lastEvent: number) => Organization

export interface Changed {
  readonly organization: Organization
  readonly events: ReadonlyArray<Event.OrganizationEvent>
}

export interface Decided extends Changed {
  readonly account: Account
  /** The rows to append to the event log. */
  readonly logged: ReadonlyArray<Event.LoggedEvent>
}

/** Decides a change at `now` (epoch milliseconds, from `Decision.timeOf`). Raises the version. */
export const decide = (
  rows: { readonly account: Account; readonly organization: Organization },
  change: Change,
  now: number,
  records: Records,
): Decided => {
  const version = rows.account.version + 1
  const account: Account = { ...rows.account, version, lastAt: now }
  const organization = { ...change(rows.organization, now, account.lastEvent), version }
  const raised = eventsOf(rows.organization, organization, now)
  if (!records.events || raised.length === 0) {
    return { organization, account, events: raised, logged: [] }
  }
  const { events, logged, ...numbered } = recorded(raised, account)
  return { organization, account: numbered.account, events, logged }
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const eventsOf = (
  before: Organization,
  after: Organization,
  at: number,
): ReadonlyArray<Event.OrganizationEvent> => {
  const about = { organization: after.id, at }
  const events: Array<Event.OrganizationEvent> = []
  const keys = new Map(before.keys.map((key) => [key.id, key]))
  for (const { environment, id, name, revokedAt } of after.keys) {
    const known = keys.get(id)
    if (known === undefined) {
      events.push({ _tag: "KeyCreated", ...about, key: { id, name, environment } })
    }
    if (revokedAt !== null && (known?.revokedAt ?? null) === null) {
      events.push({ _tag: "KeyRevoked", ...about, key: { id, name } })
    }
  }
  const brands = new Map(before.brands.map((brand) => [brand.id, brand]))
  for (const brand of after.brands) {
    if (!isSame(brands.get(brand.id), brand)) {
      events.push({ _tag: "BrandChanged", ...about, brand })
    }
  }
  const settings = Event.settings.filter(
    (name) => !isSame(settingOf(before, name), settingOf(after, name)),
  )
  if (settings.length > 0) events.push({ _tag: "SettingsChanged", ...about, settings })
  return [...events, ...webhookEvents(before.webhooks, after.webhooks, about)]
}

const webhookEvents = (
  before: ReadonlyArray<Webhook>,
  after: ReadonlyArray<Webhook>,
  about: Pick<Event.OrganizationEvent, "organization" | "at">,
): ReadonlyArray<Event.OrganizationEvent> => [
  ...after.flatMap((webhook): ReadonlyArray<Event.OrganizationEvent> => {
    const known = before.find(({ id }) => id === webhook.id)
    if (isSame(known, webhook)) return []
    const _tag = known === undefined ? "WebhookCreated" : "WebhookChanged"
    return [{ _tag, ...about, webhookId: webhook.id }]
  }),
  ...before.flatMap(({ id }): ReadonlyArray<Event.OrganizationEvent> =>
    after.some((webhook) => webhook.id === id)
      ? []
      : [{ _tag: "WebhookRemoved", ...about, webhookId: id }],
  ),
]

const settingOf = ({ name, settings }: Organization, setting: Event.Setting): unknown =>
  setting === "name" ? name : settings[setting]
