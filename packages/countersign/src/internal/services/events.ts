import type { EventLog } from "@countersign/core/services/EventLog"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type { Method } from "../errors/translate.ts"
import type { ReadEvents } from "@countersign/core/codec/EventData"
import type { Events } from "../types/services.ts"

export const make = (method: Method, service: EventLog["Service"]): Events => {
  const next = method(function* (input: ReadEvents) {
    const organization = yield* Input.organizationOf(input)
    const after = yield* Input.field("after", Input.optionalInteger(input.after))
    return (yield* service.next({ organization, after })).map(Codec.loggedEvent)
  })
  return {
    read: method(function* (input = {}) {
      const page = yield* service.read({
        organization: yield* Input.organizationOf(input),
        after: yield* Input.field("after", Input.optionalInteger(input.after)),
        limit: yield* Input.field("limit", Input.optionalInteger(input.limit)),
      })
      return { ...page, events: page.events.map(Codec.loggedEvent) }
    }),
    follow: async function* (input = {}) {
      let { after } = input
      for (;;) {
        for (const event of await next({ ...input, after })) {
          yield event
          after = event.sequence
        }
      }
    },
  }
}
