/**
 * A change of an organization's settings, senders and keys by the host, and what the event log and the audit state
 * about it.
 */
import * as Equal from "effect/Equal"
import * as Account from "../domain/money/Account.ts"
import * as AlertOverrides from "../domain/alerts/AlertOverrides.ts"
import type { Actor } from "../domain/values/Actor.ts"
import {
  type NewAuditRecord,
  newRecord,
  storable,
  type Values,
} from "../domain/access/AuditRecord.ts"
import type * as Event from "../domain/events/Event.ts"
import { type Setting, settings as settingNames } from "../domain/events/EventTable.ts"
import * as LimitOverrides from "../domain/limits/LimitOverrides.ts"
import * as Money from "../domain/values/Money.ts"
import type { Organization, SettingChange } from "../domain/organizations/Organization.ts"
import * as Prefixes from "../domain/values/PrefixList.ts"
import type { Webhook } from "../domain/webhooks/Webhook.ts"
import type { Records } from "../domain/organizations/RecordOptions.ts"
import { answer, recorded, type Writes } from "./shared/Decider.ts"

/**
 * `change` is the host's. Pure, because a store may run it more than once. `lastEvent`: the `sequence` of the
 * organization's newest event.
 */
export type Change = (organization: Organization, now: number, lastEvent: number) => Organization

export interface Changed {
  readonly organization: Organization
  readonly events: ReadonlyArray<Event.OrganizationEvent>
}

/** The account after it, and the rows to append to the event log and the audit. */
export interface Rows extends Pick<Writes, "events" | "audit"> {
  readonly account: Account.Account
}

export interface Decided extends Changed {
  readonly writes: Rows
}

interface Context {
  readonly actor: Actor
  /** Epoch milliseconds. A change's is from `Decision.timeOf`. */
  readonly now: number
  readonly records: Records
  /** The version of the settings afterwards. @defaultValue the next number, from 1 */
  readonly version?: number | undefined
}

/** Decides a change. Gives the settings another version. */
export const decide = (
  rows: { readonly account: Account.Account; readonly organization: Organization },
  change: Change,
  { actor, now, records, version = rows.account.version + 1 }: Context,
): Decided => {
  const { lastEvent } = rows.account
  const organization = withChanges(
    rows.organization,
    { ...change(rows.organization, now, lastEvent), version },
    { at: now, by: storable(actor.id) },
  )
  const { balanceLowAt } = organization.settings
  const account: Account.Account = { ...rows.account, version, lastAt: now, balanceLowAt }
  const raised = eventsOf(rows.organization, organization, now)
  const audited = auditOf(rows.organization, organization, actor)
  const { events, writes } = recorded(answer(null, {}, raised, audited), account, records)
  return { organization, events, writes: { account, ...writes } }
}

/** The rows of a new organization besides its own. */
export const create = (
  organization: Omit<Organization, "version">,
  { actor, now, records, version = 1 }: Context,
): Rows => {
  const { balanceLowAt } = organization.settings
  const account = { ...Account.empty(organization.id, now), version, balanceLowAt }
  const { writes } = recorded(
    answer(null, {}, [], auditOf(undefined, organization, actor)),
    account,
    records,
  )
  return { account, ...writes }
}

type Content = Omit<Organization, "version">

/** A part of an organization as the audit shows it: without secrets, and without what no change of the host sets. */
export interface Part {
  /** The first word of its actions. */
  readonly name: string
  readonly id: string
  readonly values: Values
}

const settingsPart = ({ id, name, settings }: Content): Part => {
  const { alerts, balanceLowAt, changes: _changes, limits, ...others } = settings
  const values = {
    name,
    ...others,
    alerts: AlertOverrides.plainAlerts(alerts),
    limits: LimitOverrides.audited(limits),
    balanceLowAt: balanceLowAt === null ? null : Money.format(balanceLowAt),
  }
  return { name: "organization", id, values }
}

