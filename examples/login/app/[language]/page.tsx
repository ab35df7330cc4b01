import Link from "next/link"
import { languages } from "../../src/languages.ts"
import { currentUser, languageOf, type Props } from "../../src/page.ts"
import { SignIn, SignOut } from "./forms.tsx"

const Page = async (props: Props) => {
  const language = await languageOf(props)
  const words = languages[language]
  const user = await currentUser()
  if (user === undefined) {
    return (
      <>
        <h1>{words.signIn}</h1>
        <SignIn language={language} />
      </>
    )
  }
  return (
    <>
      <h1>{words.account}</h1>
      <p>
        {words.signedIn} <b>{user.phoneNumber}</b>
      </p>
      <Link href={`/${language}/number`}>{words.changeNumber}</Link>
      <Link href={`/${language}/payment`}>{words.pay}</Link>
      <SignOut language={language} />
    </>
  )
}

export default Page
