/**
 * Actions on what is stored of people: searches with all of their pages, and erasures.
 */
import { Messages } from "@countersign/core/services/Messages"
import { Privacy } from "@countersign/core/services/Privacy"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import { lineOf } from "./playMessages.ts"
import { foundIn, unsent, unsentFirst } from "./readings.ts"
import type { Real } from "./real.ts"
import type { Reference } from "./reference.ts"
import type { Action } from "./scenario.ts"
import { callerOf, compareOne, phoneOf, resultOf } from "./results.ts"

interface Page {
  readonly next: string | undefined
  readonly lines: ReadonlyArray<string>
}

/** The lines of all pages. */
const everyLine = <E, R>(
  read: (cursor: string | undefined) => Effect.Effect<Page, E, R>,
): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    let cursor: string | undefined
    do {
      const page = yield* read(cursor)
      lines.push(...page.lines)
      cursor = page.next
    } while (cursor !== undefined)
    return lines
  })

export const search = (action: Action<"search">, reference: Reference, real: Real) => {
  const { limit, node, org, person, state, status } = action
  const query = {
    ...callerOf(real, org, undefined),
    phoneNumber: person === undefined ? undefined : phoneOf(person),
    limit,
  }
  const messages = everyLine((cursor) =>
    Effect.map(
      Messages.use((_) =>
        _.search({ ...query, cursor, statuses: status === undefined ? undefined : [status] }),
      ),
      ({ messages: found, next }) => ({ next, lines: found.map(lineOf) }),
    ),
  )
  const requests = everyLine((cursor) =>
    Effect.map(
      Verifications.use((_) =>
        _.search({ ...query, cursor, statuses: state === undefined ? undefined : [state] }),
      ),
      ({ next, verifications }) => ({
        next,
        lines: verifications.map(
          (one) =>
            `${one.phoneNumber} ${one.status} ${one.createdAt}${one.delivery === null ? unsent : ""}`,
        ),
      }),
    ),
  ).pipe(Effect.map(unsentFirst))
  const call = resultOf(Effect.all([messages, requests]), (found) => found.flat().join("\n"))
  return compareOne(() => foundIn(reference, action), real.on(node, call))
}

export const erase = (action: Action<"erase">, reference: Reference, real: Real) => {
  const { node, org, person } = action
  const input = { ...callerOf(real, org, undefined), phoneNumber: phoneOf(person) }
  const call = Privacy.use((privacy) =>
    resultOf(privacy.erase(input), ({ left, messages }) => `erased ${messages}, ${left} left`),
  )
  return compareOne(() => reference.erase(action), real.on(node, call))
}
