/** Finds a number, an id or an organization from every page. Ctrl or ⌘ with K leads here. */
import { type FormEvent, useEffect, useRef, useState } from "react"
import { useLocation } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "../ui/icons.tsx"
import { searchPath } from "./searchText.ts"

interface Props {
  /** The place of the search in a page. The one of the frame is behind a button on phones. */
  readonly isInPage?: boolean
}

export const SearchBox = ({ isInPage = false }: Props) => {
  const { t } = useI18n()
  const [location, go] = useLocation()
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(isInPage)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isInPage) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen(true)
      input.current?.focus()
    }
    addEventListener("keydown", onKeyDown)
    return () => removeEventListener("keydown", onKeyDown)
  }, [isInPage])
  useEffect(() => {
    if (isOpen && !isInPage) input.current?.focus()
  }, [isInPage, isOpen])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === "") return
    setText("")
    setOpen(isInPage)
    go(searchPath(location, text))
  }
  return (
    <>
      {!isInPage && (
        <button
          type="button"
          className="icon-button only-narrow"
          aria-label={t.nav.search}
          aria-expanded={isOpen}
          onClick={() => setOpen((before) => !before)}
        >
          <Icon name="search" />
        </button>
      )}
      <form
        role="search"
        className={`search-box${isOpen ? " open" : ""}${isInPage ? " in-page" : ""}`}
        aria-label={t.nav.search}
        onSubmit={submit}
      >
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          className="input"
          aria-label={t.nav.search}
          aria-keyshortcuts="Control+K Meta+K"
          placeholder={t.nav.searchHint}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </>
  )
}
