/**
 * A gateway for development: it carries messages nowhere and shows them to the developer.
 */
import type { Gateway, OutgoingMessage } from "./gatewayTypes.ts"

/** How many messages are remembered. */
const remembered = 500

export interface DevelopmentGateway extends Gateway {
  /** What was sent, newest first; to one number, or to all. At most 500. */
  readonly messages: (to?: string) => ReadonlyArray<OutgoingMessage>
}

/**
 * Takes every message as delivered. `show` is handed each of them, codes in clear; they can also be read
 * with `messages`, as tests do.
 */
export const developmentGateway = (
  show: (message: OutgoingMessage) => void = () => {},
): DevelopmentGateway => {
  const sent: Array<OutgoingMessage> = []
  return {
    name: "development",
    send: (message) => {
      sent.unshift(message)
      sent.length = Math.min(sent.length, remembered)
      show(message)
      return Promise.resolve({ status: "delivered", gatewayId: message.token })
    },
    messages: (to) => sent.filter((message) => to === undefined || message.to === to),
  }
}
