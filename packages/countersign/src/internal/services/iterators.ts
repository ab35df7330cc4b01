/** Services whose methods return iterators. */
import { eventLog } from "@countersign/core/api/events"
import * as Fields from "@countersign/core/api/Fields"
import * as Input from "@countersign/core/api/Input"
import { operation, showing } from "@countersign/core/api/Operation"
import { personalRecord, privacy } from "@countersign/core/api/privacy"
import type { ExportPlace, Privacy } from "@countersign/core/services/Privacy"
import type { EventLog } from "@countersign/core/services/EventLog"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type * as Types from "../types/services.ts"
import { method, type Methods } from "./method.ts"
import { promisesOf } from "./promises.ts"

const { list: read } = eventLog

const list = operation({
  ...read,
  output: Schema.Struct({ ...read.output.fields, next: Fields.orNull(Schema.Int) }),
  listing: { items: "events", from: "after", isStored: true, by: "sequence" },
})

const readPlace = Input.reading({ input: read.input.mapFields(Struct.omit(["limit"])) })

const shownEvents = showing({ output: read.output.fields.events })

export const makeEvents = (service: EventLog["Service"]): Methods<Types.Events> => {
  const nextOf = method(readPlace, service.next)
  return {
    ...promisesOf(
      { list },
      {
        list: (input) =>
          Effect.map(service.list(input), (page) => {
            const end = page.events.at(-1)?.sequence ?? page.last
            return { ...page, next: end < page.last ? end : undefined }
          }),
      },
    ),
    follow: (scope) => {
      const next = nextOf(scope)
      return async function* (input = {}) {
        let { after } = input
        for (;;) {
          const found = await next({ ...input, after })
          yield* shownEvents(found.events)
          after = found.after
        }
      }
    },
  }
}

const shownRecord = showing({ output: personalRecord })

export const makePrivacy = (service: Privacy["Service"]): Methods<Types.Privacy> => {
  const pageOf = method(Input.reading(privacy.erase), service.exportPage)
  return {
    ...promisesOf(privacy, { erase: (input) => service.erase(input) }),
    export: (scope) => {
      const page = pageOf(scope)
      return async function* (input) {
        let place: ExportPlace | undefined
        do {
          const { next, records } = await page(input, place)
          for (const record of records) yield shownRecord(record)
          place = next
        } while (place !== undefined)
      }
    },
  }
}
