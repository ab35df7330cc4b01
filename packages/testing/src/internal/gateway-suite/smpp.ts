/**
 * The plan of an adapter to a message centre that speaks SMPP 3.4.
 */
import type { DeliveryReport, GatewayMessage } from "@countersign/core/Gateway"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Smsc, startSmsc } from "../../Smsc.ts"
import { within } from "../within.ts"
import { selfSigned } from "./certificate.ts"
import type { Needs, Plan, Play, Stage } from "./plan.ts"
import { centreFailures } from "./smppFailures.ts"
import { connectionSection, receiptsSection } from "./smppSections.ts"
import { type About, type Adapter, type Expected, message, type Platform } from "./subject.ts"

/** Where the centre is, and who may bind to it. */
export interface SmppCentre {
  readonly host: string
  readonly port: number
  readonly systemId: string
  readonly password: string
  /** Whether it wants TLS. Its certificate is one that nobody vouches for. */
  readonly tls: boolean
}

/** The `command_status` of an answer to `submit_sm`, and what it means. */
export interface SmppStatus {
  readonly status: number
  readonly expected: Expected
}

export interface SmppOptions {
  /** Makes the adapter that binds to this centre, and stays bound until the scope ends. */
  readonly make: (centre: SmppCentre) => Effect.Effect<Adapter, never, Platform | Scope.Scope>
  /** What the adapter knows beyond the statuses that every adapter has to. */
  readonly statuses?: ReadonlyArray<SmppStatus> | undefined
  /** Whether the adapter asks for receipts; it does when left out. */
  readonly receipts?: boolean | undefined
  /** Whether the adapter speaks TLS; it does when left out. */
  readonly tls?: boolean | undefined
  /** What is different about every message. */
  readonly message?: Partial<GatewayMessage> | undefined
}

/** What the centre is, beside what it does with binds and messages. */
export interface Setting {
  readonly tls?: boolean | undefined
  /** Nobody listens any more when the adapter comes. */
  readonly isGone?: boolean | undefined
  /** Reports by the fields of SMPP 3.4. */
  readonly tlv?: boolean | undefined
  /** What counts as the arrival of a message. */
  readonly arrivesAs?: "bind" | undefined
  /** Whether the adapter may take its leave at the end. */
  readonly isPolite?: boolean | undefined
}

/** A stage whose vendor is a centre. */
export interface SmppStage extends Stage {
  readonly smsc: Smsc
}

/** Makes a stage after the centre was told what to do. */
export type Staged = (
  conduct: (smsc: Smsc) => void,
  setting?: Setting,
) => Effect.Effect<SmppStage, never, Needs>

const systemId = "esme-of-quokka"
const password = "pw-48213"

/** The names of what a report's status is in a receipt. */
const states: Readonly<Record<About["status"], string>> = {
  accepted: "ENROUTE",
  delivered: "DELIVRD",
  undelivered: "UNDELIV",
  failed: "REJECTD",
}

/** An id under which nothing was taken: what comes after it in a test has not come yet. */
const stranger = "nobody-knows"

/** The reports that have come so far, in order. */
export const reportsOf = (
  { adapter }: Stage,
  smsc: Smsc,
): Effect.Effect<ReadonlyArray<DeliveryReport>> =>
  Effect.gen(function* () {
    yield* smsc.report({ id: stranger, state: "DELIVRD" })
    yield* smsc.next("deliver_sm_resp")
    const reports = yield* within(
      `the report on the id "${stranger}", which names that id`,
      adapter.gateway.reports.pipe(
        Stream.takeUntil(({ of }) => of._tag === "GatewayId" && of.gatewayId === stranger),
        Stream.runCollect,
      ),
    )
    return [...reports].slice(0, -1)
  })

