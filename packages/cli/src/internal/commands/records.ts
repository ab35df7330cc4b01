/** The records of the engine about its calls: events, refused calls and the audit. */
import { audit as auditRows } from "@countersign/core/api/audit"
import { loggedEvent } from "@countersign/core/api/events"
import { showing } from "@countersign/core/api/Operation"
import { refusals as refusalRows } from "@countersign/core/api/refusals"
import type { AuditRecord } from "@countersign/core/api/types/audit"
import type { Refusal } from "@countersign/core/api/types/refusals"
import { errorCodes } from "@countersign/core/domain/errors/ErrorCode"
import type * as Event from "@countersign/core/domain/events/Event"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { maxKept } from "@countersign/core/domain/verifications/Refusal"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Audit } from "@countersign/core/services/Audit"
import { EventLog } from "@countersign/core/services/EventLog"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { group, organizationCommand } from "../command.ts"
import { isGiven, limit, many, search, sequence, text, times } from "../flags.ts"
import { formatTime, printPage } from "../output.ts"
import { jsonOf, printable } from "../printable.ts"
import { Json } from "../settings.ts"

/** The names and values of an object in one line. */
const assignments = (values: object): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ")

/** Without `--follow`, the newest events of this number are printed. */
const newest = 20

const plain = showing({ output: loggedEvent })

const line = (event: ReturnType<typeof plain>, zone: DateTime.TimeZone): string => {
  const { at, organization: _, sequence, type, ...rest } = event
  return printable(`${sequence}  ${formatTime(at, zone)}  ${type}  ${assignments(rest)}`)
}

const tail = organizationCommand(
  "tail",
  "Print events, one per line; with --json one JSON object per line",
  {
    after: sequence("after", `Default: so that the newest ${newest} events are printed`),
    follow: Flag.withAlias(
      isGiven("follow", "Continue with the events of all nodes as they come"),
      "f",
    ),
  },
  function* (organization, { after, follow }) {
    const log = yield* EventLog
    const isJson = yield* Json
    const zone = yield* DateTime.CurrentTimeZone
    const { last } = yield* log.list({ organization, limit: 1 })
    const start = after ?? Math.max(0, last - newest)
    const printOne = (one: Event.LoggedEvent) => {
      const event = plain(one)
      return Console.log(isJson ? jsonOf(event) : line(event, zone))
    }
    if (follow)
      return yield* Stream.runForEach(log.follow({ organization, after: start }), printOne)
    let place = start
    while (place < last) {
      const { events } = yield* log.list({ organization, after: place, limit: 1_000 })
      yield* Effect.forEach(events, printOne, { discard: true })
      place = events.at(-1)?.sequence ?? last
    }
    if (start >= last && !isJson) yield* Console.log("There are no events.")
  },
)

export const events = group("events", [tail], "The event log of an organization")

export const refusals = organizationCommand(
  "refusals",
  "List calls that were refused, newest first: why a number got no code",
  {
    ...search,
    limit: limit("Rows in the page", maxKept, 50),
    codes: many("code", errorCodes, "The code of the error. Repeatable. Default: any"),
  },
  function* (organization, input) {
    const found = yield* Refusals.use((_) => _.list({ organization, ...input }))
    const page = showing(refusalRows.list)(found)
    yield* printPage<Refusal>(
      page,
      page.refusals,
      [
        "at",
        "phoneNumber",
        ["call", "operation"],
        "channel",
        "code",
        "reason",
        ["details", ({ parameters }) => assignments(parameters)],
        ["caller", ({ actor, apiKeyId }) => apiKeyId ?? actor],
      ],
      "No refused call matches.",
    )
  },
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

export const audit = organizationCommand(
  "audit",
  "List changes with their actors and reasons, newest first",
  {
    by: text("by", "Who made the change: a part of the actor's id"),
    action: text("action", "What was done: a part of the action, such as `webhook.`"),
    target: text("target", "What was changed: a part of its id"),
    ...times,
    before: sequence("before", "The end of the previous page"),
    limit: limit("Entries", 1_000, 50),
  },
  function* (organization, { by, ...input }) {
    const found = yield* Audit.use((_) => _.list({ organization, actor: by, ...input }))
    const page = showing(auditRows.list)(found)
    yield* printPage<AuditRecord>(
      page,
      page.entries,
      ["sequence", "at", "actor", "origin", "action", "target", "reason"],
      "There are no entries.",
      { flag: "before" },
    )
  },
)
