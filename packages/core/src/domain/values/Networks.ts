/**
 * The operators of phone numbers by their prefixes, for countries whose operators have prefixes of their own. A person
 * may have moved to another operator and kept the number.
 */
import type { PhoneNumber } from "./PhoneNumber.ts"

/** By calling code and the next digits. The prefixes of a country have one length. */
const networks: Readonly<Record<string, string>> = {
  "+88013": "Grameenphone",
  "+88014": "Banglalink",
  "+88015": "Teletalk",
  "+88016": "Airtel",
  "+88017": "Grameenphone",
  "+88018": "Robi",
  "+88019": "Banglalink",
}

const prefixLength = 6

/** `undefined` if the prefix is not known. */
export const networkOf = (phoneNumber: PhoneNumber): string | undefined =>
  networks[phoneNumber.slice(0, prefixLength)]
