import { showing } from "@countersign/core/api/Operation"
import { type PersonalRecord, personalRecord } from "@countersign/core/api/privacy"
import * as Erasure from "@countersign/core/decide/maintenance/Erasure"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Masking from "@countersign/core/domain/values/Masking"
import { Store } from "@countersign/core/ports/Store"
import { Audit } from "@countersign/core/services/Audit"
import { firstPlace, Privacy, stepRows } from "@countersign/core/services/Privacy"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { confirm, organizationCommand } from "../command.ts"
import { phoneNumberArgument } from "../flags.ts"
import { printDone } from "../output.ts"
import { jsonOf } from "../printable.ts"
import { type Progress, withProgress } from "../progress.ts"
import * as Session from "../session.ts"

const subject = { phoneNumber: phoneNumberArgument }

/**
 * The progress after each step, by the kind of its rows. Events take the longest, because a step examines the events
 * of all phone numbers.
 */
const eventsPassed = Effect.fnUntraced(function* (organization: OrganizationId) {
  const store = yield* Store
  const account = yield* store.account(organization)
  const total = account === undefined ? 0 : account.lastEvent - account.firstEvent + 1
  const position = Erasure.kinds.indexOf("events")
  let done = 0
  return (kind: Erasure.Kind): Progress => {
    if (kind === "events") done = Math.min(total, done + stepRows)
    if (Erasure.kinds.indexOf(kind) > position) done = total
    return { done, total, unit: "events" }
  }
})

export const erase = organizationCommand(
  "erase",
  "Erase a phone number from every row of an organization. Needs --reason",
  subject,
  function* (organization, { phoneNumber }) {
    const privacy = yield* Privacy
    yield* Session.reason
    const shown = Masking.words(phoneNumber)
    yield* confirm(`Erase ${shown} from ${organization}? This cannot be undone.`)
    const passed = yield* eventsPassed(organization)
    const erased = yield* withProgress("Erasing", ({ show }) =>
      privacy.erase({ organization, phoneNumber }, (kind) => show(passed(kind))),
    )
    const { left, ...counts } = erased
    const rows = Object.entries(counts).map(([kind, count]) => `${kind}: ${count}`)
    yield* printDone(
      erased,
      left === 0
        ? `Erased. ${rows.join(", ")}.`
        : `Erased. ${rows.join(", ")}. Rows that are still needed: ${left}. Erase again once their messages are settled.`,
    )
  },
)

const plain = showing({ output: personalRecord })

const printLine = (record: PersonalRecord) => Console.log(jsonOf(plain(record)))

export const exportNumber = organizationCommand(
  "export",
  "Print every record of a phone number, one JSON object per line. Needs --reason",
  subject,
  function* (organization, { phoneNumber }) {
    const privacy = yield* Privacy
    const reason = yield* Session.reason
    const target = Masking.words(phoneNumber)
    let page = yield* privacy.exportPage({ organization, phoneNumber })
    // Before any output: a reader of a part of the data is recorded as well.
    yield* Audit.use((_) => _.record({ organization, action: "number.exported", target, reason }))
    const passed = yield* eventsPassed(organization)
    yield* withProgress("Exporting", ({ hide, show }) =>
      Effect.gen(function* () {
        let kind = firstPlace.kind
        for (;;) {
          if (page.records.length > 0) yield* hide
          yield* Effect.forEach(page.records, printLine, { discard: true })
          yield* show(passed(kind))
          if (page.next === undefined) return
          kind = page.next.kind
          page = yield* privacy.exportPage({ organization, phoneNumber }, page.next)
        }
      }),
    )
  },
)
