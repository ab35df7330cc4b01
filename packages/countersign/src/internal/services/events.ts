import type { EventLog } from "@countersign/core/services/EventLog"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type { LoggedEvent, ReadEvents } from "@countersign/core/codec/EventData"
import type { Events } from "../types/services.ts"
import { method } from "./method.ts"
import type { Methods, Unbound } from "./scope.ts"

const place = { after: Input.optionalInteger }

interface NextEvents {
  readonly events: ReadonlyArray<LoggedEvent>
  readonly after: number
}

export const make = (service: EventLog["Service"]): Methods<Events> => {
  const nextOf: Unbound<(input: Omit<ReadEvents, "limit">) => Promise<NextEvents>> = method(
    place,
    function* (input) {
      const found = yield* service.next(input)
      return { ...found, events: found.events.map(Codec.loggedEvent) }
    },
  )
  return {
    read: method({ ...place, limit: Input.optionalInteger }, function* (input) {
      const page = yield* service.read(input)
      return { ...page, events: page.events.map(Codec.loggedEvent) }
    }),
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
