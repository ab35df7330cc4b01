import * as Input from "@countersign/core/api/Input"
import { messages } from "@countersign/core/api/messages"
import type { Inputs } from "@countersign/core/api/Operation"
import { showing } from "@countersign/core/api/Operation"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { History } from "@countersign/core/services/History"
import { Messages } from "@countersign/core/services/Messages"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Services from "../types/services.ts"
import { served, type Methods } from "./method.ts"
import { promisesOf } from "./promises.ts"
import { sendMessage } from "./readers.ts"

const { send, ...others } = messages

const sent = showing(send)

export const make = (
  context: Context.Context<Messages | History>,
): Methods<Services.OrganizationServices["messages"]> => {
  const service = Context.get(context, Messages)
  const history = Context.get(context, History)

  const get = Effect.fnUntraced(function* (input: Inputs<typeof messages>["get"]) {
    const { id, sequence } = input
    if (id !== undefined && sequence !== undefined) {
      return yield* Input.invalid("sequence", FieldProblem.make("repeated", {}))
    }
    if (id === undefined && sequence === undefined) {
      return yield* Input.invalid("id", FieldProblem.make("required", {}))
    }
    return yield* service.get(input)
  })

  return {
    ...promisesOf(others, {
      preview: service.preview,
      list: service.search,
      count: ({ from, organization, to }) => {
        // The service takes both bounds or none.
        const isBounded = from !== undefined || to !== undefined
        const period = isBounded ? { from: from ?? 0, to: to ?? maxTime } : {}
        const page = service.list({ organization, ...period, limit: 1 })
        return Effect.map(page, ({ total }) => total)
      },
      get,
      history: (input) => Effect.flatMap(get(input), history.message),
    }),
    send: served(send, sendMessage, service.send, ({ logStatus: status, ...message }) =>
      sent({ ...message, status }),
    ),
  }
}

/** The last time of a `Date`. */
const maxTime = 8_640_000_000_000_000
