/** Generates the setup and the actions of a history: calls of clients, and faults. */
import type { Channel } from "@countersign/core/domain/values/Channel"
import { type ReportStatus, reportStatuses } from "@countersign/core/domain/messages/GatewayOutcome"
import * as fc from "fast-check"
import { type Behaviour, behaviours } from "./simulatedVendor.ts"
import { type StoreFault, storeFaults, type Write } from "./simulatedStore.ts"
import { longStop } from "./stage.ts"

export interface Setup {
  /** Order of work, latencies, codes and ids. */
  readonly seed: number
  readonly nodes: number
  /** Whether a router over three gateways carries the messages: the first for WhatsApp, the others for SMS. */
  readonly isRouted: boolean
  readonly honoursToken: boolean
  readonly lookup: boolean
  readonly reports: "signed" | "polled" | "none"
  readonly references: boolean
  readonly fallback: boolean
  /** Whether the limits are small, so that histories reach them. */
  readonly isTight: boolean
  /** Whether the store's clock may jump. */
  readonly jumps: boolean
}

const often = <A>(weight: number, usual: fc.Arbitrary<A>, other: fc.Arbitrary<A>) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other })

const yes = fc.constant(true)
const no = fc.constant(false)

export const setup: fc.Arbitrary<Setup> = fc.record({
  seed: fc.noShrink(fc.nat()),
  nodes: fc.integer({ min: 2, max: 4 }),
  isRouted: often(2, yes, no),
  honoursToken: fc.boolean(),
  lookup: fc.boolean(),
  reports: fc.constantFrom("signed", "signed", "signed", "polled", "none"),
  references: fc.boolean(),
  fallback: fc.boolean(),
  isTight: fc.boolean(),
  jumps: often(3, no, yes),
})

export const organizations = ["acme", "zenith", "nadir"] as const

interface OnNode {
  readonly node: number
}

interface Keyed {
  /** The idempotency key. */
  readonly key: number | undefined
  /** Number of calls at once, on alternating nodes. */
  readonly count: number
}

interface ToPerson extends OnNode, Keyed {
  readonly org: number
  readonly person: number
  readonly channel: Channel | undefined
}

/** `request` counts from the newest one. A foreign caller is another organization. */
interface OnRequest extends OnNode, Keyed {
  readonly request: number
  readonly isForeign: boolean
}

/** `send` counts from the newest one. */
interface OnQueued extends OnNode {
  readonly send: number
  /** Number of calls at once, on alternating nodes. */
  readonly count: number
}

export interface Actions {
  readonly advance: { readonly millis: number }
  readonly message: ToPerson
  readonly verify: ToPerson & { readonly expirySeconds: number }
  readonly check: OnRequest & { readonly isRight: boolean }
  readonly verifyCode: OnRequest & { readonly isRight: boolean }
  readonly consume: OnRequest
  readonly resend: OnRequest & { readonly channel: Channel | undefined }
  readonly cancel: OnRequest
  readonly status: OnRequest
  /** A host queues a message or a code in a transaction of its own, which may roll back. */
  readonly queue: OnNode & {
    readonly org: number
    readonly person: number
    readonly isCode: boolean
    readonly isRolledBack: boolean
    readonly orderKey: number | undefined
    /** Milliseconds until it is due, and from then on until it is dropped. Only for messages. */
    readonly delay: number
    readonly expiry: number | undefined
    /** Number of calls that send it at once. */
    readonly dispatches: number
  }
  readonly dispatch: OnQueued
  readonly cancelQueued: OnQueued
  readonly reschedule: OnQueued & { readonly delay: number }
  readonly topUp: OnNode & {
    readonly org: number
    readonly units: number
    readonly payment: number
    readonly count: number
  }
  readonly suspend: OnNode & { readonly org: number; readonly millis: number }
  /** The bound of the day's charges is changed, time passes, and a node examines the organizations. */
  readonly examine: OnNode & { readonly spend: number | null; readonly millis: number }
  readonly settle: OnNode
  readonly deliver: OnNode
  /** The client of the newest call disconnects. */
  readonly disconnect: { readonly call: number }
  readonly report: {
    /** Counts from the newest one. */
    readonly message: number
    readonly status: ReportStatus
    readonly by: "vendor" | "forger" | "stranger"
    readonly times: number
  }
  readonly kill: OnNode & { readonly millis: number }
  readonly pause: OnNode & { readonly millis: number }
  readonly jump: { readonly node: number | "store"; readonly millis: number }
  readonly fault: OnNode & { readonly fault: StoreFault; readonly on: Write | undefined }
  readonly restart: { readonly millis: number }
  readonly treat: {
    readonly vendor: number
    readonly behaviour: Behaviour
    readonly count: number
  }
  readonly cut: { readonly vendor: number; readonly millis: number }
}

export type Action<T extends keyof Actions = keyof Actions> = {
  readonly [K in T]: { readonly tag: K } & Actions[K]
}[T]

