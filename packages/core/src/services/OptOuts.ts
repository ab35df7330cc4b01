/**
 * The phone numbers that get no promotional messages of an organization. `decide/commands/optOuts` has the rules, which
 * every promotional message passes in the commit that charges it.
 *
 * A row has a digest under the secret that was current when the number was added. While a host has both an old and a
 * new secret, numbers are found under both. A number that is found under the old one gets a row under the new one. Once
 * the old secret is removed, rows that have only its digest are not found any more.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Actor } from "../domain/values/Actor.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import * as OptOut from "../domain/messages/OptOut.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import { Access } from "../engine/Access.ts"
import { Codes } from "../engine/Codes.ts"
import { Commits } from "../engine/Commits.ts"
import type { optOuts } from "../api/optOuts.ts"
import type * as Operation from "../api/Operation.ts"
import { FieldProblems, invalid } from "../api/internal/fieldProblems.ts"
import { Store } from "../ports/Store.ts"

type Operations = typeof optOuts

export class OptOuts extends Context.Service<OptOuts, Operation.HostMethods<Operations>>()(
  "@countersign/core/services/OptOuts",
) {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const store = yield* Store

  const changing = (change: "add" | "remove"): Operation.HostMethods<Operations>["add"] =>
    Effect.fnUntraced(
      function* ({ organization, phoneNumbers }) {
        const numbers = yield* parsed(phoneNumbers)
        const digests = yield* Effect.forEach(numbers, (one) =>
          codes.phoneNumber(organization, one),
        )
        const actor = yield* Actor
        const { changed } = yield* commits.run({
          _tag: "ChangeOptOuts",
          organization,
          actor,
          change,
          numbers: digests,
        })
        return { changed }
      },
      // The command carries no version, so it cannot be stale.
      Effect.catchTag("StaleSettings", Effect.die),
    )

  const check = Effect.fnUntraced(function* (organization: OrganizationId, text: string) {
    const problems = new FieldProblems()
    const number = problems.parse("phoneNumber", text, read)
    if (number === undefined) return yield* problems.error ?? invalid
    yield* access.load(organization)
    const rows = yield* store.optOuts(organization, yield* codes.phoneNumber(organization, number))
    const active = rows.find(OptOut.isActive)
    return { isOptedOut: active !== undefined, since: active?.addedAt ?? null }
  })

  return OptOuts.of({
    add: Effect.fn("OptOuts.add")(changing("add")),
    remove: Effect.fn("OptOuts.remove")(changing("remove")),
    check: Effect.fn("OptOuts.check")(({ organization, phoneNumber }) =>
      check(organization, phoneNumber),
    ),
  })
})

export const layer = Layer.effect(OptOuts, make)

/** Any number that messages may have been sent to, also of a country not served now. */
const read = (text: string) => PhoneNumber.parseE164(text, "optional")

/** The numbers, or the problem of each text that is not a number. */
const parsed = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const problems = new FieldProblems()
  if (texts.length === 0) problems.fail("phoneNumbers", "empty", {})
  if (texts.length > OptOut.maxNumbers) {
    problems.fail("phoneNumbers", "too_many", { max: OptOut.maxNumbers })
  }
  const numbers = texts
    .slice(0, OptOut.maxNumbers)
    .flatMap((text, index) => problems.parse(`phoneNumbers.${index}`, text, read) ?? [])
  return problems.error === undefined ? numbers : yield* problems.error
})
