import type { ExportPage, ExportPlace, Privacy } from "@countersign/core/services/Privacy"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type { PersonalData } from "@countersign/core/codec/PrivacyData"
import type * as Services from "../types/services.ts"
import type { Methods } from "./method.ts"

const personalData = { organization: Input.organization, phoneNumber: Fields.text }

export const make = (
  { method, parsed }: Methods,
  service: Privacy["Service"],
): Services.Privacy => {
  const page: (input: PersonalData, place: ExportPlace | undefined) => Promise<ExportPage> = method(
    personalData,
    function* (input, place) {
      return yield* service.exportPage(input, place)
    },
  )
  return {
    erase: parsed(personalData, function* (input) {
      return yield* service.erase(input)
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
