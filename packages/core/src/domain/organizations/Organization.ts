/**
 * An organization: its settings, senders and keys. One version covers all three, so one comparison shows
 * whether a copy is current.
 */
import * as Array from "effect/Array"
import type { AlertOverrides } from "../alerts/AlertOverrides.ts"
import type { Account } from "../money/Account.ts"
import * as ApiKey from "../access/ApiKey.ts"
import type { QuietHoursByClass } from "../messages/QuietHours.ts"
import type { Sender } from "../messages/Sender.ts"
import type * as FieldProblem from "../values/FieldProblem.ts"
import * as IpBlock from "../values/IpBlock.ts"
import { type ApiKeyId, SenderId, type OrganizationId, type WebhookId } from "../values/Ids.ts"
import type { Money } from "../values/Money.ts"
import * as Prefixes from "../values/PrefixList.ts"
import * as LimitOverrides from "../limits/LimitOverrides.ts"
import type { Limits } from "../limits/Limits.ts"
import type { Webhook } from "../webhooks/Webhook.ts"

export interface Settings extends Prefixes.Prefixes {
  /** Addresses and CIDR blocks, IPv4 and IPv6; empty allows every address. */
  readonly allowList: ReadonlyArray<string>
  readonly limits: LimitOverrides.LimitOverrides
  /** Whether all keys are rejected. Calls without a key and work in the background continue. */
  readonly isSuspended: boolean
  /** The balance below which `BalanceLow` is raised; `null`: it never is. */
  readonly balanceLowAt: Money | null
  readonly alerts: AlertOverrides
  /** `null`: messages are sent at all times. */
  readonly quietHours: QuietHoursByClass | null
  /** The zone in which the days of its totals begin, such as `Asia/Dhaka`; `null`: UTC. */
  readonly zone: string | null
  /**
   * The last change of each setting, by its name: `quietHours`, `limits.attempts`, `alerts.spend`,
   * `blockedPrefixes.88017`. Without settings that were never changed since the organization was created.
   */
  readonly changes: Readonly<Record<string, SettingChange>>
}

export interface SettingChange {
  /** Epoch milliseconds. */
  readonly at: number
  /** `Actor.id`. */
  readonly by: string
}

export interface Organization {
  readonly id: OrganizationId
  readonly name: string
  /** The account's version when this copy was read. */
  readonly version: number
  readonly settings: Settings
  /** When a phone number was last erased, in epoch milliseconds; `undefined` if none was. */
  readonly erasedAt?: number | undefined
  readonly senders: ReadonlyArray<Sender>
  readonly keys: ReadonlyArray<ApiKey.ApiKey>
  readonly webhooks: ReadonlyArray<Webhook>
}

export const defaultSettings: Settings = {
  allowList: [],
  limits: {},
  isSuspended: false,
  balanceLowAt: null,
  alerts: {},
  changes: {},
  quietHours: null,
  zone: null,
  ...Prefixes.none,
}

/** The limits in force: the organization's own limit if it has one, otherwise the host's. */
export const limitsOf = (self: Pick<Organization, "settings">, host: Limits): Limits =>
  LimitOverrides.apply(self.settings.limits, host)

export const allowListProblems = (
  allowList: ReadonlyArray<string>,
): ReadonlyArray<FieldProblem.FieldProblem> => Array.getFailures(allowList.map(IpBlock.read))

const networks = new WeakMap<Settings, ReadonlyArray<IpBlock.IpBlock>>()

const networksOf = (settings: Settings): ReadonlyArray<IpBlock.IpBlock> => {
  const known = networks.get(settings)
  if (known !== undefined) return known
  const parsed = Array.getSuccesses(settings.allowList.map(IpBlock.read))
  networks.set(settings, parsed)
  return parsed
}

/** Whether the address is allowed. Only an empty list allows an address that cannot be parsed. */
export const isAllowed = (self: Pick<Organization, "settings">, address: string): boolean => {
  if (self.settings.allowList.length === 0) return true
  const read = IpBlock.readAddress(address)
  return read !== undefined && IpBlock.someContains(networksOf(self.settings), read)
}

/** Whether the id or the name contains the text, in upper or lower case. `undefined` selects all. */
export const isNamed = ({ id, name }: Pick<Organization, "id" | "name">, text = ""): boolean =>
  [id, name].some((own) => own.toLowerCase().includes(text.toLowerCase()))

/** The key with this id, revoked or not. */
export const keyOf = (self: Organization, id: ApiKeyId): ApiKey.ApiKey | undefined =>
  self.keys.find((key) => key.id === id)

