/**
 * The contract of a vendor adapter as tests. An adapter's own test calls `suite` or `smppSuite` once, with
 * the vendor's answers and the meaning of each. It adds tests for the adapter's own features.
 *
 * The suite plays the vendor on loopback: an HTTP server, or a message centre that speaks SMPP. The vendor
 * answers, stays silent, disconnects, and sends invalid data. Nothing sleeps: the tests run under `TestClock`
 * and wait for requests and connections.
 */
import { describe, it } from "@effect/vitest"
import { answersSection } from "./internal/gateway-suite/answers.ts"
import { coverageProblems } from "./internal/gateway-suite/coverage.ts"
import { failuresSection } from "./internal/gateway-suite/failures.ts"
import { overHttp } from "./internal/gateway-suite/http.ts"
import type { Plan, Test } from "./internal/gateway-suite/plan.ts"
import { reportsSection } from "./internal/gateway-suite/reports.ts"
import { overSmpp } from "./internal/gateway-suite/smpp.ts"
import type { SmppOptions } from "./internal/gateway-suite/smppStage.ts"
import type { Options } from "./internal/gateway-suite/subject.ts"
import { performed } from "./internal/gateway-suite/support.ts"

export {
  type About,
  type AnswerClass,
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

export type { SmppCentre, SmppOptions, SmppStatus } from "./internal/gateway-suite/smppStage.ts"

const run = (name: string, plan: Plan): void => {
  const test: Test = (title, body) => it.effect(title, () => performed(plan, body))

  describe(`Gateway: ${name}`, () => {
    const section = (title: string, tests: (test: Test, plan: Plan) => void) =>
      describe(title, () => {
        tests(test, plan)
      })

    section("answers", answersSection)
    section("failures of the network and of the vendor", failuresSection)
    section("reports", reportsSection)
    for (const [title, tests] of plan.sections) section(title, tests)
  })
}

/**
 * Tests an adapter to a vendor with an HTTP API. Each test has its own vendor and adapter. Throws a
 * `TypeError` if an outcome has no example answer.
 */
export const suite = (name: string, options: Options): void => {
  const problems = coverageProblems(options)
  if (problems.length > 0) throw new TypeError(`Gateway ${name}: ${problems.join("; ")}`)
  run(name, overHttp(options))
}

/**
 * Tests an adapter to a message centre that speaks SMPP 3.4. Each test has its own centre and adapter.
 *
 * There are no signatures and no callback, because only the centre can write on the adapter's connection.
 */
export const smppSuite = (name: string, options: SmppOptions): void => run(name, overSmpp(options))
