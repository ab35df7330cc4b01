/** Auth.js: sends a code, and signs in with it. */
import { CredentialsSignin } from "@auth/core/errors"
import Credentials from "@auth/core/providers/credentials"
import { type Countersign, CountersignError } from "countersign"

const purpose = "login"

/** Sends a code. Returns the cookie that binds it to the browser, for the header `Set-Cookie` of your answer. */
export const sendCode = async (countersign: Countersign, phoneNumber: string, client: string) => {
  const sent = await countersign.verifications.send({ phoneNumber, purpose, client })
  return `__Host-code=${sent.requestId}; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax`
}

/** A provider for the configuration. `userOf` finds or creates the user of a number. */
export const phone = (
  countersign: Countersign,
  userOf: (phoneNumber: string) => Promise<{ id: string }>,
) =>
  Credentials({
    id: "phone",
    credentials: { code: {} },
    async authorize({ code }, { headers }) {
      const [, requestId = ""] = /__Host-code=(\w+)/.exec(headers.get("cookie") ?? "") ?? []
      try {
        const given = { requestId, code: String(code), purpose }
        return await userOf((await countersign.verifications.verify(given)).phoneNumber)
      } catch (error) {
        if (!(error instanceof CountersignError)) throw error
        throw Object.assign(new CredentialsSignin(), { code: error.code })
      }
    },
  })