const stagedBy =
  (options: SmppOptions): Staged =>
  (conduct, { arrivesAs, isGone, isPolite, tls = false, tlv = false } = {}) =>
    Effect.gen(function* () {
      const start = startSmsc(tls ? { tls: selfSigned() } : {})
      const smsc = yield* isGone === true ? Effect.scoped(start) : start
      conduct(smsc)
      const adapter = yield* options.make({
        host: "127.0.0.1",
        port: smsc.port,
        systemId,
        password,
        tls,
      })
      // Time stands still at the end of a test: who waited for a last word would do so for ever.
      if (isPolite !== true) yield* Effect.addFinalizer(() => smsc.hangUp)
      const stage: SmppStage = {
        smsc,
        adapter,
        // Who is not trusted is not even told the password.
        count: () => smsc.received.length + (tls ? smsc.binds.length : 0),
        arrival: Effect.map(smsc.next(arrivesAs ?? "submit_sm"), () =>
          smsc.received.map(({ text }) => text).join(""),
        ),
        told: (statuses) =>
          Effect.gen(function* () {
            const id = String(smsc.received.length)
            for (const status of statuses) {
              yield* smsc.report({ id, state: states[status], tlv })
              yield* smsc.next("deliver_sm_resp")
            }
            return yield* reportsOf(stage, smsc)
          }),
        released: Effect.gen(function* () {
          const binds = smsc.binds.length
          smsc.onSubmit = (_, count) => ({ id: String(count) })
          const next = message({ ...options.message, ref: { ...message().ref, number: 2 } })
          const outcome = yield* within("the next message", adapter.gateway.send(next))
          assert.strictEqual(outcome._tag, "Accepted")
          assert.strictEqual(smsc.binds.length, binds, "It had to bind again")
        }),
      }
      return stage
    })

/** What every adapter has to make of these, which the specification leaves no doubt about. */
const documented: ReadonlyArray<SmppStatus> = [
  { status: 0x01, expected: { _tag: "Rejected", reason: "content" } },
  // ESME_RSYSERR and ESME_RUNKNOWNERR say nothing of what had been done before.
  { status: 0x08, expected: { _tag: "Unknown" } },
  { status: 0x0a, expected: { _tag: "Rejected", reason: "sender" } },
  { status: 0x0b, expected: { _tag: "Rejected", reason: "recipient" } },
  { status: 0x0f, expected: { _tag: "Rejected", reason: "account" } },
  { status: 0x14, expected: { _tag: "Throttled" } },
  { status: 0x58, expected: { _tag: "Throttled" } },
  { status: 0xff, expected: { _tag: "Unknown" } },
  // Reserved, and one of those that operators give a meaning of their own.
  { status: 0x10, expected: { _tag: "Unknown" } },
  { status: 0x4ff, expected: { _tag: "Unknown" } },
]

/** The plan of what an adapter's test tells of itself; the centre is the same for all. */
export const overSmpp = (options: SmppOptions): Plan => {
  const staged = stagedBy(options)
  const sample = message(options.message)
  const accepted: Play = {
    title: "a message with an id",
    message: sample,
    stage: staged(() => {}),
    expected: [{ _tag: "Accepted", gatewayId: "1" }],
    reached: 1,
  }
  const statuses = new Map(
    [...documented, ...(options.statuses ?? [])].map((one) => [one.status, one]),
  )
  return {
    secrets: [systemId, password],
    message: sample,
    accepted,
    answers: [...statuses.values()].map(({ expected, status }) => ({
      ...accepted,
      title: `the status 0x${status.toString(16).padStart(2, "0")}`,
      expected: [expected],
      stage: staged((smsc) => {
        smsc.onSubmit = () => ({ status })
      }),
    })),
    // A refusal is a number: there are no words that could repeat anything.
    refusal: undefined,
    failures: centreFailures(staged, accepted, options.tls !== false),
    waits: [
      {
        ...accepted,
        title: "is silent",
        stage: staged((smsc) => {
          smsc.onSubmit = () => "silence"
        }),
      },
    ],
    reports:
      options.receipts === false
        ? undefined
        : {
            // `failed` would be REJECTD, which is a refusal.
            statuses: ["accepted", "delivered", "undelivered"],
            forms: [
              { title: " as text", play: accepted },
              {
                title: " in fields",
                play: { ...accepted, stage: staged(() => {}, { tlv: true }) },
              },
            ],
          },
    sections: [
      [
        "the connection",
        (test) => connectionSection(test, staged, accepted, { systemId, password }),
      ],
      ["receipts", (test) => receiptsSection(test, staged, accepted, options.receipts !== false)],
    ],
  }
}
