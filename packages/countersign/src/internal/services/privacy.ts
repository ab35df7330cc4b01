import type { ExportPlace, Privacy } from "@countersign/core/services/Privacy"
import * as Fields from "@countersign/core/domain/Fields"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type { Method } from "../errors/translate.ts"
import type * as Types from "@countersign/core/codec/PrivacyData"
import type * as Services from "../types/services.ts"

export const make = (method: Method, service: Privacy["Service"]): Services.Privacy => {
  const page = method(function* (input: Types.PersonalData, place: ExportPlace | undefined) {
    const phoneNumber = Fields.text(input.phoneNumber)
    const organization = yield* Input.organizationOf(input)
    return yield* service.exportPage({ organization, phoneNumber }, place)
  })
  return {
    erase: method(function* (input) {
      return yield* service.erase({
        phoneNumber: Fields.text(input.phoneNumber),
        organization: yield* Input.organizationOf(input),
      })
    }),
    export: async function* (input) {
      let place: ExportPlace | undefined
      do {
        const { next, records } = await page(input, place)
        for (const record of records) yield Codec.personalRecord(record)
        place = next
      } while (place !== undefined)
    },
  }
}
