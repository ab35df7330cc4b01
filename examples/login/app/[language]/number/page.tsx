import { languages } from "../../../src/languages.ts"
import { languageOf, type Props, requireUser } from "../../../src/page.ts"
import { ChangeNumber } from "../forms.tsx"

const Page = async (props: Props) => {
  const language = await languageOf(props)
  await requireUser(language)
  const { changeNumber, newNumber } = languages[language]
  return (
    <>
      <h1>{changeNumber}</h1>
      <p>{newNumber}</p>
      <ChangeNumber language={language} />
    </>
  )
}

export default Page
