/**
 * Where the pages are and what the host has set. The address comes from the script itself, because a proxy
 * may have another path for the mount than the host.
 */
const root = new URL("..", import.meta.url)

/** The path of the mount without a slash at its end, as the browser sees it. */
export const basePath = root.pathname.replace(/\/$/, "")

/** An address below the mount. */
export const below = (path: string): string => new URL(path, root).href

export type Locale = "en" | "bn"

export interface Settings {
  readonly name: string
  readonly locales: ReadonlyArray<Locale>
  readonly signOutUrl: string | null
}

const read = (): Settings => {
  const element = document.querySelector('meta[name="countersign-dashboard"]')
  return JSON.parse(element?.getAttribute("content") ?? "{}")
}

export const settings = read()
