/**
 * The inbox, and a phone for each test, as fixtures of Playwright Test.
 *
 * @example
 * ```ts
 * import { test as base } from "@playwright/test"
 * import { type InboxFixtures, inboxFixtures } from "@countersign/inbox/playwright"
 *
 * export const test = base.extend<InboxFixtures>(inboxFixtures)
 * ```
 */
import { inboxClient } from "./client.ts"
import { noTime } from "./internal/errors.ts"
import { defaultPattern, logOf, makeTestPhone, type TestPhone } from "./internal/testPhone.ts"
import type { InboxActions } from "./internal/types.ts"

export { NoCodeError } from "./client.ts"
export type * from "./internal/types.ts"
export type { TestPhone }

/** The fixtures, for `base.extend<InboxFixtures>(inboxFixtures)`. */
export interface InboxFixtures {
  /** The inbox. `latestCode` and `waitForCode` ignore the codes that were sent before the test. */
  readonly inbox: InboxActions
  /** The address of the inbox's page, relative to `baseURL`. Set it under `use`. @defaultValue `/inbox` */
  readonly inboxUrl: string
  /** A phone number of the test's own. If the test fails, the messages to it are attached. */
  readonly phone: TestPhone
  /** The numbers to draw from: each `#` is a random digit. Set it under `use`. @defaultValue `+88017########` */
  readonly phonePattern: string
}

/** The part of Playwright's `TestInfo` that the fixtures use. */
interface TestInfo {
  readonly status?: string | undefined
  readonly expectedStatus: string
  readonly attach: (
    name: string,
    options: { readonly body: string; readonly contentType: string },
  ) => Promise<void>
}

const option = (value: string): [string, { option: true }] => [value, { option: true }]

const addressOf = (url: string, baseURL: string | undefined): URL => {
  const address = URL.parse(url, baseURL)
  if (address !== null) return address
  throw new Error("inboxUrl must be a whole address, or baseURL must be set")
}

/** The functions that Playwright Test calls. It reads the fixtures that each needs from the first parameter. */
export const inboxFixtures = {
  inboxUrl: option("/inbox"),
  phonePattern: option(defaultPattern),
  phone: async (
    { inbox, phonePattern }: { readonly inbox: InboxActions; readonly phonePattern: string },
    use: (phone: TestPhone) => Promise<void>,
    test: TestInfo,
  ): Promise<void> => {
    const phone = await makeTestPhone(inbox, phonePattern)
    await use(phone)
    if (test.status === test.expectedStatus) return
    await test.attach("messages", { body: await logOf(phone), contentType: "text/plain" })
  },
  inbox: async (
    { baseURL, inboxUrl }: { readonly baseURL: string | undefined; readonly inboxUrl: string },
    use: (inbox: InboxActions) => Promise<void>,
  ): Promise<void> => {
    const inbox = inboxClient(addressOf(inboxUrl, baseURL))
    const [newest] = await inbox.messages({ limit: 1 })
    await use({
      ...inbox,
      latestCode: (phoneNumber) =>
        inbox.waitForCode({ after: newest?.id, phoneNumber, timeout: noTime }),
      waitForCode: (options) => inbox.waitForCode({ after: newest?.id, ...options }),
    })
  },
}
