/** Passport: signs in with the code of the request in the session. */
import { type Countersign, CountersignError, errorResponse } from "countersign"
import type { Request } from "express"
import passport from "passport"

type WithSession = Request & { session: { requestId?: string } }

/** `userOf` finds or creates the user of a number. */
export const phoneStrategy = (
  { verifications }: Countersign,
  userOf: (phoneNumber: string) => Promise<Express.User>,
) => {
  class PhoneStrategy extends passport.Strategy {
    override readonly name = "phone"

    override async authenticate({ body, session }: WithSession) {
      try {
        const given = { requestId: session.requestId ?? "", code: body.code, purpose: "login" }
        this.success(await userOf((await verifications.verify(given)).phoneNumber))
      } catch (error) {
        if (!(error instanceof CountersignError)) return this.error(error)
        const { body: problem, status } = errorResponse(error)
        this.fail(problem, status)
      }
    }
  }
  return new PhoneStrategy()
}
