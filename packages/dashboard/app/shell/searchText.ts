/** The text of a search, in the form in which the service finds it. */
import { typedNumber } from "../ui/typedNumber.ts"

/** A phone number in its E.164 form. Of an API key only the public part, because addresses end up in logs. */
export const searchText = (text: string): string =>
  typedNumber(text).replace(/^(csk_(?:live|test)_[0-9A-Za-z]{16})_.*$/, "$1")

/** Where a search shows what it has found: below the organization of the page, else for all organizations. */
export const searchPath = (location: string, text: string): string => {
  const [, organization] = /^\/org\/([^/]+)/.exec(location) ?? []
  const base = organization === undefined ? "" : `/org/${organization}`
  return `${base}/search?${new URLSearchParams({ query: searchText(text) })}`
}
