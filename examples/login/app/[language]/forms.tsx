"use client"

import { VerificationForm } from "@countersign/react"
import Link from "next/link"
import { usePathname, useRouter } from "next/navigation"
import { useState } from "react"
import { authClient } from "../../src/client.ts"
import { type Language, languages } from "../../src/languages.ts"

interface Props {
  readonly language: Language
}

export const SignIn = ({ language }: Props) => {
  const { refresh } = useRouter()
  return (
    <VerificationForm
      {...languages[language].form}
      fetcher={authClient.countersign.fetcher()}
      onVerified={refresh}
    />
  )
}

export const ChangeNumber = ({ language }: Props) => {
  const { push } = useRouter()
  return (
    <VerificationForm
      {...languages[language].form}
      fetcher={authClient.countersign.fetcher("link")}
      onVerified={() => push(`/${language}`)}
    />
  )
}

export const ApprovePayment = ({ language }: Props) => {
  const [isPaid, setIsPaid] = useState(false)
  const { form, paid } = languages[language]
  if (isPaid) return <p role="status">{paid}</p>
  return (
    <VerificationForm
      {...form}
      asksNumber={false}
      basePath="/api/payment"
      onVerified={() => setIsPaid(true)}
    />
  )
}

export const SignOut = ({ language }: Props) => {
  const { refresh } = useRouter()
  const signOut = async () => {
    // The next user of this browser must not see the payment that this one has begun.
    await fetch("/api/payment/cancel", { method: "POST" })
    await authClient.signOut()
    refresh()
  }
  return <button onClick={signOut}>{languages[language].signOut}</button>
}

/** The same page in the other language. */
export const SwitchLanguage = ({ language }: Props) => {
  const other = language === "en" ? "bn" : "en"
  return (
    <Link href={usePathname().replace(language, other)} hrefLang={other} lang={other}>
      {languages[other].name}
    </Link>
  )
}
