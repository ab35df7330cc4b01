/** The errors of a call, by their types. */
import { describe, expectTypeOf, it } from "vitest"
import type { Client, Result } from "../src/index.ts"

type ErrorOf<F extends (input: never) => Promise<Result<unknown, unknown>>> = Extract<
  Awaited<ReturnType<F>>,
  { readonly ok: false }
>["error"]

describe("the errors of a call", () => {
  it("are narrowed by code", () => {
    type CheckError = ErrorOf<Client["verifications"]["check"]>
    const left = (error: CheckError): number => {
      if (error.code === "wrong_code") return error.attemptsRemaining
      if (error.code === "rate_limited" || error.code === "unavailable") {
        expectTypeOf(error.status).toEqualTypeOf<429 | 503>()
        return error.retryAfterSeconds
      }
      return 0
    }
    expectTypeOf(left).returns.toEqualTypeOf<number>()
  })

  it("all have a code, a message and a status", () => {
    type Common = ErrorOf<Client["balance"]>
    expectTypeOf<Common["message"]>().toEqualTypeOf<string>()
    expectTypeOf<Common["status"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Extract<Common, { code: "timeout" }>["status"]>().toEqualTypeOf<undefined>()
    expectTypeOf<Extract<Common, { code: "unauthorized" }>["status"]>().toEqualTypeOf<401>()
  })
})
