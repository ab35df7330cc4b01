import { showing } from "@countersign/core/api/Operation"
import { refusals as rows } from "@countersign/core/api/refusals"
import type { Refusal } from "@countersign/core/api/types/refusals"
import { errorCodes } from "@countersign/core/domain/errors/ErrorCode"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { maxKept } from "@countersign/core/domain/verifications/Refusal"
import { Refusals } from "@countersign/core/engine/Refusals"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { limit, many, search } from "../flags.ts"
import { printPage } from "../output.ts"
import type { Column } from "../table.ts"

const columns: ReadonlyArray<Column<Refusal>> = [
  "at",
  { title: "phone number", of: ({ phoneNumber }) => phoneNumber },
  { title: "call", of: ({ operation }) => operation },
  "channel",
  "code",
  "reason",
  {
    title: "details",
    of: ({ parameters }) =>
      Object.entries(parameters)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
  },
  { title: "caller", of: ({ actor, apiKeyId }) => apiKeyId ?? actor },
]

export const refusals = organizationCommand(
  "refusals",
  "List calls that were refused, newest first: why a number got no code",
  {
    ...search,
    limit: limit("Rows in the page", maxKept, 50),
    codes: many("code", errorCodes, "The code of the error. Repeatable. Default: any"),
  },
  Effect.fnUntraced(function* (organization, input) {
    const refusals = yield* Refusals
    const found = yield* refusals.list({ organization, ...input })
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
