import { fail } from "@sveltejs/kit"
import { CountersignError, parsePhoneNumber } from "countersign"
import { engine } from "../../lib/server/countersign.ts"
import type { Actions } from "./$types"

const refused = (error: unknown) => {
  if (!(error instanceof CountersignError)) throw error
  return fail(400, { code: error.code, message: error.message })
}

export const actions: Actions = {
  send: async ({ cookies, request }) => {
    const typed = (await request.formData()).get("phoneNumber")
    const phoneNumber = parsePhoneNumber(typed, { country: "BD" })
    if (phoneNumber === undefined) return fail(400, { message: "Please enter a phone number" })
    try {
      const { requestId } = await (await engine()).verifications.send({ phoneNumber })
      cookies.set("request", requestId, { path: "/login" }) // better: in the session
      return { isSent: true }
    } catch (error) {
      return refused(error)
    }
  },
  check: async ({ cookies, request }) => {
    const code = String((await request.formData()).get("code"))
    const requestId = cookies.get("request") ?? ""
    try {
      const { verifications } = await engine()
      const { phoneNumber } = await verifications.verify({ requestId, code })
      return { signedIn: phoneNumber } // begin a session here
    } catch (error) {
      return refused(error)
    }
  },
}
