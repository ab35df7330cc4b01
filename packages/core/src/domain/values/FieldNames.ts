/** Finds the name that a caller meant by an unknown one. */
import * as FieldProblem from "./FieldProblem.ts"

/** The names of fields, each with the names that other services use for it. */
const synonyms: ReadonlyArray<readonly [name: string, others: ReadonlyArray<string>]> = [
  ["phoneNumber", ["to", "msisdn", "mobile", "recipient", "destination"]],
  ["text", ["message", "body", "content", "sms"]],
  ["code", ["otp", "pin", "token"]],
  ["requestId", ["id"]],
  ["sequence", ["id"]],
  ["sender", ["from", "brand"]],
  ["locale", ["language", "lang"]],
  ["expiresIn", ["ttl", "expiry"]],
  ["client", ["ip", "device"]],
  ["organization", ["tenant"]],
]

/** Without underscores, hyphens and upper-case letters, so that `phone_number` equals `phoneNumber`. */
const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase()

/** The fewest characters of a name that is compared as a part of another one. */
const minPart = 3

/** Longer names are compared by their first characters only. */
const maxCompared = 64

/** Returns the edit distance: the number of characters to change, add or remove to turn one text into the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [place, wanted] of [...other].entries()) {
      const replaced = (row[place] ?? 0) + Number(letter !== wanted)
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The known name that a caller probably meant; `undefined` if none is similar. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const given = plain(name.slice(0, maxCompared))
  const same = known.find((one) => plain(one) === given)
  if (same !== undefined) return same
  const synonym = synonyms.find(([own, others]) => known.includes(own) && others.includes(given))
  if (synonym !== undefined) return synonym[0]
  const [best] = known
    .map((one) => ({ one, away: distance(given, plain(one)) }))
    .toSorted((a, b) => a.away - b.away)
  if (best !== undefined && best.away <= Math.max(1, given.length / 2)) return best.one
  // A part of a name, or a name with more than it has, such as a unit.
  return known.find((one) => {
    const own = plain(one)
    if (Math.min(own.length, given.length) < minPart) return false
    return own.startsWith(given) || own.endsWith(given) || given.startsWith(own)
  })
}

/**
 * The problem of a field that an input does not have. `isOfOrganization`: the organization is not a field, because it is
 * chosen before the call.
 */
export const unknownField = (
  name: string,
  known: ReadonlyArray<string>,
  isOfOrganization = false,
): FieldProblem.FieldProblem => {
  const meant = nearest(name, isOfOrganization ? [...known, "organization"] : known)
  return FieldProblem.make("unknown_field", {
    meant: isOfOrganization && meant === "organization" ? "organization(id)" : (meant ?? null),
  })
}
