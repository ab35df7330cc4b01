import { type ReactNode, useEffect, useRef } from "react"
import { Link, useLocation } from "wouter"
import { settings } from "../base.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { SearchBox } from "../shell/SearchBox.tsx"
import { Code } from "./data.tsx"

interface Props {
  readonly title: string
  readonly intro?: ReactNode
  /** The actions of the page. */
  readonly actions?: ReactNode
  /** The page above this one. */
  readonly up?: { readonly href: string; readonly title: string }
  readonly children: ReactNode
}

/** Whether a page was shown before: the first one does not take the focus from the address bar. */
let hasNavigated = false

/** A page with its heading, which gets the focus after navigation. */
export const Page = ({ actions, children, intro, title, up }: Props) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const [path] = useLocation()
  useEffect(() => {
    document.title = `${title} · ${settings.name}`
  }, [title])
  useEffect(() => {
    if (hasNavigated) heading.current?.focus({ preventScroll: true })
    hasNavigated = true
    scrollTo(0, 0)
  }, [path])
  return (
    <>
      <header className="page-head">
        <div className="page-titles">
          {up !== undefined && (
            <Link href={up.href} className="up">
              {`← ${up.title}`}
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p className="intro">{intro}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly intro?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page. */
export const Section = ({ actions, children, intro, title }: SectionProps) => (
  <section className="section" aria-label={title}>
    <header className="section-head">
      <div>
        <h2>{title}</h2>
        {intro !== undefined && <p className="intro">{intro}</p>}
      </div>
      {actions !== undefined && <div className="page-actions">{actions}</div>}
    </header>
    {children}
  </section>
)

export const NotFound = () => {
  const { t } = useI18n()
  const [path] = useLocation()
  return (
    <Page title={t.state.notFound} intro={t.state.notFoundHint}>
      <p>
        <Code>{path}</Code>
      </p>
      <SearchBox isInPage />
      <Home />
    </Page>
  )
}

/** Leads from a page that does not exist to the first one. */
export const Home = () => {
  const { t } = useI18n()
  return (
    <p>
      <Link className="button" href="/">
        {t.state.home}
      </Link>
    </p>
  )
}
