/**
 * The inbox as a fixture of Playwright Test.
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
import type { InboxActions } from "./internal/types.ts"

export { NoCodeError } from "./client.ts"
export type * from "./internal/types.ts"

/** The fixtures, for `base.extend<InboxFixtures>(inboxFixtures)`. */
export interface InboxFixtures {
  /** The inbox. `latestCode` and `waitForCode` ignore the codes that were sent before the test. */
  readonly inbox: InboxActions
  /** The address of the inbox's page, relative to `baseURL`. Set it under `use`. @defaultValue `/inbox` */
  readonly inboxUrl: string
}

const inboxUrl: [string, { option: true }] = ["/inbox", { option: true }]

const addressOf = (url: string, baseURL: string | undefined): URL => {
  const address = URL.parse(url, baseURL)
  if (address !== null) return address
  throw new Error("inboxUrl must be a whole address, or baseURL must be set")
}

/** What Playwright Test calls. It reads the names of the fixtures from the first parameter. */
export const inboxFixtures = {
  inboxUrl,
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
