/**
 * A short way for the numbers that libphonenumber accepts in their international form. It reads libphonenumber's
 * own plans, with one expression for each country instead of one for each step. The library decides the numbers that
 * these cannot decide.
 */
import metadata from "libphonenumber-js/max/metadata"

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const pattern = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

const startsWith = (value: string | undefined): RegExp | undefined =>
  value === undefined ? undefined : new RegExp(`^(?:${value})`)

/** The places of a plan in version 4 of the library's data. */
const countryOf = (name: string, plan: ReadonlyArray<unknown>) => {
  const { 2: national, 3: lengths, 10: leading, 11: types } = plan
  const all = pattern(national)
  if (all === undefined || !isList(lengths)) return undefined
  const ofType = (type: unknown): ReadonlyArray<string> => {
    const [own, ownLengths] = isList(type) ? type : []
    const digits = pattern(own)
    if (digits === undefined) return []
    const fits = (isList(ownLengths) ? ownLengths : lengths).map((length) => `\\d{${length}}`)
    return [`(?=(?:${fits.join("|")})$)(?:${digits})`]
  }
  const some = isList(types) ? types.flatMap(ofType) : []
  if (isList(types) && types.length > 0 && some.length === 0) return undefined
  const isValid = new RegExp(`^(?=(?:${all})$)(?:${some.length === 0 ? all : some.join("|")})$`)
  // Whether a number under a code that several countries share belongs to this one.
  const has = startsWith(pattern(leading)) ?? (some.length === 0 ? undefined : isValid)
  return { name, has, isValid, lengths: new Set<unknown>(lengths) }
}

/** The countries with a calling code, the main one first. */
const namesOf = (code: string) =>
  Object.entries(metadata.country_calling_codes).find(([one]) => one === code)?.[1]

const planOf = (code: string) => {
  const names = namesOf(code)
  if (metadata.version !== 4 || names === undefined) return undefined
  // In the library's order. The first one that has the number counts.
  const countries: Array<NonNullable<ReturnType<typeof countryOf>>> = []
  for (const name of names) {
    const country = countryOf(name, metadata.countries[name] ?? [])
    if (country === undefined || (names.length > 1 && country.has === undefined)) return undefined
    countries.push(country)
  }
  const [main] = names
  // What the library may remove from the start of a number.
  const { 5: prefix, 7: prefixes } = (main && metadata.countries[main]) ?? []
  return { prefix: startsWith(pattern(prefixes) ?? pattern(prefix)), countries }
}

type Plan = ReturnType<typeof planOf>

const plans = new Map<string, Plan>()

const knownPlan = (code: string): Plan => {
  if (!plans.has(code)) plans.set(code, planOf(code))
  return plans.get(code)
}

/**
 * The country of a number in E.164 form, ISO 3166 alpha-2, if the number is certainly in its plan. `undefined`: the
 * library has to decide.
 */
export const countryOfValid = (e164: string): string | undefined => {
  for (let end = 2; end <= 4; end++) {
    const plan = knownPlan(e164.slice(1, end))
    if (plan === undefined) continue
    const number = e164.slice(end)
    const { countries, prefix } = plan
    if (prefix?.test(number) === true) return undefined
    const found =
      countries.length === 1 ? countries[0] : countries.find(({ has }) => has?.test(number))
    return found !== undefined && found.lengths.has(number.length) && found.isValid.test(number)
      ? found.name
      : undefined
  }
  return undefined
}

/** The only country with the calling code of an E.164 number. `undefined`: several have it, or none is known. */
export const countryOfCode = (e164: string): string | undefined => {
  for (let end = 2; end <= 4; end++) {
    const plan = knownPlan(e164.slice(1, end))
    if (plan !== undefined) return plan.countries.length === 1 ? plan.countries[0]?.name : undefined
  }
  return undefined
}

/** The main country with the calling code of an E.164 number. */
export const mainCountryOfCode = (e164: string): string | undefined =>
  [2, 3, 4].flatMap((end) => namesOf(e164.slice(1, end)) ?? [])[0]
