import * as Codec from "@countersign/core/codec/Codec"
import type { Channel } from "@countersign/core/codec/Data"
import * as Input from "@countersign/core/codec/InputReaders"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import * as Money from "@countersign/core/domain/values/Money"
import type { Messages } from "@countersign/core/services/Messages"
import type * as Services from "../types/services.ts"
import { later, type Methods } from "./method.ts"

export const make = (
  { method, parsed }: Methods,
  service: Messages["Service"],
): Services.Messages => ({
  send: parsed(
    {
      phoneNumber: Fields.text,
      text: Fields.text,
      channel: later<Channel | undefined>(),
      brand: Input.optionalText,
      idempotencyKey: Input.optionalText,
      organization: Input.organization,
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
      organization: Input.organization,
    },
    function* (input) {
      const { currency, price, segments = null } = yield* service.preview(input)
      return { segments, price: Money.format(price), currency }
    },
  ),
  list: parsed(
    {
      limit: later<number | undefined>(),
      page: later<number | undefined>(),
      from: Input.millis,
      to: Input.millis,
      organization: Input.organization,
    },
    function* (input) {
      const page = yield* service.list(input)
      return { ...page, messages: page.messages.map(Codec.logEntry) }
    },
  ),
  search: parsed(
    {
      ...Input.search,
      statuses: Input.messageStatuses,
      gateway: Input.optionalText,
      gatewayId: Input.optionalText,
      organization: Input.organization,
    },
    function* (input) {
      const { messages, next = null } = yield* service.search(input)
      return { messages: messages.map(Codec.logEntry), next }
    },
  ),
  get: method({ id: Fields.text, organization: Input.organization }, function* (input) {
    return Codec.logEntry(yield* service.get(input))
  }),
})
