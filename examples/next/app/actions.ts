/**
 * What the forms of the page do. Next refuses calls of these from other sites.
 */
"use server"

import { cookies } from "next/headers"
import { redirect } from "next/navigation"
import { countersign, toE164 } from "../src/engine.ts"
import { isInUse, resendSeconds } from "../src/environment.ts"
import { cookieName, lifetimeSeconds, type Session, sessions } from "../src/sessions.ts"
import { numberWanted, tooEarly, wordsFor } from "../src/words.ts"

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

const send = async (to: string): Promise<void> => {
  const { verifications } = await countersign()
  const { phoneNumber, requestId } = await verifications.send({ phoneNumber: to })
  // The browser never gets the request's id, so it can only check codes that it has asked for itself.
  await begin({ phoneNumber, requestId, sentAt: Date.now() })
}

/** The session that waits for a code. */
const waiting = async () => {
  const id = await idOfCookie()
  const session = await (await sessions()).find(id, Date.now())
  return session === undefined || session.requestId === null
    ? redirect("/")
    : { id, ...session, requestId: session.requestId }
}

/** Sends a code. */
export const start = async (_before: Outcome, form: FormData): Promise<Outcome> => {
  try {
    const phoneNumber = await toE164(text(form, "phoneNumber"))
    if (phoneNumber === undefined) return { problem: numberWanted }
    await send(phoneNumber)
  } catch (error) {
    return { problem: await wordsFor(error) }
  }
  // It works by throwing, so not within the above.
  return redirect("/")
}

/** Sends another code to the same number, after a while. */
export const sendAgain = async (): Promise<Outcome> => {
  const { id, phoneNumber, sentAt } = await waiting()
  const now = Date.now()
  const left = Math.ceil((sentAt - now) / 1_000 + resendSeconds())
  if (left > 0) return { problem: tooEarly(left) }
  try {
    // Of two presses at once, one sends.
    if (!(await (await sessions()).touch(id, sentAt, now))) {
      return { problem: tooEarly(resendSeconds()) }
    }
    await send(phoneNumber)
  } catch (error) {
    return { problem: await wordsFor(error) }
  }
  return redirect("/")
}

/** Checks a code, and signs in. */
export const verify = async (_before: Outcome, form: FormData): Promise<Outcome> => {
  const { requestId, sentAt } = await waiting()
  try {
    const { verifications } = await countersign()
    const { phoneNumber } = await verifications.verify({ requestId, code: text(form, "code") })
    await begin({ phoneNumber, requestId: null, sentAt })
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
