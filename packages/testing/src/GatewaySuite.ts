/**
 * What an adapter to a vendor with an HTTP interface has to do, as tests. An adapter's own test calls
 * `suite` once, with the vendor's answers and what each of them means, and adds what is peculiar to it.
 *
 * The vendor is a server on loopback that answers, is silent, breaks off and lies. Nothing sleeps: the
 * tests run under `TestClock`, and wait for requests and connections instead.
 */
import { describe, it } from "@effect/vitest"
import { answersSection } from "./internal/gateway-suite/answers.ts"
import { failuresSection } from "./internal/gateway-suite/failures.ts"
import { reportsSection } from "./internal/gateway-suite/reports.ts"
import { signaturesSection } from "./internal/gateway-suite/signatures.ts"
import type { Options } from "./internal/gateway-suite/subject.ts"
import { performed, type Test } from "./internal/gateway-suite/support.ts"

export {
  type About,
  type Adapter,
  type CallbackOutcome,
  type CallbackRequest,
  type Callbacks,
  code,
  type Expected,
  message,
  type Options,
  type Platform,
  type ReceivedRequest,
  type Row,
  text,
  type VendorAnswer,
} from "./internal/gateway-suite/subject.ts"
export { platform } from "./internal/gateway-suite/support.ts"
export { startVendor, type Conduct, type Vendor } from "./internal/gateway-suite/vendor.ts"

/** Tests an adapter. Each test has a vendor and an adapter of its own. */
export const suite = (name: string, options: Options): void => {
  const test: Test = (title, body) => it.effect(title, () => performed(options, body))

  const section = (title: string, tests: (test: Test, options: Options) => void) =>
    describe(title, () => {
      tests(test, options)
    })

  describe(`Gateway: ${name}`, () => {
    section("answers", answersSection)
    section("failures of the network and of the vendor", failuresSection)
    section("reports", reportsSection)
    // Who sends none signs none.
    if (options.callbacks !== undefined) section("signatures", signaturesSection)
  })
}
