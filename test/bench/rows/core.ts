/** Row 9: the rules alone, and the services on the memory store, without HTTP and without a database. */
import { runChild } from "../children/child.ts"
import type { DecideInput, DecideResult } from "../children/decide.ts"
import type { VerificationsInput, VerificationsResult } from "../children/verifications.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { rate, reportedRate } from "../reported.ts"
import { inTurns } from "../sides.ts"
import { median } from "../stats.ts"

const sizes = {
  full: { lived: 50_000, recorded: 4_000, millis: 1_000, requests: 40_000 },
  quick: { lived: 2_000, recorded: 1_000, millis: 50, requests: 1_000 },
}

const wantedDecisions = 1_000_000

const decideIn = (
  { rounds, scale }: Context,
  limits: DecideInput["limits"],
): Promise<DecideResult> => {
  const { lived, millis, recorded } = sizes[scale]
  const input: DecideInput = { requests: lived, recorded, millis, rounds, limits }
  return runChild("decide", input, ["--expose-gc"])
}

const decisions = async (context: Context): Promise<ReadonlyArray<Figure>> => {
  const usual = await decideIn(context, "default")
  const lifted = await decideIn(context, "lifted")
  const full = await decideIn(context, "full")
  const line = (what: string, values: ReadonlyArray<number>): Figure => ({
    work: `\`decide\` ${what}`,
    ours: rate(median(values)),
  })
  const mix = median(usual.alone.mix)
  return [
    {
      ...line("on the mix, default limits", usual.alone.mix),
      wanted: `≥ ${rate(wantedDecisions)}`,
      reached: mix >= wantedDecisions,
    },
    line("on `RequestVerification` alone", usual.alone.RequestVerification),
    line("on `RecordDispatch` alone", usual.alone.RecordDispatch),
    line("on `CheckCode` with a wrong code alone", usual.alone["wrong code"]),
    line("on `CheckCode` with the right code alone", usual.alone["right code"]),
    line("on the mix, windows lifted", lifted.alone.mix),
    line("on the mix, 1,000 checks in the window", full.alone.mix),
    reportedRate(
      "`decide` on the mix, default limits, with its writes put into maps",
      "plain objects",
      usual.living,
      usual.plain,
    ),
  ]
}

const services = async (context: Context): Promise<ReadonlyArray<Figure>> => {
  const { requests } = sizes[context.scale]
  const run = (side: VerificationsInput["side"]) => () =>
    runChild<VerificationsResult>("verifications", { side, requests }, ["--expose-gc"])
  const [ours = [], other = []] = await inTurns(context, [run("engine"), run("plain")])
  const line = (work: string, value: (result: VerificationsResult) => number): Figure =>
    reportedRate(work, "plain objects", ours.map(value), other.map(value))
  return [
    line("`Verifications.send`, memory store, one after another", ({ send }) => send),
    line("`Verifications.check`, memory store, one after another", ({ check }) => check),
    line("`Verifications.send`, memory store, 64 fibers", ({ sendMany }) => sendMany),
    line("`Verifications.check`, memory store, 64 fibers", ({ checkMany }) => checkMany),
  ]
}

export const core: Measurement = {
  id: "core",
  title: "The core alone",
  rows: [9],
  run: async (context) => ({
    figures: [...(await decisions(context)), ...(await services(context))],
    notes: [
      "A decision is `Decision.view` and `Decision.decide`. The mix is one organization's history: a request is sent, settled, checked with a wrong code and then with the right one, a quarter of the decisions each; every number asks twice, and seven seconds pass from request to request, so the window of checks holds 17 or 18. The history is recorded once, and its decisions are made again and again; with the writes put into maps, it is lived through from its start.",
      "The plain implementation keeps the same rules, log and ledger in maps and objects that change in place. It draws codes and ids, checks numbers against the numbering plan and makes HMACs as the engine does, and its functions are `async` because a gateway is. Each side runs in processes of its own, in turns.",
    ],
  }),
}
