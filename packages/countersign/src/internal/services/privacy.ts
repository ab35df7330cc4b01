import type { ExportPage, ExportPlace, Privacy } from "@countersign/core/services/Privacy"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import * as Codec from "./results.ts"
import type { OfPhoneNumber } from "@countersign/core/api/types/verifications"
import type * as Services from "../types/services.ts"
import { method, parsed } from "./method.ts"
import type { Methods, Unbound } from "./scope.ts"

const personalData = { phoneNumber: Fields.text }

type ReadPage = (input: OfPhoneNumber, place: ExportPlace | undefined) => Promise<ExportPage>

export const make = (service: Privacy["Service"]): Methods<Services.Privacy> => {
  const pageOf: Unbound<ReadPage> = method(personalData, function* (input, place) {
    return yield* service.exportPage(input, place)
  })
  return {
    erase: parsed(personalData, function* (input) {
      return yield* service.erase(input)
    }),
    export: (scope) => {
      const page = pageOf(scope)
      return async function* (input) {
        let place: ExportPlace | undefined
        do {
          const { next, records } = await page(input, place)
          for (const record of records) yield Codec.personalRecord(record)
          place = next
        } while (place !== undefined)
      }
    },
  }
}
