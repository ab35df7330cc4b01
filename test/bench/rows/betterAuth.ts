/** Row 4: sends, against better-auth's phone-number plugin. */
import { p99Figure, processorNote, throughputFigure } from "../compared.ts"
import { type LoadOptions, post } from "../load.ts"
import type { Figure, Measurement } from "../Measurement.ts"
import { inTurns, measure, sends, type Side, withSides } from "../sides.ts"

const name = "better-auth"

/** The same request in the format of better-auth. */
const sendOtp = (side: Side): Pick<LoadOptions, "request" | "answer"> => {
  const first = side.sends
  return {
    request: (rank) => {
      side.sends = first + rank + 1
      return post("/api/auth/phone-number/send-otp", "-", {
        phoneNumber: `+88017${10_000_000 + first + rank}`,
      })
    },
    answer: (_, status, body) => {
      if (status !== 200) throw new Error(`better-auth answered ${status}: ${body}`)
    },
  }
}

export const betterAuth: Measurement = {
  id: "better-auth",
  title: "Sends, against better-auth",
  rows: [4],
  run: (context) =>
    withSides(context, "betterAuth", {}, async (ours, other) => {
      const bound = context.scale === "full" ? { durationMillis: 5_000 } : { requests: 300 }
      const figures: Array<Figure> = []
      const notes: Array<string> = []
      for (const connections of [64, 256]) {
        const run = (side: Side) => () =>
          measure(context, side, {
            connections,
            ...bound,
            ...(side === ours ? sends(side) : sendOtp(side)),
          })
        // The first round warms both sides up and does not count.
        await inTurns(1, run(ours), run(other))
        const comparison = await inTurns(context.rounds, run(ours), run(other))
        const work = `\`POST /verify\`, one organization, ${connections} connections`
        figures.push(
          throughputFigure(comparison, { work, name, wanted: 5 }),
          p99Figure(comparison, { work: `${work}: p99`, name, wanted: 1 }),
        )
        notes.push(processorNote(work, name, comparison))
      }
      notes.push(
        "better-auth 1.6.11, phone-number plugin, `POST /phone-number/send-otp`: it writes one row with the code in clear and hands it over. It knows no organizations, balances, log or ledger, checks no number and settles nothing, so it does much less for each request.",
      )
      return { figures, notes }
    }),
}
