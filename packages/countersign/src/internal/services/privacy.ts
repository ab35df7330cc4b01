import { personalRecord, privacy } from "@countersign/core/api/privacy"
import type { ExportPlace, Privacy } from "@countersign/core/services/Privacy"
import * as Input from "@countersign/core/api/Input"
import { showing } from "@countersign/core/api/Operation"
import type * as Services from "../types/services.ts"
import { method, type Methods } from "./method.ts"
import { promisesOf } from "./promises.ts"

const shown = showing({ output: personalRecord })

export const make = (service: Privacy["Service"]): Methods<Services.Privacy> => {
  const pageOf = method(Input.reading(privacy.erase), service.exportPage)
  return {
    ...promisesOf(privacy, { erase: (input) => service.erase(input) }),
    export: (scope) => {
      const page = pageOf(scope)
      return async function* (input) {
        let place: ExportPlace | undefined
        do {
          const { next, records } = await page(input, place)
          for (const record of records) yield shown(record)
          place = next
        } while (place !== undefined)
      }
    },
  }
}
