/** A row of a table leads where its first link leads. */

const controls = "a, button, input, select, textarea, summary, label"

const linkOf = (row: Element | null): HTMLAnchorElement | null =>
  row?.querySelector("tbody a[href]") ?? null

/** Opens the row that was clicked, as its link does, unless a control or the selection of text was meant. */
export const openRow = (event: MouseEvent): void => {
  const { ctrlKey, metaKey, shiftKey, target } = event
  if (!(target instanceof Element) || target.closest(controls) !== null) return
  if (getSelection()?.isCollapsed === false) return
  linkOf(target.closest("tr"))?.dispatchEvent(
    new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  )
}

/** Moves the focus to the link of the row below or above, or from the rows to the filters. */
export const moveInRows = (event: KeyboardEvent, frame: Element): void => {
  const { key, target } = event
  // Menus of a row are elsewhere in the document, but their events come here as well.
  if (!(target instanceof Element) || !frame.contains(target)) return
  if (target.matches("input, textarea")) return
  const links = [...frame.querySelectorAll("tbody tr")].flatMap((row) => linkOf(row) ?? [])
  const at = links.findIndex((link) => link.closest("tr")?.contains(target))
  const wanted: Element | null | undefined =
    key === "ArrowDown"
      ? links[at + 1]
      : key === "ArrowUp" && at > 0
        ? links[at - 1]
        : key === "Escape"
          ? document.querySelector(".filters :is(input, button)")
          : undefined
  if (!(wanted instanceof HTMLElement)) return
  event.preventDefault()
  wanted.focus()
}
