/** The reader's choice of light or dark. Without one, the system's applies. */
import { readStored, writeStored } from "./stored.ts"

export const themes = ["system", "light", "dark"] as const

export type ThemeChoice = (typeof themes)[number]

export const chosenTheme = (): ThemeChoice =>
  themes.find((theme) => theme === readStored("theme")) ?? "system"

/** Charts are drawn again after this event. */
export const themeChanged = "countersign-theme"

export const applyTheme = (): void => {
  const theme = chosenTheme()
  document.documentElement.style.colorScheme = theme === "system" ? "light dark" : theme
  dispatchEvent(new Event(themeChanged))
}

export const chooseTheme = (theme: ThemeChoice): void => {
  writeStored("theme", theme)
  applyTheme()
}
