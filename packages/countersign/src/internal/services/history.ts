import type { History } from "@countersign/core/services/History"
import * as Fields from "@countersign/core/domain/Fields"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type { Method } from "../errors/translate.ts"
import type * as Services from "../types/services.ts"

export const make = (method: Method, service: History["Service"]): Services.History => ({
  message: method(function* (input) {
    const sequence = yield* Input.field("sequence", Fields.integer(input.sequence))
    const organization = yield* Input.organizationOf(input)
    return Codec.messageHistory(yield* service.message({ organization, sequence }))
  }),
  verification: method(function* (input) {
    const requestId = yield* Input.text("requestId", input.requestId)
    const organization = yield* Input.organizationOf(input)
    return Codec.verificationHistory(yield* service.verification({ organization, requestId }))
  }),
})
