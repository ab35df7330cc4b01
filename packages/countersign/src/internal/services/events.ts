import type { EventLog } from "@countersign/core/services/EventLog"
import * as Codec from "./results.ts"
import * as Input from "./inputReaders.ts"
import * as Cursor from "@countersign/core/domain/values/Cursor"
import type { EventPage, FollowEvents, ListEvents } from "@countersign/core/api/PlainTypes"
import type { LoggedEvent } from "@countersign/core/api/types/events"
import * as Result from "effect/Result"
import type { Events } from "../types/services.ts"
import { method } from "./method.ts"
import { pages } from "./pages.ts"
import type { Methods, Unbound } from "./scope.ts"

const place = { after: Input.optionalInteger }

const list = { ...place, cursor: Input.optionalText, limit: Input.optionalInteger }

interface NextEvents {
  readonly events: ReadonlyArray<LoggedEvent>
  readonly after: number
}

export const make = (service: EventLog["Service"]): Methods<Events> => {
  const nextOf: Unbound<(input: FollowEvents) => Promise<NextEvents>> = method(
    place,
    function* (input) {
      const found = yield* service.next(input)
      return { ...found, events: found.events.map(Codec.loggedEvent) }
    },
  )
  return {
    list: pages(
      method<ListEvents | undefined, typeof list, EventPage, readonly []>(list, function* (input) {
        const { after, cursor, limit, organization } = input
        const place =
          cursor === undefined
            ? after
            : yield* Input.field("cursor", Result.merge(Cursor.parse(cursor)))
        const page = yield* service.read({ organization, limit, after: place })
        const items = page.events.map(Codec.loggedEvent)
        const { first, last } = page
        const end = items.at(-1)?.sequence ?? last
        return { items, next: end < last ? Cursor.make(end) : null, first, last }
      }),
    ),
    follow: (scope) => {
      const next = nextOf(scope)
      return async function* (input = {}) {
        let { after } = input
        for (;;) {
          const found = await next({ ...input, after })
          yield* found.events
          after = found.after
        }
      }
    },
  }
}
