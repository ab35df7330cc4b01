/** What each record of the engine costs a send, a check and a message, in processor time. */
import type { RecordingInput } from "../children/recording.ts"
import { figureOf, kinds, measureCalls } from "../callSides.ts"
import type { Measurement } from "../Measurement.ts"

const none = { events: false, totals: false, audit: false }

/** The first one is what the others are compared with. */
const variants = {
  "nothing recorded": { records: none },
  "the event log": { records: { ...none, events: true } },
  totals: { records: { ...none, totals: true } },
  "events, totals and the audit (default)": {},
  "the default, without texts of messages": { records: { bodies: false } },
  "the default, with encrypted numbers": { phoneNumberSecret: "n".repeat(32) },
} satisfies Readonly<Record<string, Pick<RecordingInput, "records" | "phoneNumberSecret">>>

export const records: Measurement = {
  id: "records",
  title: "What records cost",
  rows: [],
  run: async (context) => {
    const { note, sides } = await measureCalls(context, variants)
    const [base, ...others] = sides
    const limitOf = (kind: string, name: string) =>
      kind !== "message" && name.includes("default)") ? 1.1 : undefined
    return {
      figures: kinds.flatMap((kind) =>
        others.flatMap((side) =>
          base === undefined ? [] : [figureOf(side, base, kind, limitOf(kind, side.name))],
        ),
      ),
      notes: [note],
    }
  },
}
