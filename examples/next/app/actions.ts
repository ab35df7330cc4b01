/**
 * What the forms of the page do. Next refuses calls of these from other sites.
 */
"use server"

import { cookies } from "next/headers"
import { redirect } from "next/navigation"
import { countersign, toE164 } from "../src/engine.ts"
import { isInUse } from "../src/environment.ts"
import { cookieName, lifetimeSeconds, seal, type Session, unseal } from "../src/session.ts"
import { numberWanted, wordsFor } from "../src/words.ts"

/** What a form shows below its field. */
export interface Outcome {
  readonly problem: string
}

const text = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value : ""
}

const remember = async (session: Session): Promise<void> => {
  const store = await cookies()
  store.set(cookieName, seal(session, Date.now()), {
    httpOnly: true,
    maxAge: lifetimeSeconds(session),
    path: "/",
    sameSite: "lax",
    secure: isInUse(),
  })
}

/** Sends a code. */
export const start = async (_before: Outcome, form: FormData): Promise<Outcome> => {
  try {
    const phoneNumber = await toE164(text(form, "phoneNumber"))
    if (phoneNumber === undefined) return { problem: numberWanted }
    const { verifications } = await countersign()
    const sent = await verifications.send({ phoneNumber })
    await remember({ phoneNumber: sent.phoneNumber, requestId: sent.requestId })
  } catch (error) {
    return { problem: await wordsFor(error) }
  }
  // It works by throwing, so not within the above.
  return redirect("/")
}

/** Checks a code, and signs in. */
export const verify = async (_before: Outcome, form: FormData): Promise<Outcome> => {
  const session = unseal((await cookies()).get(cookieName)?.value, Date.now())
  if (session === undefined || session.requestId === null) return redirect("/")
  try {
    const { verifications } = await countersign()
    const { requestId } = session
    const { phoneNumber } = await verifications.check({ requestId, code: text(form, "code") })
    await remember({ phoneNumber, requestId: null })
  } catch (error) {
    return { problem: await wordsFor(error) }
  }
  return redirect("/")
}

export const signOut = async (): Promise<void> => {
  const store = await cookies()
  store.delete(cookieName)
  redirect("/")
}
