import { languages } from "../../../src/languages.ts"
import { load } from "../../../src/load.ts"
import { languageOf, type Props, requireUser } from "../../../src/page.ts"
import { ApprovePayment } from "../forms.tsx"

const Page = async (props: Props) => {
  const language = await languageOf(props)
  await requireUser(language)
  const { order } = await load()
  const { amount, pay, payee } = languages[language]
  return (
    <>
      <h1>{pay}</h1>
      <dl>
        <dt>{amount}</dt>
        <dd>{order.amount}</dd>
        <dt>{payee}</dt>
        <dd>{order.payee}</dd>
      </dl>
      <ApprovePayment language={language} />
    </>
  )
}

export default Page
