import * as Codec from "@countersign/core/codec/Codec"
import type { Channel, ListMessages, LogEntry, Page } from "@countersign/core/codec/Data"
import * as Input from "@countersign/core/codec/InputReaders"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import * as Money from "@countersign/core/domain/values/Money"
import { History } from "@countersign/core/services/History"
import { Messages } from "@countersign/core/services/Messages"
import * as Context from "effect/Context"
import type * as Services from "../types/services.ts"
import { later, method, parsed } from "./method.ts"
import { pages } from "./pages.ts"
import type { Methods } from "./scope.ts"

export const make = (context: Context.Context<Messages | History>): Methods<Services.Messages> => {
  const service = Context.get(context, Messages)
  const history = Context.get(context, History)
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
        const { balance, channel, gatewayId, phoneNumber } = yield* service.send(input)
        return { gatewayId, phoneNumber, channel, balance: Money.format(balance) }
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
      parsed<ListMessages | undefined, typeof list, Page<LogEntry>>(list, function* (input) {
        const { messages, next = null } = yield* service.search(input)
        return { items: messages.map(Codec.logEntry), next }
      }),
    ),
    count: parsed({ from: Input.millis, to: Input.millis }, function* (input) {
      return (yield* service.list({ ...input, limit: 1 })).total
    }),
    history: method({ sequence: Fields.integer }, function* (input) {
      return Codec.messageHistory(yield* history.message(input))
    }),
    get: method({ id: Fields.text }, function* (input) {
      return Codec.logEntry(yield* service.get(input))
    }),
  }
}

const list = {
  ...Input.search,
  statuses: Input.messageStatuses,
  gateway: Input.optionalText,
  gatewayId: Input.optionalText,
}
