import type { Gateway, OutgoingMessage } from "../types/gateways.ts"

/** Number of messages that the gateway remembers. */
const remembered = 500

export interface DevelopmentGateway extends Gateway {
  /** The messages to one phone number, or all messages; newest first, at most 500. */
  readonly messages: (phoneNumber?: string) => ReadonlyArray<OutgoingMessage>
}

/** Creates a gateway that passes each message to `show`, code included, and reports it as delivered. */
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
    messages: (to) => sent.filter((message) => to === undefined || message.phoneNumber === to),
  }
}
