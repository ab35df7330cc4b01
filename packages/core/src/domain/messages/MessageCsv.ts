/** Messages of the log as CSV (RFC 4180). Texts have the form of the log, which masks codes. */
import { textCell } from "../values/Csv.ts"
import * as Message from "./Message.ts"
import * as Money from "../values/Money.ts"

/** The first line. */
export const header =
  "sequence,createdAt,id,phoneNumber,channel,sender,status,currency,price,gateway,gatewayId,error,requestId,text\r\n"

/** The lines of messages, without the first line. */
export const lines = (messages: ReadonlyArray<Message.Message>, currency: string): string =>
  messages
    .map((message) =>
      [
        message.sequence,
        new Date(message.createdAt).toISOString(),
        Message.logId(message),
        textCell(message.phoneNumber),
        message.channel,
        textCell(message.sender),
        message.status,
        currency,
        Money.format(Message.price(message)),
        textCell(message.gateway),
        textCell(message.gatewayId),
        textCell(message.error),
        message.requestId ?? "",
        textCell(message.text),
      ].join(),
    )
    .map((line) => `${line}\r\n`)
    .join("")
