/**
 * Events for the host. The process that committed or observed a change raises its events, after the commit. The
 * commit itself stores them as `LoggedEvent`.
 */
import type { GatewayHealth } from "../messages/GatewayHealth.ts"
import type { OrganizationId } from "../values/Ids.ts"
import * as Money from "../values/Money.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"
import { eventTable, type EventTag, type Field, type Payload, type Row } from "./EventTable.ts"

/** How many rows of each kind an erasure has changed. */
export type ErasedCounts = Payload<"NumberErased">

/** `at` is in epoch milliseconds. */
type Of<Phone> = {
  readonly [Tag in EventTag]: {
    readonly _tag: Tag
    readonly organization: OrganizationId
    readonly at: number
  } & Payload<Tag, Phone>
}[EventTag]

/** An event of an organization. `Phone`: how it shows a phone number. */
export type OrganizationEvent<Phone = PhoneNumber.PhoneNumber> = Of<Phone> & {
  /** The position in the organization's event log. `undefined`: the log is off. */
  readonly sequence?: number
}

/** An event in the organization's event log, with a masked phone number. */
export type LoggedEvent = Of<string> & {
  /** 1 for the organization's first event; has no gaps. */
  readonly sequence: number
}

/** The health of a gateway has changed on this node. Belongs to no organization. */
type GatewayHealthChanged = GatewayHealth & {
  readonly _tag: "GatewayHealthChanged"
  /** Epoch milliseconds. */
  readonly at: number
}

export type Event = OrganizationEvent | GatewayHealthChanged

/** The event as the log keeps it. */
export const logged = (self: OrganizationEvent, sequence: number): LoggedEvent =>
  "phoneNumber" in self
    ? { ...self, sequence, phoneNumber: PhoneNumber.mask(self.phoneNumber) }
    : { ...self, sequence }

/** The event without its number and the host's words. `phoneNumber` is the number that is erased. */
export const erase = (self: LoggedEvent, phoneNumber: PhoneNumber.PhoneNumber): LoggedEvent =>
  "phoneNumber" in self
    ? { ...self, phoneNumber: PhoneNumber.erase(phoneNumber), purpose: null, metadata: null }
    : self

/** The fields of an event for callers, in their order: amounts are decimals, and the host's metadata is an object. */
export const plainFields = (
  event: OrganizationEvent<string>,
): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const { _tag, at: _at, ...fields } = event
  const { payload }: Row = eventTable[_tag]
  return Object.entries(fields).map(([name, value]) => [name, plainValue(payload[name], value)])
}

const plainValue = (kind: Field | undefined, value: unknown): unknown => {
  if (kind === "money" && typeof value === "number") return Money.format(Money.fromUnits(value))
  return kind === "metadata" && typeof value === "string" ? JSON.parse(value) : value
}
