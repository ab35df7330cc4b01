/** The agents of earlier entries contain later names: Edge also calls itself Chrome and Safari. */
const browsers = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
] as const

const systems = [
  ["Android", /Android/],
  ["iOS", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["ChromeOS", /CrOS/],
  ["Linux", /Linux/],
] as const

const nameIn = (agent: string, names: typeof browsers | typeof systems): string | undefined =>
  names.find(([, pattern]) => pattern.test(agent))?.[0]

/** The browser and the system of a `User-Agent`, as far as they are known. */
export const browserOf = (agent: string): string => {
  const names = [nameIn(agent, browsers), nameIn(agent, systems)].filter(
    (name) => name !== undefined,
  )
  return names.length === 0 ? agent : names.join(", ")
}
