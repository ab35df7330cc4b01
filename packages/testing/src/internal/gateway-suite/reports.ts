import { Reports } from "@countersign/core/Reports"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestEngine from "../../TestEngine.ts"
import { type About, type Adapter, type Callbacks, message, type Options } from "./subject.ts"
import { engineOver, sendOver, stage, stateOf, type Test } from "./support.ts"

type Status = About["status"]

/** Reports in the order in which they come in, and what the log and the account say at the end. */
interface History {
  readonly statuses: ReadonlyArray<Status>
  readonly log: string
  readonly entries: number
  readonly held: string
}

const histories: ReadonlyArray<History> = [
  { statuses: ["accepted"], log: "accepted", entries: 2, held: "0.50" },
  { statuses: ["delivered"], log: "delivered", entries: 3, held: "0.00" },
  { statuses: ["delivered", "delivered"], log: "delivered", entries: 3, held: "0.00" },
  { statuses: ["delivered", "accepted"], log: "delivered", entries: 3, held: "0.00" },
  { statuses: ["accepted", "delivered", "accepted"], log: "delivered", entries: 3, held: "0.00" },
  { statuses: ["failed", "failed"], log: "failed", entries: 3, held: "0.00" },
  { statuses: ["failed", "accepted"], log: "failed", entries: 3, held: "0.00" },
  { statuses: ["failed", "delivered"], log: "failed", entries: 3, held: "0.00" },
  { statuses: ["delivered", "failed"], log: "delivered", entries: 3, held: "0.00" },
  { statuses: ["undelivered", "undelivered"], log: "undelivered", entries: 3, held: "0.00" },
]

/** What a vendor tells, as reports; a defect when the adapter does not believe it. */
const told = Effect.fnUntraced(function* (
  { callback }: Adapter,
  callbacks: Callbacks,
  about: About,
) {
  const request = yield* callbacks.report(about)
  if (callback === undefined) return []
  const outcome = yield* callback(request)
  assert.strictEqual(outcome._tag, "Reports", JSON.stringify(outcome))
  return outcome._tag === "Reports" ? outcome.reports : []
})

/** Reports through a real engine: the first final word decides, and money moves once. */
export const reportsSection = (test: Test, options: Options): void => {
  const { accepted, callbacks } = options

  test("has a reader of reports if, and only if, it says that its reports are pushed", () =>
    Effect.gen(function* () {
      const { adapter } = yield* stage(options, { _tag: "Silence" })
      const { reports } = adapter.gateway.capabilities
      const pushes = reports === "signed" || reports === "unsigned"
      assert.strictEqual(adapter.callback !== undefined, pushes)
      assert.strictEqual(callbacks !== undefined, pushes)
    }))
  if (callbacks === undefined) return

  /** Sends a message over the adapter, and takes in what the vendor tells of it. */
  const played = (
    tell: (value: unknown) => void,
    { statuses }: Pick<History, "statuses">,
    vendorAnswers: boolean,
  ) =>
    Effect.gen(function* () {
      const { adapter, vendor } = yield* stage(
        options,
        vendorAnswers ? { _tag: "Answer", ...accepted.answer } : { _tag: "Reset" },
      )
      const sample = message({ ...options.message, ...accepted.message })
      return yield* Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        // Its caller is told the number that it has given: only a failure is of interest.
        yield* Effect.ignore(
          Effect.tapError(sendOver(organization, sample), (error) =>
            Effect.sync(() => tell(error)),
          ),
        )
        const received = yield* vendor.arrival
        const gatewayId = accepted.expected.gatewayId ?? ""
        for (const [sequence, status] of statuses.entries()) {
          const reports = yield* told(adapter, callbacks, { status, gatewayId, received, sequence })
          tell(reports)
          for (const report of reports) yield* Reports.use((_) => _.receive(report))
        }
        return yield* stateOf(organization)
      }).pipe(Effect.provide(engineOver(adapter.gateway)))
    })

  for (const { entries, held, log, statuses } of histories) {
    // What the vendor has no word for cannot happen.
    if (statuses.some((status) => !callbacks.statuses.includes(status))) continue
    test(`takes in ${statuses.join(", then ")} as ${log}, and moves money once`, (tell) =>
      Effect.gen(function* () {
        const state = yield* played(tell, { statuses }, true)
        const free = message(options.message).channel === "whatsapp"
        assert.strictEqual(state.log, log)
        // The top-up, the hold, the end of the hold; WhatsApp is free and leaves no trace.
        assert.strictEqual(state.entries, free ? 1 : entries)
        assert.strictEqual(state.held, free ? "0.00" : held)
      }))
  }

  test("knows which message a report is about although the answer to it was lost", (tell) =>
    Effect.gen(function* () {
      const state = yield* played(tell, { statuses: ["delivered"] }, false)
      assert.strictEqual(state.log, "delivered")
    }))
}
