/**
 * A message centre and the adapter to it, for one test.
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Smsc, startSmsc } from "../../Smsc.ts"
import { within } from "../within.ts"
import { selfSigned } from "./certificate.ts"
import type { Needs, Stage } from "./plan.ts"
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

export const systemId = "esme-of-quokka"
export const password = "pw-48213"

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

/** Stages with adapters that are made in this way. */
export const stagedBy =
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
          const next = message({ ...options.message, ref: { ...message().ref, sequence: 2 } })
          const outcome = yield* within("the next message", adapter.gateway.send(next))
          assert.strictEqual(outcome._tag, "Accepted")
          assert.strictEqual(smsc.binds.length, binds, "It had to bind again")
        }),
      }
      return stage
    })