const action = <T extends keyof Actions>(
  tag: T,
  fields: { [K in keyof Actions[T]]: fc.Arbitrary<Actions[T][K]> },
) => fc.record<Actions[T]>(fields).map((rest) => ({ tag, ...rest }))

const node = fc.nat({ max: 3 })
const org = fc.constantFrom(0, 0, 0, 1, 2)
const person = fc.constantFrom(0, 0, 0, 1, 2, 3)
const count = fc.constantFrom(1, 1, 1, 2, 4)
const key = fc.option(fc.nat({ max: 2 }), { nil: undefined, freq: 3 })
const channel = fc.constantFrom<Channel | undefined>("sms", "sms", "whatsapp", undefined)
const toPerson = { node, org, person, channel, key, count }
const onRequest = {
  node,
  request: fc.constantFrom(0, 0, 0, 1, 2, 5),
  isForeign: often(12, no, yes),
  key,
  count,
}
const onQueued = { node, send: fc.constantFrom(0, 0, 0, 1, 2), count }
const shortly = fc.constantFrom(0, 1, 30, 700, 5_000, 12_000)

/** The writes between which a node can stop. */
const crashPoints: ReadonlyArray<Write> = [
  "HoldMessage",
  "RequestVerification",
  "ResendVerification",
  "FollowVerification",
  "RecordDispatch",
  "RecordDispatch",
  "RecordAnswer",
  "ApplyReport",
  "ReclaimMessage",
  "ReclaimMessage",
  "BeginLookup",
  "CloseMessage",
  "CheckCode",
  "VerifyCode",
  "ConsumeVerification",
  "RecordDeliveries",
  "CheckAlerts",
  "takeQueued",
  "takeQueued",
  "EndQueued",
  "MoveQueued",
  "enqueue",
]

const weighted: ReadonlyArray<readonly [number, fc.Arbitrary<Action>]> = [
  [
    22,
    action("advance", { millis: fc.constantFrom(0, 1, 50, 1_000, 6_000, 11_000, 31_000, 61_000) }),
  ],
  [10, action("message", toPerson)],
  [14, action("verify", { ...toPerson, expirySeconds: fc.constantFrom(60, 60, 300) })],
  [20, action("check", { ...onRequest, isRight: fc.boolean() })],
  [8, action("verifyCode", { ...onRequest, isRight: fc.boolean() })],
  [4, action("consume", onRequest)],
  [5, action("resend", { ...onRequest, channel })],
  [2, action("cancel", onRequest)],
  [2, action("status", onRequest)],
  [
    14,
    action("queue", {
      node,
      org,
      person,
      isCode: often(2, no, yes),
      isRolledBack: often(6, no, yes),
      orderKey: fc.constantFrom(undefined, 0, 0, 1),
      delay: fc.constantFrom(0, 0, 12_000, 40_000),
      expiry: fc.constantFrom(undefined, undefined, 2_000, 30_000),
      dispatches: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  ],
  [2, action("dispatch", onQueued)],
  [3, action("cancelQueued", onQueued)],
  [3, action("reschedule", { ...onQueued, delay: shortly })],
  [
    2,
    action("topUp", {
      node,
      org,
      units: fc.constantFrom(5_000, 20_000),
      payment: fc.nat({ max: 3 }),
      count,
    }),
  ],
  [1, action("suspend", { node, org, millis: shortly })],
  [
    7,
    action("examine", {
      node,
      spend: fc.constantFrom(null, 1, 1, 1_000_000_000),
      millis: fc.constantFrom(0, 61_000, 61_000, 3_601_000),
    }),
  ],
  [6, action("settle", { node })],
  [2, action("deliver", { node })],
  [2, action("disconnect", { call: fc.nat({ max: 3 }) })],
  [
    4,
    action("report", {
      message: fc.constantFrom(0, 0, 1, 2, 5),
      status: fc.constantFrom(...reportStatuses),
      by: fc.constantFrom("vendor", "forger", "stranger"),
      times: fc.constantFrom(1, 2),
    }),
  ],
  [4, action("kill", { node, millis: shortly })],
  [3, action("pause", { node, millis: fc.constantFrom(30, 5_000, 9_000, longStop) })],
  [
    2,
    action("jump", {
      node: fc.oneof(node, fc.constant("store" as const)),
      millis: fc.constantFrom(-3_600_000, -30_000, 0, 30_000, 3_600_000),
    }),
  ],
  [
    14,
    action("fault", {
      node,
      fault: fc.constantFrom(...storeFaults),
      on: fc.constantFrom(undefined, ...crashPoints),
    }),
  ],
  [1, action("restart", { millis: fc.constantFrom(0, 300, 4_000) })],
  [
    8,
    action("treat", {
      vendor: fc.nat({ max: 2 }),
      behaviour: fc.constantFrom(...behaviours),
      count: fc.constantFrom(1, 1, 3),
    }),
  ],
  [2, action("cut", { vendor: fc.nat({ max: 2 }), millis: fc.constantFrom(2_000, 30_000) })],
]

export const actions: fc.Arbitrary<ReadonlyArray<Action>> = fc.array(
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))),
  { maxLength: 110, size: "max" },
)
