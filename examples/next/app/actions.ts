/**
 * What the forms of the page do. Next refuses calls of these from other sites.
 */
"use server"

import { cookies } from "next/headers"
import { redirect } from "next/navigation"
import { countersign, toE164 } from "../src/engine.ts"
import { isInUse } from "../src/environment.ts"
import { cookieName, lifetimeSeconds, type Session, sessions } from "../src/sessions.ts"
import { numberWanted, wordsFor } from "../src/words.ts"

/** What a form shows below its field. */
export interface Outcome {
  readonly problem: string
}

const text = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value : ""
}

const idOfCookie = async (): Promise<string> => (await cookies()).get(cookieName)?.value ?? ""

/** Every step gets a session with a new id; the one before it ends. */
const begin = async (session: Session): Promise<void> => {
  const all = await sessions()
  await all.remove(await idOfCookie())
  const store = await cookies()
  store.set(cookieName, await all.create(session, Date.now()), {
    httpOnly: true,
    maxAge: lifetimeSeconds(session),
    path: "/",
    sameSite: "lax",
    secure: isInUse(),
  })
}

/** The request whose code the browser waits for. */
const waiting = async (): Promise<string> => {
  const session = await (await sessions()).find(await idOfCookie(), Date.now())
  return session?.requestId ?? redirect("/")
}

/** Sends a code. */
export const start = async (_before: Outcome, form: FormData): Promise<Outcome> => {
  try {
    const phoneNumber = await toE164(text(form, "phoneNumber"))
    if (phoneNumber === undefined) return { problem: numberWanted }
    const { requestId } = await (await countersign()).verifications.send({ phoneNumber })
    // The browser never gets the request's id, so it can only check codes that it has asked for itself.
    await begin({ phoneNumber, requestId })
  } catch (error) {
    return { problem: await wordsFor(error) }
  }
  // It works by throwing, so not within the above.
  return redirect("/")
}

/** Sends the code again. The engine allows that after 30 seconds, three times. */
export const sendAgain = async (): Promise<Outcome> => {
  const requestId = await waiting()
  try {
    await (await countersign()).verifications.resend({ requestId })
    return { problem: "" }
  } catch (error) {
    return { problem: await wordsFor(error) }
  }
}

/** Checks a code, and signs in. */
export const verify = async (_before: Outcome, form: FormData): Promise<Outcome> => {
  const requestId = await waiting()
  try {
    const { verifications } = await countersign()
    const { phoneNumber } = await verifications.verify({ requestId, code: text(form, "code") })
    await begin({ phoneNumber, requestId: null })
  } catch (error) {
    return { problem: await wordsFor(error) }
  }
  return redirect("/")
}

export const signOut = async (): Promise<void> => {
  await (await sessions()).remove(await idOfCookie())
  const store = await cookies()
  store.delete(cookieName)
  redirect("/")
}
