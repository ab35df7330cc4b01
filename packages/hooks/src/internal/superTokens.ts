import * as Effect from "effect/Effect"
import { makeCarry } from "./carry.ts"
import { checkOptions } from "./options.ts"
import type { Carrier, SuperTokensOptions, SuperTokensService } from "./types.ts"

/** Carries the codes of SuperTokens' recipe Passwordless. */
export const superTokensSms = (
  countersign: Carrier,
  options: SuperTokensOptions,
): SuperTokensService => {
  checkOptions("superTokensSms", options, { text: true })
  const carry = makeCarry(countersign, options, "supertokens")
  return {
    sendSms: async (input) => {
      const { codeLifetime, phoneNumber, preAuthSessionId } = input
      const { urlWithLinkCode: link, userInputCode: code } = input
      const message = {
        phoneNumber,
        text: options.text({ code, codeLifetime, link, phoneNumber }),
        usefulMillis: codeLifetime,
        key: [code ?? "", link ?? ""],
      }
      // The id of the session is as random as a secret.
      await Effect.runPromise(carry(preAuthSessionId, message))
    },
  }
}
