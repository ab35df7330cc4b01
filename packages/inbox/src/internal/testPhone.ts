import type { Duration } from "@countersign/core/domain/values/DurationText"
import type { InboxActions, InboxMessage } from "./types.ts"

/** A phone of one test. */
export interface TestPhone {
  /** E.164 with its plus. The inbox has no message to it when the test begins. */
  readonly phoneNumber: string
  /**
   * Resolves with the next code: only messages count that no earlier call has read. Rejects with `NoCodeError` if none
   * comes in time, which is 10 seconds by default.
   */
  readonly code: (options?: { readonly timeout?: Duration | undefined }) => Promise<string>
  /** Returns its messages, newest first. */
  readonly messages: () => Promise<ReadonlyArray<InboxMessage>>
}

/** Numbers of tests are drawn from these, which are valid mobile numbers. */
export const defaultPattern = "+88017########"

/** Draws the digits at random, so that runs over one database do not meet the limits of each other. */
const draw = (pattern: string): string =>
  pattern.replace(/#/g, () => String((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 10))

/** Finds a number without messages. */
export const makeTestPhone = async (inbox: InboxActions, pattern: string): Promise<TestPhone> => {
  if (!/^\+\d*#{4,}\d*$/.test(pattern)) {
    throw new TypeError(`A pattern of phone numbers is like ${defaultPattern}, and not ${pattern}`)
  }
  let phoneNumber = draw(pattern)
  while ((await inbox.messages({ phoneNumber, limit: 1 })).length > 0) phoneNumber = draw(pattern)
  const messages = () => inbox.messages({ phoneNumber })
  let after: string | undefined
  return {
    phoneNumber,
    code: async ({ timeout } = {}) => {
      const code = await inbox.waitForCode({ phoneNumber, after, timeout })
      after = (await messages()).find((message) => message.code === code)?.id
      return code
    },
    messages,
  }
}

/** The messages of a phone as lines, oldest first. */
export const logOf = async ({ messages, phoneNumber }: TestPhone): Promise<string> => {
  const lines = (await messages()).map(
    ({ at, channel, outcome, text }) => `${at} ${channel}, ${outcome}: ${text}`,
  )
  return [`Messages to ${phoneNumber}: ${lines.length}`, ...lines.toReversed()].join("\n")
}
