import * as TestEngine from "@countersign/testing/TestEngine"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { Behaviour } from "../../src/adapters/SimulatedGateway.ts"
import { Pricing } from "../../src/decide/Pricing.ts"
import type { ReportStatus } from "../../src/domain/messages/GatewayOutcome.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { defaults, type Records } from "../../src/domain/organizations/RecordOptions.ts"
import type { TimelineStep } from "../../src/services/internal/timeline.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Dispatcher from "../../src/delivery/Dispatcher.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import { Reports } from "../../src/services/Reports.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"

export interface Setting {
  readonly whatsapp?: Behaviour
  readonly sms?: Behaviour
  readonly records?: Partial<Records>
  readonly store?: (store: Store["Service"]) => Partial<Store["Service"]>
}

/** WhatsApp at another price than SMS, so that the log shows which one was paid. */
export const prices = Layer.succeed(Pricing, {
  currency: "BDT",
  price: ({ channel }) => Money.make(channel === "sms" ? "0.5" : "0.25"),
})

/** Ten minutes instead of a day. */
const deadlines = Layer.succeed(Dispatcher.DispatchPolicy, {
  leaseMarginMillis: 60_000,
  settleMillis: 600_000,
})

export const deliver: Behaviour = { _tag: "Deliver" }
export const accept: Behaviour = { _tag: "NeverReport" }
export const refuse: Behaviour = { _tag: "Reject", message: "no such user" }

export const engine = ({ records, sms = deliver, store, whatsapp = deliver }: Setting = {}) =>
  TestEngine.layer({
    store: Layer.sync(Store, () => {
      const made = MemoryStore.make({ ...defaults, ...records })
      return Store.of({ ...made, ...store?.(made) })
    }),
    gateway: { behave: ({ channel }) => (channel === "sms" ? sms : whatsapp) },
  }).pipe(Layer.provide([prices, deadlines, Fallback.layer({})]))

const omitted = ["expiresAt", "gateway", "gatewayId"]

/** An entry in words, with its time in seconds: `30 report delivered`. */
export const line = ({ at, kind, ...given }: TimelineStep): string => {
  const { messageSequence, ...rest } = { messageSequence: undefined, ...given }
  const words = Object.entries(rest).flatMap(([name, value]) => {
    if (value === null || value === false || omitted.includes(name)) return []
    if (name === "amount") return [Money.format(Money.fromUnits(Number(value)))]
    return value === true ? [name] : [String(value)]
  })
  const of = messageSequence === undefined ? [] : [`#${messageSequence}`]
  return [at === null ? "?" : at / 1_000, kind, ...of, ...words].join(" ")
}

export const after = (seconds: number) => TestClock.adjust(seconds * 1_000)

export const round = Settlement.use((_) => _.round)

export const report = (
  organization: OrganizationId,
  status: ReportStatus,
  detail: string | null = null,
  sequence = 1,
) =>
  Reports.use((_) => _.receive({ of: { _tag: "Message", organization, sequence }, status, detail }))

export const begun = (sequence: number, channel: string, price: string, at = 0) => [
  `${at} created #${sequence} ${channel} ${channel === "sms" ? "8809600000000" : "profile"}`,
  `${at} held #${sequence} ${price}`,
  `${at} attempt #${sequence} 1`,
]

/** The entries of a message that is delivered at once. */
export const arrived = (sequence: number, channel: string, price: string, at = 0) => [
  ...begun(sequence, channel, price, at),
  `${at} accepted #${sequence}`,
  `${at} settled #${sequence} delivered`,
  `${at} captured #${sequence} ${price}`,
]

export const sms = begun(1, "sms", "0.50")
