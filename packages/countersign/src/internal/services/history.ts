import type { History } from "@countersign/core/services/History"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type * as Services from "../types/services.ts"
import type { Methods } from "./method.ts"

export const make = ({ method }: Methods, service: History["Service"]): Services.History => ({
  message: method(
    { organization: Input.organization, sequence: Fields.integer },
    function* (input) {
      return Codec.messageHistory(yield* service.message(input))
    },
  ),
  verification: method(
    { organization: Input.organization, requestId: Fields.text },
    function* (input) {
      return Codec.verificationHistory(yield* service.verification(input))
    },
  ),
})
