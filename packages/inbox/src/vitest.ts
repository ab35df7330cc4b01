/**
 * A phone for each test of vitest.
 *
 * @example
 * ```ts
 * const phone = await testPhone(inbox)
 * await verifications.send({ phoneNumber: phone.phoneNumber })
 * const code = await phone.code()
 * ```
 */
import { onTestFailed } from "vitest"
import { defaultPattern, logOf, makeTestPhone, type TestPhone } from "./internal/testPhone.ts"
import type { InboxActions } from "./internal/types.ts"

export { NoCodeError } from "./internal/errors.ts"
export type { TestPhone }

/** Options of `testPhone`. */
export interface TestPhoneOptions {
  /** The numbers to draw from: each `#` is a random digit. @defaultValue `"+88017########"` */
  readonly pattern?: string | undefined
}

/**
 * Gives the test that runs a phone number of its own. If the test fails, the messages to it are printed. Takes an inbox,
 * also of another process, and not the engine: the engine keeps no code that it could give.
 */
export const testPhone = async (
  inbox: InboxActions,
  { pattern = defaultPattern }: TestPhoneOptions = {},
): Promise<TestPhone> => {
  const phone = await makeTestPhone(inbox, pattern)
  onTestFailed(async () => {
    process.stderr.write(`${await logOf(phone)}\n`)
  })
  return phone
}
