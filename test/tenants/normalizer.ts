/**
 * Removes from an answer what differs between two runs of one history: ids, times, keys and secrets. An id becomes the
 * number of its first appearance, so that answers that name the same thing still do.
 */

/** Ids of the engine, and what gateways make of them. */
const ids = /[a-z]{3}_[0-9a-f]{44,}/g

const replaced: ReadonlyArray<readonly [RegExp, string]> = [
  // Epoch milliseconds.
  [/(?<!\d)1[78]\d{11}(?!\d)/g, "TIME"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME"],
  // A sample, which a node writes some time after the use.
  [/(lastUsedAt\\*":)(?:null|\\*"TIME\\*")/g, "$1SAMPLE"],
  // The ended limits of an erased number, which a background round drops.
  [
    /\{\\*"type\\*":\\*"limits\\*",\\*"isErased\\*":true,\\*"requests\\*":\[\],\\*"wrongCodes\\*":\[\],\\*"wrongCodesSinceSuccess\\*":0,\\*"clients\\*":\[\]\}\\+n/g,
    "",
  ],
  [/whsec_[A-Za-z0-9+/=]+/g, "SECRET"],
  [/("retry_?[aA]fter(?:Seconds)?(?:\\?")?\s*:\s*)\d+/g, "$1WAIT"],
  // A cursor may contain the time of its search.
  [/("(?:next|cursor)\\?":\\?")[^"\\]+/g, "$1CURSOR"],
]

/** Makes a function for the answers of one run. `named`: ids of another form, such as those of keys. */
export const normalizer = (named: ReadonlyArray<string>): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    let result = text
    for (const [index, id] of named.entries()) result = result.replaceAll(id, `NAMED${index}`)
    result = result.replaceAll(ids, (id) => nameOf(known, id))
    for (const [pattern, by] of replaced) result = result.replaceAll(pattern, by)
    return result
  }
}

const nameOf = (known: Map<string, string>, id: string): string => {
  const name = known.get(id) ?? `ID${known.size + 1}`
  known.set(id, name)
  return name
}
