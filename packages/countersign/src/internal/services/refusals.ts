import * as Input from "@countersign/core/codec/InputReaders"
import * as RefusalCodec from "@countersign/core/codec/RefusalCodec"
import type { Refusals } from "@countersign/core/engine/Refusals"
import type * as Services from "../types/services.ts"
import type { Methods } from "./method.ts"

export const make = ({ method }: Methods, service: Refusals["Service"]): Services.Refusals => ({
  list: method(
    { organization: Input.organization, ...Input.search, codes: Input.refusalCodes },
    function* (input) {
      return RefusalCodec.refusals(yield* service.list(input))
    },
  ),
})
