/** Row 4: sends, against better-auth's phone-number plugin. */
import { compareLoads, floor, type Rival } from "../compareLoads.ts"
import { type LoadOptions, post } from "../load.ts"
import type { Figure, Measurement } from "../Measurement.ts"
import { measure, sends, type Side, withSides } from "../sides.ts"

const rival: Rival = { name: "better-auth", service: "betterAuth" }

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

const wanted = new Map([
  [64, 5],
  [256, 6.3],
])

export const betterAuth: Measurement = {
  id: "better-auth",
  title: "Sends, against better-auth",
  rows: [4],
  run: (context) =>
    withSides(context, [{ service: "countersign" }, rival, floor], async (sides) => {
      const bound = context.scale === "full" ? { durationMillis: 5_000 } : { requests: 300 }
      const figures: Array<Figure> = []
      const notes: Array<string> = []
      for (const [connections, times] of wanted) {
        const run = (side: Side) =>
          measure(context, side, {
            connections,
            ...bound,
            ...(side.name === rival.service ? sendOtp(side) : sends(side)),
          })
        for (const side of sides) await run(side)
        const compared = await compareLoads(
          context,
          `\`POST /verify\`, one organization, ${connections} connections`,
          sides,
          [{ ...rival, wanted: { times, p99: 1 } }, floor],
          run,
        )
        figures.push(...compared.figures)
        notes.push(...compared.notes)
      }
      notes.push(
        "better-auth 1.7.25, phone-number plugin, `POST /phone-number/send-otp`: it writes one row with the code in clear and hands it over. It knows no organizations, balances, log or ledger, checks no number and settles nothing, so it does much less for each request.",
      )
      return { figures, notes }
    }),
}
