import * as Codec from "./results.ts"
import type { Page } from "@countersign/core/api/Page"
import type { ListMessages, Message } from "@countersign/core/api/types/messages"
import type { Channel } from "@countersign/core/domain/values/Channel"
import * as Input from "./inputReaders.ts"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import * as Money from "@countersign/core/domain/values/Money"
import { History } from "@countersign/core/services/History"
import { Messages } from "@countersign/core/services/Messages"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Services from "../types/services.ts"
import { later, method, parsed } from "./method.ts"
import { pages } from "./pages.ts"
import type { Methods } from "./scope.ts"

interface Ref {
  readonly organization: OrganizationId
  readonly id?: string | undefined
  readonly sequence?: number | undefined
}

export const make = (
  context: Context.Context<Messages | History>,
): Methods<Services.OrganizationServices["messages"]> => {
  const service = Context.get(context, Messages)
  const history = Context.get(context, History)

  const find = Effect.fnUntraced(function* ({ id, organization, sequence }: Ref) {
    if (id !== undefined && sequence !== undefined) {
      return yield* Input.invalid("sequence", FieldProblem.make("repeated", {}))
    }
    if (id === undefined && sequence === undefined) {
      return yield* Input.invalid("id", FieldProblem.make("required", {}))
    }
    return yield* service.get({ organization, id, sequence })
  })

  return {
    send: parsed(
      {
        phoneNumber: Fields.text,
        text: Fields.text,
        channel: later<Channel | undefined>(),
        sender: Input.optionalText,
        idempotencyKey: Input.optionalText,
      },
      function* (input) {
        const { balance, logStatus: status, price, ...sent } = yield* service.send(input)
        return { ...sent, status, price: Money.format(price), balance: Money.format(balance) }
      },
    ),
    preview: method(
      {
        text: Fields.text,
        channel: later<Channel | undefined>(),
        phoneNumber: Input.optionalText,
      },
      function* (input) {
        const { currency, price, segments = null } = yield* service.preview(input)
        return { segments, price: Money.format(price), currency }
      },
    ),
    list: pages(
      parsed<ListMessages | undefined, typeof list, Page<Message>>(list, function* (input) {
        const { messages, next = null } = yield* service.search(input)
        return { items: messages.map(Codec.logEntry), next }
      }),
    ),
    count: parsed({ from: Input.millis, to: Input.endMillis }, function* (input) {
      const { from, organization, to } = input
      // The service takes both bounds or none.
      const isBounded = from !== undefined || to !== undefined
      const period = isBounded ? { from: from ?? 0, to: to ?? maxTime } : {}
      return (yield* service.list({ organization, ...period, limit: 1 })).total
    }),
    get: method(ref, function* (input) {
      return Codec.logEntry(yield* find(input))
    }),
    history: method(ref, function* (input) {
      return Codec.messageHistory(yield* history.message(yield* find(input)))
    }),
  }
}

const ref = { id: Input.optionalText, sequence: Fields.optional(Fields.integer) }

/** The last time of a `Date`. */
const maxTime = 8_640_000_000_000_000

const list = {
  ...Input.search,
  statuses: Input.messageStatuses,
  gateway: Input.optionalText,
  gatewayId: Input.optionalText,
}
