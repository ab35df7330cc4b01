/** What each page asks first. */
import { headers } from "next/headers"
import { notFound, redirect } from "next/navigation"
import { isLanguage, type Language } from "./languages.ts"
import { load } from "./load.ts"

export interface Props {
  readonly params: Promise<{ readonly language: string }>
}

/** The language of the path. Other paths have no page. */
export const languageOf = async ({ params }: Props): Promise<Language> => {
  const { language } = await params
  return isLanguage(language) ? language : notFound()
}

/** The user who is signed in; `undefined` without a session. */
export const currentUser = async () => {
  const { auth } = await load()
  return (await auth.api.getSession({ headers: await headers() }))?.user
}

/** The same for pages that need a user. Others sign in first. */
export const requireUser = async (language: Language) =>
  (await currentUser()) ?? redirect(`/${language}`)
