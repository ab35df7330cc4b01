/**
 * A message centre and the adapter to it, for one test.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
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

/** Address and credentials of the centre. */
export interface SmppCentre {
  readonly host: string
  readonly port: number
  readonly systemId: string
  readonly password: string
  /** Whether the centre uses TLS. Its certificate is self-signed. */
  readonly tls: boolean
}

/** A `command_status` of an answer to `submit_sm`, and its meaning. */
export interface SmppStatus {
  readonly status: number
  readonly expected: Expected
}

export interface SmppOptions {
  /** Makes the adapter that binds to this centre, and stays bound until the scope closes. */
  readonly make: (centre: SmppCentre) => Effect.Effect<Adapter, never, Platform | Scope.Scope>
  /** Statuses that the adapter recognizes in addition to the common ones. */
  readonly statuses?: ReadonlyArray<SmppStatus> | undefined
  /** Whether the adapter requests receipts. @defaultValue `true` */
  readonly receipts?: boolean | undefined
  /** Whether the adapter speaks TLS. @defaultValue `true` */
  readonly tls?: boolean | undefined
  /** Overrides for every sample message. */
  readonly message?: Partial<GatewayMessage> | undefined
}

/** Setup of the centre, besides its reactions to binds and messages. */
export interface Setting {
  readonly tls?: boolean | undefined
  /** Whether the centre stops listening before the adapter connects. */
  readonly isGone?: boolean | undefined
  /** Whether reports use the optional fields of SMPP 3.4. */
  readonly tlv?: boolean | undefined
  /** The event that counts as the receipt of a message. @defaultValue `submit_sm` */
  readonly arrivesAs?: "bind" | undefined
  /** Whether the adapter may unbind at the end. */
  readonly isPolite?: boolean | undefined
}

/** A stage whose vendor is a centre. */
export interface SmppStage extends Stage {
  readonly smsc: Smsc
}

/** Makes a stage after the centre was configured. */
export type Staged = (
  conduct: (smsc: Smsc) => unknown,
  setting?: Setting,
) => Effect.Effect<SmppStage, never, Needs>

export const systemId = "esme-of-quokka"
export const password = "pw-48213"

/** Receipt states by report status. */
const states: Readonly<Record<About["status"], string>> = {
  accepted: "ENROUTE",
  delivered: "DELIVRD",
  undelivered: "UNDELIV",
  failed: "REJECTD",
}

/** An unknown id. Its report marks the end of the reports before it. */
const stranger = "not-known-here"

/** Returns the reports so far, in order. */
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

/** Makes stages with the adapters of these options. */
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
      // Time stands still at the end of a test, so waiting for a final answer would never end.
      if (isPolite !== true) yield* Effect.addFinalizer(() => smsc.hangUp)
      const stage: SmppStage = {
        smsc,
        adapter,
        // With an untrusted certificate, the centre must not receive the password either.
        count: () => smsc.received.length + (tls ? smsc.binds.length : 0),
        nextMessage: Effect.map(smsc.next(arrivesAs ?? "submit_sm"), () =>
          smsc.received.map(({ text }) => text).join(""),
        ),
        sendReports: (statuses) =>
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
