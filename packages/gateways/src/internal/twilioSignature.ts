/**
 * What Twilio signs: an address, and after it the names and values of the form.
 */

/**
 * The query as it was written by what Twilio once ran on: `'` is itself, and the values of a name stand
 * together, where its first one was.
 */
const legacySearch = (url: URL): string => {
  const grouped = Object.groupBy(url.searchParams, ([name]) => name)
  const pairs = Object.values(grouped).flatMap((entries = []) =>
    entries.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

/** The four ways to write an address that Twilio's own validator accepts. */
export const signedAddresses = (url: URL): ReadonlyArray<string> => {
  const standardPort = url.protocol === "https:" ? "443" : "80"
  const hosts = [url.hostname, `${url.hostname}:${url.port === "" ? standardPort : url.port}`]
  const [written = ""] = url.href.slice(`${url.protocol}//${url.host}`.length).split("#")
  // A question mark with nothing behind it stays.
  const targets = new Set([
    written,
    ...(url.search === "" ? [] : [url.pathname + legacySearch(url)]),
  ])
  return hosts.flatMap((host) => [...targets].map((target) => `${url.protocol}//${host}${target}`))
}

/** By code unit, as every JavaScript sort without an argument. */
const byCodeUnit = (one: string, other: string): number => {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Every name in order, each of its different values after it. */
export const signedForm = (form: URLSearchParams): string =>
  [...new Set(form.keys())]
    .toSorted(byCodeUnit)
    .flatMap((name) =>
      [...new Set(form.getAll(name))].toSorted(byCodeUnit).map((value) => name + value),
    )
    .join("")
