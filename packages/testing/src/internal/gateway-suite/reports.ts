import { Reports } from "@countersign/core/services/Reports"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestEngine from "../../TestEngine.ts"
import type { Plan, Play, Test } from "./plan.ts"
import type { About } from "./subject.ts"
import { engineOver, sendOver, stateOf } from "./support.ts"

type Status = About["status"]

/** Reports in the order in which they arrive, and the expected rows of log and account at the end. */
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
  { statuses: ["undelivered", "delivered"], log: "undelivered", entries: 3, held: "0.00" },
  { statuses: ["delivered", "undelivered"], log: "delivered", entries: 3, held: "0.00" },
]

/** Sends a message through an engine, applies the reports, and returns the engine's state. */
export const played = (
  tell: (value: unknown) => void,
  statuses: ReadonlyArray<Status>,
  { message, stage }: Pick<Play, "message" | "stage">,
) =>
  Effect.gen(function* () {
    const { adapter, nextMessage, sendReports } = yield* stage
    return yield* Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      // The caller's result may contain the phone number that it passed. Only failures are checked.
      yield* Effect.ignore(
        Effect.tapError(sendOver(organization, message), (error) => Effect.sync(() => tell(error))),
      )
      yield* nextMessage
      const reports = yield* sendReports(statuses)
      for (const report of reports) yield* Reports.use((_) => _.receive(report))
      tell(yield* Reports.use((_) => _.forMessage({ organization, sequence: 1 })))
      return yield* stateOf(organization)
    }).pipe(Effect.provide(engineOver(adapter.gateway)))
  })

/** Tests reports with a real engine: the first final status decides, and money moves once. */
export const reportsSection = (test: Test, { accepted, reports }: Plan): void => {
  test("declares pushed reports if, and only if, the vendor pushes reports", function* () {
    const { capabilities } = (yield* accepted.stage).adapter.gateway
    const pushes = capabilities.reports === "signed" || capabilities.reports === "unsigned"
    assert.strictEqual(pushes, reports !== undefined)
  })

  for (const { play, title } of reports?.forms ?? []) {
    for (const { entries, held, log, statuses } of histories) {
      // Skips histories with statuses that the vendor cannot report.
      if (statuses.some((status) => reports?.statuses.includes(status) !== true)) continue
      const said = `${statuses.join(", then ")}${title}`
      test(`applies ${said} as ${log}, and moves money once`, function* (tell) {
        const state = yield* played(tell, statuses, play)
        const free = play.message.channel === "whatsapp"
        assert.strictEqual(state.log, log)
        // The top-up, the hold, and the end of the hold. WhatsApp is free and adds no entries.
        assert.strictEqual(state.entries, free ? 1 : entries)
        assert.strictEqual(state.held, free ? "0.00" : held)
      })
    }
  }
}
