/** A CSS color, or one for each color scheme. */
export type Color = string | { readonly light: string; readonly dark: string }

/** Design tokens that replace the tokens of the dashboard. Text has to stay readable on its background. */
export interface Theme {
  /** Buttons, links and the selected entry of the navigation. */
  readonly accent?: Color | undefined
  /** Text on the accent. */
  readonly accentText?: Color | undefined
  /** The page behind everything. */
  readonly background?: Color | undefined
  /** Tables, cards and dialogs. */
  readonly surface?: Color | undefined
  /** The navigation. */
  readonly navigation?: Color | undefined
  readonly text?: Color | undefined
  /** Text of less weight, such as the labels of values. */
  readonly textMuted?: Color | undefined
  readonly border?: Color | undefined
  /** A CSS `font-family`. The font has to be installed at the reader: pages load nothing from other origins. */
  readonly font?: string | undefined
  /** The radius of corners, a CSS length. */
  readonly radius?: string | undefined
}

const variables = {
  accent: "--accent",
  accentText: "--accent-text",
  background: "--background",
  surface: "--surface",
  navigation: "--navigation",
  text: "--text",
  textMuted: "--text-muted",
  border: "--border",
  font: "--font",
  radius: "--radius",
} as const satisfies Record<keyof Theme, string>

/** Matches a value that cannot end a declaration and loads nothing. Colors, fonts and lengths match. */
const safe = /^(?!.*(?:url\(|\/\*|@|\\))[^;{}<>]{1,200}$/i

const valueOf = (token: string, value: Color): string => {
  const parts = typeof value === "string" ? [value] : [value.light, value.dark]
  if (!parts.every((part) => safe.test(part)))
    throw new TypeError(`theme.${token} must be one CSS value`)
  return parts.length === 1 ? parts.join() : `light-dark(${parts.join(", ")})`
}

/** The style sheet that sets the tokens of a theme. Throws a `TypeError` for a value that is not one CSS value. */
export const themeStyle = (theme: Theme): string => {
  const known = new Map<string, string>(Object.entries(variables))
  const declarations = Object.entries(theme).flatMap(
    ([token, value]: [string, Color | undefined]) => {
      const variable = known.get(token)
      if (variable === undefined) throw new TypeError(`theme.${token} is unknown`)
      return value === undefined ? [] : [`${variable}:${valueOf(token, value)}`]
    },
  )
  return `:root{${declarations.join(";")}}`
}
