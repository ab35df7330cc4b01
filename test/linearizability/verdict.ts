/** Checks a history against the three models. */
import * as Linearizability from "@countersign/testing/Linearizability"
import * as Balances from "./balances.ts"
import type { History } from "./calls.ts"
import * as Keys from "./keys.ts"
import * as Requests from "./requests.ts"

/** The parts of a history that are not linearizable, each with its counterexample. */
export const problemsOf = (history: History): ReadonlyArray<string> => {
  const found = [
    ...[...Requests.histories(history)].map(
      ([id, calls]) => [`request ${id}`, Requests.problem(calls)] as const,
    ),
    ["the balance", Balances.problem(history)] as const,
    ...[...Keys.histories(history)].map(
      ([key, calls]) => [`the idempotency key of ${key}`, Keys.problem(calls)] as const,
    ),
  ]
  return found.flatMap(([subject, problem]) =>
    problem === undefined ? [] : [`Of ${subject}: ${Linearizability.format(problem)}`],
  )
}

/** What a history has had, for the totals of a campaign. */
export const countsOf = (history: History): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {
    histories: 1,
    calls: history.length,
    requests: Requests.histories(history).size,
    keys: Keys.histories(history).size,
    lost: history.filter(({ answer }) => answer === undefined).length,
  }
  for (const { answer } of history) {
    const code = answer?.output.code ?? "no answer"
    if (code !== "ok" && code !== "no answer") counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}
