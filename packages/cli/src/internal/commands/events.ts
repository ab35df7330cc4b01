import { loggedEvent } from "@countersign/core/api/events"
import { showing } from "@countersign/core/api/Operation"
import type * as Event from "@countersign/core/domain/events/Event"
import { EventLog } from "@countersign/core/services/EventLog"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { organizationCommand } from "../command.ts"
import { isGiven, sequence } from "../flags.ts"
import { jsonOf, printable } from "../printable.ts"
import { Json } from "../settings.ts"
import { formatTime } from "../table.ts"

/** Without `--follow`, the newest events of this number are printed. */
const newest = 20

const plain = showing({ output: loggedEvent })

type LoggedEvent = ReturnType<typeof plain>

/** The fields that are in no column. */
const detailsOf = ({
  at: _at,
  organization: _,
  sequence: _sequence,
  type: _type,
  ...rest
}: LoggedEvent) =>
  Object.entries(rest)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ")

const line = (event: LoggedEvent, zone: DateTime.TimeZone): string =>
  printable(`${event.sequence}  ${formatTime(event.at, zone)}  ${event.type}  ${detailsOf(event)}`)

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
  Effect.fnUntraced(function* (organization, { after, follow }) {
    const log = yield* EventLog
    const isJson = yield* Json
    const zone = yield* DateTime.CurrentTimeZone
    const { last } = yield* log.read({ organization, limit: 1 })
    const start = after ?? Math.max(0, last - newest)
    const printOne = (one: Event.LoggedEvent) => {
      const event = plain(one)
      return Console.log(isJson ? jsonOf(event) : line(event, zone))
    }
    if (follow)
      return yield* Stream.runForEach(log.follow({ organization, after: start }), printOne)
    let place = start
    while (place < last) {
      const { events } = yield* log.read({ organization, after: place, limit: 1_000 })
      yield* Effect.forEach(events, printOne, { discard: true })
      place = events.at(-1)?.sequence ?? last
    }
    if (start >= last && !isJson) yield* Console.log("There are no events.")
  }),
)

export const events = Command.make("events").pipe(
  Command.withDescription("The event log of an organization"),
  Command.withSubcommands([tail]),
)
