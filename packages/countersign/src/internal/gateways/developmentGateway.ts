import type { Gateway, OutgoingMessage } from "../types/gateways.ts"

/** Number of messages that the gateway remembers. */
const remembered = 500

export interface DevelopmentGateway extends Gateway<"development"> {
  /** The messages to one phone number, or all messages; newest first, at most 500. */
  readonly messages: (phoneNumber?: string) => ReadonlyArray<OutgoingMessage>
  /** The newest code to a phone number. Throws an `Error` without one. */
  readonly latestCode: (phoneNumber: string) => string
}

/** Creates a gateway that passes each message to `show`, code included, and reports it as delivered. */
export const developmentGateway = (
  show: (message: OutgoingMessage) => void = () => {},
): DevelopmentGateway => {
  const sent: Array<OutgoingMessage> = []
  const messages: DevelopmentGateway["messages"] = (to) =>
    sent.filter(({ phoneNumber }) => to === undefined || phoneNumber === to)
  return {
    name: "development",
    send: (message) => {
      sent.unshift(message)
      sent.length = Math.min(sent.length, remembered)
      show(message)
      return Promise.resolve({ status: "delivered", gatewayId: message.token })
    },
    messages,
    latestCode: (phoneNumber) => {
      const code = messages(phoneNumber).find((message) => message.code !== undefined)?.code
      if (code === undefined) throw new Error(`No code was sent to ${phoneNumber}`)
      return code
    },
  }
}
