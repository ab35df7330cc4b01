/** Mistakes with the prefixes that an organization blocks or allows, and the tests that notice them. */
import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const domain = "packages/core/test/domain/values/PrefixList.test.ts"
const services = "packages/core/test/services/Prefixes.test.ts"

export const prefixes: ReadonlyArray<Mistake> = [
  {
    name: "a prefix in both lists is allowed",
    file: `${core}/domain/values/PrefixList.ts`,
    find: "length >= longest(allowedPrefixes, phoneNumber)",
    replace: "length > longest(allowedPrefixes, phoneNumber)",
    test: { path: domain, title: 'with "88017" blocked and "88017" allowed: blocked' },
  },
  {
    name: "the last prefix of a list decides",
    file: `${core}/domain/values/PrefixList.ts`,
    find: "prefix.length > length && phoneNumber",
    replace: "phoneNumber",
    test: { path: domain, title: "is decided by the longest of both lists, in any order" },
  },
  {
    name: "a code is sent to a blocked number",
    file: `${core}/services/verifications/Verifications.ts`,
    find: "Prefixes.parser(parseNumber, organization.settings)",
    replace: "Prefixes.parser(parseNumber, Prefixes.none)",
    test: {
      path: services,
      title: "gets no code and no message, is not charged, and counts in no limit",
    },
  },
  {
    name: "a message is sent to a blocked number",
    file: `${core}/services/Messages.ts`,
    find: 'Prefixes.parser((text) => numberPolicy.parse(text, "optional"), settings)',
    replace: 'Prefixes.parser((text) => numberPolicy.parse(text, "optional"), Prefixes.none)',
    test: {
      path: services,
      title: "gets no code and no message, is not charged, and counts in no limit",
    },
  },
  {
    name: "a code is sent again to a blocked number",
    file: `${core}/services/verifications/requestLife.ts`,
    find: "Prefixes.accept(organization.settings, verification.phoneNumber)",
    replace: "Prefixes.accept(Prefixes.none, verification.phoneNumber)",
    test: {
      path: services,
      title: "is refused after its first code: by a resend, and by the SMS that would follow",
    },
  },
  {
    name: "an SMS follows to a blocked number",
    file: `${core}/delivery/CodeDelivery.ts`,
    find: "Prefixes.isBlocked(settings, code.phoneNumber)",
    replace: "Prefixes.isBlocked(Prefixes.none, code.phoneNumber)",
    test: {
      path: services,
      title: "is refused after its first code: by a resend, and by the SMS that would follow",
    },
  },
  {
    name: "the fraud rules apply to an allowed prefix",
    file: `${core}/delivery/CodeDelivery.ts`,
    find: "Prefixes.isExempt(settings, phoneNumber)",
    replace: "Prefixes.isExempt(Prefixes.none, phoneNumber)",
    test: { path: services, title: "is neither counted nor denied by the fraud rules" },
  },
]
