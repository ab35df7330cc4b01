import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import * as Masking from "@countersign/core/domain/Masking"
import { Audit } from "@countersign/core/services/Audit"
import { Privacy } from "@countersign/core/services/Privacy"
import * as Argument from "effect/cli/Argument"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { engineCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { printDone } from "../output.ts"
import { withProgress } from "../progress.ts"
import * as Session from "../session.ts"
import { organization } from "../settings.ts"

const subject = {
  organization,
  phoneNumber: Argument.String("phone-number").pipe(
    Argument.withDescription("The number: +8801712345678"),
  ),
}

export const erase = engineCommand(
  "erase",
  "Erase a phone number from every row of an organization. Needs --reason",
  subject,
  Effect.fnUntraced(function* ({ phoneNumber, ...input }) {
    const privacy = yield* Privacy
    const organization = yield* Input.organizationOf(input)
    yield* Session.reason
    const shown = Masking.words(phoneNumber)
    yield* confirm(`Erase ${shown} from ${organization}? This cannot be undone.`)
    const erased = yield* withProgress("Erasing", ({ show }) =>
      Effect.andThen(show(0), privacy.erase({ organization, phoneNumber })),
    )
    const { left, ...counts } = erased
    const rows = Object.entries(counts).map(([kind, count]) => `${kind}: ${count}`)
    yield* printDone(
      erased,
      left === 0
        ? `Erased. ${rows.join(", ")}.`
        : `Erased. ${rows.join(", ")}. Rows that are still needed: ${left}. Erase again once their messages are settled.`,
    )
  }),
)

export const exportNumber = engineCommand(
  "export",
  "Print everything that is stored of a phone number, one JSON object per line. Needs --reason",
  subject,
  Effect.fnUntraced(function* ({ phoneNumber, ...input }) {
    const privacy = yield* Privacy
    const audit = yield* Audit
    const organization = yield* Input.organizationOf(input)
    const reason = yield* Session.reason
    // First: a reader of a part of the data is recorded as well.
    const target = Masking.words(phoneNumber)
    yield* privacy.exportPage({ organization, phoneNumber })
    yield* audit.record({ organization, action: "number.exported", target, reason })
    yield* withProgress("Exporting", ({ show }) =>
      privacy.export({ organization, phoneNumber }).pipe(
        Stream.runFoldEffect(
          () => 0,
          (count, record) =>
            Effect.gen(function* () {
              yield* Console.log(JSON.stringify(Codec.personalRecord(record)))
              yield* show(count + 1)
              return count + 1
            }),
        ),
      ),
    )
  }),
)
