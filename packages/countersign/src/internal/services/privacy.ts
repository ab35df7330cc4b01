import type { ExportPlace, PersonalRecord, Privacy } from "@countersign/core/services/Privacy"
import * as Fields from "@countersign/core/domain/Fields"
import * as Codec from "./codec.ts"
import * as Input from "./inputs.ts"
import type { Method } from "../errors/translate.ts"
import type * as Types from "../types/privacy.ts"
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
        for (const record of records) yield recordOf(record)
        place = next
      } while (place !== undefined)
    },
  }
}

const recordOf = (record: PersonalRecord): Types.PersonalRecord => {
  switch (record._tag) {
    case "Message": {
      const reports = record.reports.map(Codec.messageReport)
      return { type: "message", ...Codec.logEntry(record.message), reports }
    }
    case "Verification": {
      const { verification } = record
      return {
        type: "verification",
        requestId: verification.requestId,
        phoneNumber: verification.phoneNumber,
        channel: verification.channel,
        purpose: verification.purpose,
        metadata: Codec.metadata(verification.metadata),
        status: verification.status,
        attemptsRemaining: verification.attemptsRemaining,
        resends: verification.resends,
        messageSequences: [...verification.earlierMessages, verification.messageSequence],
        prefix: verification.prefix,
        checks: verification.checks.map(Codec.date),
        createdAt: Codec.date(verification.createdAt),
        sentAt: Codec.date(verification.sentAt),
        expiresAt: Codec.date(verification.expiresAt),
        verifiedAt: Codec.dateOrNull(verification.verifiedAt),
        consumedAt: Codec.dateOrNull(verification.consumedAt),
      }
    }
    case "Event":
      return { type: "event", event: Codec.loggedEvent(record.event) }
    case "Answer":
      return { type: "answer", ...record.answer, expiresAt: Codec.date(record.answer.expiresAt) }
    case "Limits": {
      const { clients, isErased, requests, wrongCodes, wrongCodesSinceSuccess } = record
      return {
        type: "limits",
        isErased,
        requests: requests.map(Codec.date),
        wrongCodes: wrongCodes.map(Codec.date),
        wrongCodesSinceSuccess,
        clients: clients.map(({ digest, verifiedAt }) => ({
          digest,
          verifiedAt: Codec.date(verifiedAt),
        })),
      }
    }
  }
}
