/**
 * Converts refused calls to plain data.
 */
import type * as Refusal from "../domain/verifications/Refusal.ts"
import type { ExportedRefusal } from "../services/Privacy.ts"
import type { RefusalPage } from "../engine/Refusals.ts"
import type * as Types from "./RefusalData.ts"

export const refusal = (self: Refusal.Refusal | ExportedRefusal): Types.Refusal => ({
  sequence: self.sequence,
  at: new Date(self.at),
  operation: self.operation,
  code: self.code,
  reason: self.reason,
  parameters: self.parameters,
  channel: self.channel,
  country: self.country === "" ? null : self.country,
  phoneNumber: self.maskedNumber,
  requestId: self.requestId,
  apiKeyId: self.apiKeyId,
  actor: self.actor,
})

export const refusals = ({ next, refusals: found }: RefusalPage): Types.RefusalPage => ({
  refusals: found.map(refusal),
  next: next ?? null,
})
