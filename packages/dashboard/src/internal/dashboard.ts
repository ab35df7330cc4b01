import type * as BuiltFiles from "./built/files.ts"
import { digest, escapeHtml, fromBase64, gunzip, toBase64Url } from "./encoding.ts"
import { checkOptions, type DashboardOptions, type PageFile, type Pages } from "./options.ts"
import { themeStyle } from "./theme.ts"

type Built = typeof BuiltFiles

const assets = "/assets/"

/** Names change with contents. */
const immutable = "public, max-age=31536000, immutable"

const common = { vary: "Accept-Encoding", "x-content-type-options": "nosniff" } as const

/** The encodings that a header accepts. */
const accepted = (header: string): ReadonlySet<string> =>
  new Set(
    header
      .toLowerCase()
      .split(",")
      .map((part) => part.trim().split(/\s*;\s*/))
      .filter(([, quality = "q=1"]) => !/^q=0(\.0*)?$/.test(quality))
      .map(([name = ""]) => name),
  )

const assetOf = async (
  { files }: Built,
  name: string,
  acceptEncoding: string,
): Promise<PageFile | undefined> => {
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (file === undefined) return undefined
  const names = accepted(acceptEncoding)
  const encoding = (["br", "gzip"] as const).find((one) => names.has(one))
  const headers = {
    ...common,
    "cache-control": immutable,
    "content-type": file.type,
    ...(encoding === undefined ? undefined : { "content-encoding": encoding }),
  }
  const packed = fromBase64(file[encoding ?? "gzip"])
  return { status: 200, headers, body: encoding === undefined ? await gunzip(packed) : packed }
}

/** The settings that the scripts read from the page, in the module `app/base.ts`. */
const settingsOf = ({ locales, name, signOutUrl }: DashboardOptions): string =>
  JSON.stringify({
    name: name ?? "Countersign",
    locales: locales ?? ["en", "bn"],
    signOutUrl: signOutUrl ?? null,
  })

/** Where the mount is, as seen from a page: a proxy may have another path for it than the host. */
const upFrom = (path: string): string => "../".repeat(path.split("/").length - 2) || "./"

const pageOf = ({ entry }: Built, options: DashboardOptions, theme: string, up: string): string => {
  const at = (name: string): string => `${up}assets/${name}`
  return `<!doctype html>
<html lang="${options.locales?.[0] ?? "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="countersign-dashboard" content="${escapeHtml(settingsOf(options))}">
<title>${escapeHtml(options.name ?? "Countersign")}</title>
<link rel="icon" type="image/svg+xml" href="${at(entry.icon)}">
<link rel="stylesheet" href="${at(entry.style)}">
<link rel="stylesheet" href="${at(theme)}">
${entry.preload.map((name) => `<link rel="modulepreload" href="${at(name)}">`).join("\n")}
<script type="module" src="${at(entry.script)}"></script>
</head>
<body>
<div id="root"></div>
<noscript><p>The dashboard requires JavaScript.</p></noscript>
</body>
</html>
`
}

/**
 * Returns the dashboard's pages for a mount of the admin API. Throws a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * app.use("/dashboard", countersignExpress(countersign.admin({ authorize, pages: dashboard() })))
 * ```
 */
export const dashboard = (options: DashboardOptions = {}): Pages => {
  checkOptions(options)
  const style = themeStyle(options.theme ?? {})
  const load = async () => ({
    built: await import("./built/files.ts"),
    theme: `theme-${toBase64Url(await digest(style)).slice(0, 10)}.css`,
  })
  return {
    isPublic: (path) => path.startsWith(assets),
    file: async (path, acceptEncoding) => {
      const { built, theme } = await load()
      if (path.startsWith(assets)) {
        const name = path.slice(assets.length)
        if (name !== theme) return assetOf(built, name, acceptEncoding)
        const type = { "cache-control": immutable, "content-type": "text/css; charset=utf-8" }
        return { status: 200, headers: { ...common, ...type }, body: style }
      }
      const type = { "cache-control": "no-cache", "content-type": "text/html; charset=utf-8" }
      return {
        status: 200,
        headers: { ...common, ...type },
        body: pageOf(built, options, theme, upFrom(path)),
      }
    },
  }
}