/** The senders of a new organization that requests use which name none, by channel. */
export interface DefaultSenders {
  /** The number of an SMS. */
  readonly sms?: string | undefined
  /** The id of a WhatsApp profile. */
  readonly whatsapp?: string | undefined
}

/** Approved senders. The id of each is its channel. */
export const defaultSenders = ({ sms, whatsapp }: DefaultSenders): ReadonlyArray<Sender> => {
  const own = { status: "approved", isDefault: true, class: null, reason: null } as const
  const senderOf = (id: string, kind: Sender["kind"], sender: string | undefined) =>
    sender === undefined ? [] : [{ ...own, id: SenderId(id), kind, sender }]
  return [...senderOf("sms", "non-masking", sms), ...senderOf("whatsapp", "whatsapp", whatsapp)]
}

/** Whether a channel has an approved default. Otherwise every request that names no sender is refused. */
export const hasDefaultSender = ({ senders }: Pick<Organization, "senders">): boolean =>
  senders.some(({ isDefault, status }) => isDefault && status === "approved")

const mapById = <A extends { readonly id: string }>(
  all: ReadonlyArray<A>,
  id: A["id"],
  change: (one: A) => A,
): ReadonlyArray<A> => all.map((one) => (one.id === id ? change(one) : one))

/** Adds a sender, or replaces the sender with its id. A new default replaces the current one. */
export const withSender = (self: Organization, sender: Sender): Organization => {
  const isKin = (other: Sender) => (other.kind === "whatsapp") === (sender.kind === "whatsapp")
  const others = self.senders
    .filter((other) => other.id !== sender.id)
    .map((other) => (sender.isDefault && isKin(other) ? { ...other, isDefault: false } : other))
  return { ...self, senders: [...others, sender] }
}

/** Approves or rejects a sender. A withdrawn one stays withdrawn. */
export const withDecision = (
  self: Organization,
  id: SenderId,
  status: "approved" | "rejected",
  reason: string | null,
): Organization => ({
  ...self,
  senders: mapById(self.senders, id, (sender) =>
    sender.status === "withdrawn" ? sender : { ...sender, status, reason },
  ),
})

/** Withdraws a sender, which is then no default. */
export const withoutSender = (self: Organization, id: SenderId): Organization => ({
  ...self,
  senders: mapById(self.senders, id, (sender) => ({
    ...sender,
    status: "withdrawn",
    isDefault: false,
    reason: null,
  })),
})

export const withKey = (self: Organization, key: ApiKey.ApiKey): Organization => ({
  ...self,
  keys: [...self.keys, key],
})

/** Revokes a key permanently. The time of the first revocation stays. */
export const withoutKey = (self: Organization, id: ApiKeyId, now: number): Organization => ({
  ...self,
  keys: mapById(self.keys, id, (key) =>
    key.revokedAt === null ? { ...key, revokedAt: now } : key,
  ),
})

/** Adds a webhook, or replaces the one with its id in its place. */
export const withWebhook = (self: Organization, webhook: Webhook): Organization => ({
  ...self,
  webhooks: self.webhooks.some(({ id }) => id === webhook.id)
    ? self.webhooks.map((one) => (one.id === webhook.id ? webhook : one))
    : [...self.webhooks, webhook],
})

export const withoutWebhook = (self: Organization, id: WebhookId): Organization => ({
  ...self,
  webhooks: self.webhooks.filter((one) => one.id !== id),
})

export const webhookOf = (self: Organization, id: WebhookId): Webhook | undefined =>
  self.webhooks.find((one) => one.id === id)

/** Records a use of a key. */
export const withKeyUse = (self: Organization, id: ApiKeyId, at: number): Organization => ({
  ...self,
  keys: mapById(self.keys, id, (key) => ApiKey.withUse(key, at)),
})

export const withSettings = (self: Organization, settings: Partial<Settings>): Organization => ({
  ...self,
  settings: { ...self.settings, ...settings },
})

/** An organization as a list shows it. */
export const summaryOf = (
  { senders, id, keys, name, settings: { isSuspended } }: Organization,
  { balance, held }: Pick<Account, "balance" | "held">,
  now: number,
  messagesLastDay: number,
) => ({
  id,
  name,
  isSuspended,
  balance,
  held,
  hasDefaultSender: hasDefaultSender({ senders }),
  pendingSenders: senders.filter(({ status }) => status === "pending").length,
  messagesLastDay,
  activeApiKeys: keys.filter((key) => ApiKey.isActive(key, now)).length,
})
