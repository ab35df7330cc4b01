/** The values that the browser keeps for the reader. Without storage, nothing is kept. */
type Name = "locale" | "theme" | "zone" | "organization" | "recent" | `views-${string}`

const key = (name: Name): string => `countersign-${name}`

export const readStored = (name: Name): string | undefined => {
  try {
    return localStorage.getItem(key(name)) ?? undefined
  } catch {
    return undefined
  }
}

export const writeStored = (name: Name, value: string): void => {
  try {
    localStorage.setItem(key(name), value)
  } catch {
    // A browser without storage forgets the choice.
  }
}
