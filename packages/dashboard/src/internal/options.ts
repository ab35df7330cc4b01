import type { Theme } from "./theme.ts"

export const locales = ["en", "bn"] as const

/** A language of the dashboard: English or Bangla. */
export type Locale = (typeof locales)[number]

/** Options of the dashboard. */
export interface DashboardOptions {
  /** The name that the pages show, 1 to 60 characters. @defaultValue `Countersign` */
  readonly name?: string | undefined
  /** Colors, font and corners of your own. @defaultValue the dashboard's */
  readonly theme?: Theme | undefined
  /** The languages that people can choose. The first one is the default. @defaultValue `["en", "bn"]` */
  readonly locales?: ReadonlyArray<Locale> | undefined
  /**
   * The address that ends the session, absolute or relative to the mount. The button Sign out sends a POST to it.
   * With `signInWithPassword` it is `sign-out`. @defaultValue no such button
   */
  readonly signOutUrl?: string | undefined
}

/** A file of the dashboard, as an HTTP response. */
export interface PageFile {
  readonly status: number
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | string
}

/** The files of the dashboard. Pass it as `pages` to `countersign.admin`. */
export interface Pages {
  /** Returns the file at a path below the mount, which starts with `/`. `undefined`: there is no such file. */
  readonly file: (path: string, acceptEncoding: string) => Promise<PageFile | undefined>
  /** Whether the path may be served without authorization: the scripts and styles, which hold no data. */
  readonly isPublic: (path: string) => boolean
}

/** Throws a `TypeError` for options that make no sense. */
export const checkOptions = (options: DashboardOptions): void => {
  const { locales: chosen, name, signOutUrl } = options
  const known: ReadonlySet<string> = new Set(locales)
  if (name !== undefined && (name.trim() === "" || name.length > 60))
    throw new TypeError("name must have 1 to 60 characters")
  if (chosen !== undefined && (chosen.length === 0 || !chosen.every((one) => known.has(one))))
    throw new TypeError(`locales must be a list of ${locales.join(" and ")}`)
  // A relative address has the protocol of the base.
  if (!/^https?:$/.test(URL.parse(signOutUrl ?? "", "http://host.invalid/")?.protocol ?? ""))
    throw new TypeError("signOutUrl must be an http address")
}
