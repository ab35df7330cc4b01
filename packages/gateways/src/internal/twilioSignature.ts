/** The text that Twilio signs: the URL, followed by the names and values of the form. */

/**
 * Returns the query in the encoding of Twilio's former platform: `'` is not encoded, and all values of a name
 * follow its first occurrence.
 */
const legacySearch = (url: URL): string => {
  const grouped = Object.groupBy(url.searchParams, ([name]) => name)
  const pairs = Object.values(grouped).flatMap((entries = []) =>
    entries.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

/** The four URL forms that Twilio's own validator accepts. */
export const signedAddresses = (url: URL): ReadonlyArray<string> => {
  const standardPort = url.protocol === "https:" ? "443" : "80"
  const hosts = [url.hostname, `${url.hostname}:${url.port === "" ? standardPort : url.port}`]
  const [written = ""] = url.href.slice(`${url.protocol}//${url.host}`.length).split("#")
  // A question mark without a query is kept.
  const targets = new Set([
    written,
    ...(url.search === "" ? [] : [url.pathname + legacySearch(url)]),
  ])
  return hosts.flatMap((host) => [...targets].map((target) => `${url.protocol}//${host}${target}`))
}

/** Every name in order of its code units, each followed by its distinct values. */
export const signedForm = (form: URLSearchParams): string =>
  [...new Set(form.keys())]
    .toSorted()
    .flatMap((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value))
    .join("")
