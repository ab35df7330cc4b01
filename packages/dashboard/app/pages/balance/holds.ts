/** The messages whose price is held. */
import type { Message, MessageStatus } from "../../api/types.ts"
import { minus, sum } from "../../ui/decimal.ts"

/** The statuses of messages that may hold their price. One without an outcome keeps its price until its deadline. */
export const openStatuses: ReadonlyArray<MessageStatus> = ["pending", "accepted", "unknown"]

/**
 * How many of these messages hold an amount; `undefined` if they do not add up to what is held, because there are
 * more of them. The price of a message whose hold has ended without an outcome is zero.
 */
export const holdsOf = (
  messages: ReadonlyArray<Pick<Message, "price">>,
  held: string,
): number | undefined => {
  const prices = messages.map(({ price }) => price).filter((price) => /[1-9]/.test(price))
  return /[1-9]/.test(minus(held, sum(prices))) ? undefined : prices.length
}