/** The parts of an organization whose changes are audited. */
export const parts = (self: Content): ReadonlyArray<Part> => [
  settingsPart(self),
  ...self.senders.map(({ id, ...values }) => ({ name: "brand", id, values })),
  ...self.keys.map(({ id, createdBy: _by, lastUsedAt: _use, secretHash: _hash, ...values }) => ({
    name: "api_key",
    id,
    values,
  })),
  ...self.webhooks.map(({ id, secrets, ...values }) => ({
    name: "webhook",
    id,
    values: { ...values, secrets: secrets.map(({ pepper, until }) => ({ pepper, until })) },
  })),
]

const byKey = (all: ReadonlyArray<Part>): ReadonlyMap<string, Part> =>
  new Map(all.map((part) => [`${part.name} ${part.id}`, part]))

/** The action on a part. Only keys can be revoked, and a revoked key stays revoked. */
const doneTo = (was: Values | null, is: Values | null): string => {
  if (was === null) return "created"
  if (is === null) return "removed"
  return was["revokedAt"] === is["revokedAt"] ? "changed" : "revoked"
}

/** The audit records of a change. `before`: `undefined` for a new organization. */
const auditOf = (
  before: Content | undefined,
  after: Content,
  actor: Actor,
): ReadonlyArray<NewAuditRecord> => {
  const old = byKey(before === undefined ? [] : parts(before))
  const current = byKey(parts(after))
  return [...new Map([...old, ...current])].flatMap(
    ([key, { id, name }]): ReadonlyArray<NewAuditRecord> => {
      const was = old.get(key)?.values ?? null
      const is = current.get(key)?.values ?? null
      if (isSame(was, is)) return []
      const change = { action: `${name}.${doneTo(was, is)}`, target: id, before: was, after: is }
      return [newRecord({ actor, ...change })]
    },
  )
}

/** The settings by their own names. Each limit, alert and prefix has its own name, and also each list of prefixes. */
const namedSettings = ({ name, settings }: Content): ReadonlyMap<string, unknown> => {
  const { alerts, changes: _changes, limits, prefixReasons, ...others } = settings
  const within = (name: string, own: object) =>
    Object.entries(own).map(([key, value]): readonly [string, unknown] => [`${name}.${key}`, value])
  return new Map([
    ["name", name],
    ...Object.entries(others),
    ...within("limits", limits),
    ...within("alerts", alerts),
    ...Prefixes.lists.flatMap((list) =>
      within(
        list,
        Object.fromEntries(settings[list].map((prefix) => [prefix, prefixReasons[prefix] ?? ""])),
      ),
    ),
  ])
}

/** Notes who has set the settings that differ. A limit or an alert that has the default again has no note, nor a prefix that is in no list. */
const withChanges = (
  before: Organization,
  after: Organization,
  change: SettingChange,
): Organization => {
  const old = namedSettings(before)
  const current = namedSettings(after)
  const names = [...current.keys()].filter((name) => !isSame(old.get(name), current.get(name)))
  const kept = Object.entries(before.settings.changes).filter(([name]) => current.has(name))
  const changes = {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(names.map((name) => [name, change])),
  }
  return isSame(changes, before.settings.changes)
    ? after
    : { ...after, settings: { ...after.settings, changes } }
}

/** By content, because a store may return the fields in another order. */
const isSame: (one: unknown, other: unknown) => boolean = Equal.equals

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
  const senders = new Map(before.senders.map((sender) => [sender.id, sender]))
  for (const sender of after.senders) {
    if (!isSame(senders.get(sender.id), sender)) {
      const { class: _class, reason: _reason, ...brand } = sender
      events.push({ _tag: "BrandChanged", ...about, brand })
    }
  }
  const settings = settingNames.filter(
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

const settingOf = ({ name, settings }: Organization, setting: Setting): unknown =>
  setting === "name" ? name : settings[setting]
