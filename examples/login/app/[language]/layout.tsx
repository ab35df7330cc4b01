import "@countersign/react/styles.css"
import "./layout.css"
import type { Metadata } from "next"
import type { ReactNode } from "react"
import { languages } from "../../src/languages.ts"
import { languageOf, type Props } from "../../src/page.ts"
import { SwitchLanguage } from "./forms.tsx"

export const metadata: Metadata = { title: "Countersign login" }

const Layout = async ({ children, params }: Props & { readonly children: ReactNode }) => {
  const language = await languageOf({ params })
  return (
    <html lang={language}>
      <body>
        <header>
          <SwitchLanguage language={language} />
        </header>
        <main>{children}</main>
        <footer>
          <a href="/inbox">{languages[language].inbox}</a>
        </footer>
      </body>
    </html>
  )
}

export default Layout
