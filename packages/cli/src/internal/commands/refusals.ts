import { showing } from "@countersign/core/api/Operation"
import { refusals as rows } from "@countersign/core/api/refusals"
import type { Refusal } from "@countersign/core/api/types/refusals"
import * as Input from "@countersign/core/codec/InputReaders"
import { errorCodes } from "@countersign/core/domain/errors/ErrorCode"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { maxKept } from "@countersign/core/domain/verifications/Refusal"
import { Refusals } from "@countersign/core/engine/Refusals"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { engineCommand } from "../command.ts"
import { limit, printPage, search } from "../searches.ts"
import { organization } from "../settings.ts"
import type { Column } from "../table.ts"

const columns: ReadonlyArray<Column<Refusal>> = [
  { title: "at", of: ({ at }) => at },
  { title: "phone number", of: ({ phoneNumber }) => phoneNumber },
  { title: "call", of: ({ operation }) => operation },
  { title: "channel", of: ({ channel }) => channel },
  { title: "code", of: ({ code }) => code },
  { title: "reason", of: ({ reason }) => reason },
  {
    title: "details",
    of: ({ parameters }) =>
      Object.entries(parameters)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
  },
  { title: "caller", of: ({ actor, apiKeyId }) => apiKeyId ?? actor },
]

export const refusals = engineCommand(
  "refusals",
  "List calls that were refused, newest first: why a number got no code",
  {
    organization,
    ...search,
    limit: limit("Rows in the page", maxKept, 50),
    codes: Flag.Literals("code", errorCodes).pipe(
      Flag.withDescription("The code of the error. Repeatable. Default: any"),
      Flag.atLeast(0),
    ),
  },
  Effect.fnUntraced(function* ({ codes, ...input }) {
    const refusals = yield* Refusals
    const found = yield* refusals.list({
      ...input,
      codes: codes.length === 0 ? undefined : codes,
      organization: yield* Input.organizationOf(input),
    })
    const page = showing(rows.list)(found)
    yield* printPage(page, page.refusals, columns, "No refused call matches.")
  }),
)

/**
 * A line below the results of a search by phone number, if calls to it were refused. Without the secret, refusals are
 * not found by number, and there is no line.
 */
export const refusedLine = (organization: OrganizationId, phoneNumber: string | undefined) =>
  phoneNumber === undefined
    ? Effect.succeed("")
    : Refusals.use((refusals) => refusals.list({ organization, phoneNumber, limit: 1 })).pipe(
        Effect.map(({ refusals: [newest] }) =>
          newest === undefined
            ? ""
            : `\nCalls to this number were refused, the last one with ${newest.code}: countersign refusals -o ${organization} --phone-number ${phoneNumber}`,
        ),
        Effect.catchCause(() => Effect.succeed("")),
      )
