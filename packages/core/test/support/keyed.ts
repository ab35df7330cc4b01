import * as Effect from "effect/Effect"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { phoneNumber } from "./verifying.ts"

export const idempotencyKey = "8a1e-key"
const text = "Your parcel is here"

export const sendMessage = (organization: OrganizationId, input: object = {}) =>
  Messages.use((_) => _.send({ organization, phoneNumber, text, idempotencyKey, ...input }))
export const resend = (organization: OrganizationId, requestId: string, input: object = {}) =>
  Verifications.use((_) => _.resend({ organization, requestId, idempotencyKey, ...input }))
export const consume = (organization: OrganizationId, requestId: string, input: object = {}) =>
  Verifications.use((_) => _.consume({ organization, requestId, idempotencyKey, ...input }))

const sent = SimulatedGateway.use(({ journal }) => journal(phoneNumber))
export const texts = Effect.map(sent, ({ length }) => length)

export const balance = (organization: OrganizationId) => {
  const account = Accounts.use((_) => _.balance({ organization }))
  return Effect.map(account, ({ balance }) => balance)
}
