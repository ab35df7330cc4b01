import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { checkOptions, secretsOf } from "./options.ts"
import { receive } from "./receiver.ts"
import { zitadel } from "./signatures.ts"
import type { Carrier, Hook, ZitadelOptions } from "./types.ts"

const name = "zitadelSmsHook"

const { String, Struct } = Schema

const Request = Struct({
  contextInfo: Struct({ eventType: String, recipientPhoneNumber: String }),
  templateData: Struct({ text: String }),
})

const decode = Schema.decodeUnknownOption(Request)

/** Receives the requests of ZITADEL's SMS provider over HTTP, which have the text. */
export const zitadelSmsHook = (countersign: Carrier, options: ZitadelOptions): Hook => {
  checkOptions(name, options, { signingKey: true })
  return receive(countersign, options, {
    system: "zitadel",
    secretOf: zitadel(secretsOf(name, "signingKey", options.signingKey)),
    isSigned: true,
    read: (fields) =>
      Option.map(decode(fields), ({ contextInfo, templateData: { text } }) => {
        const { eventType, recipientPhoneNumber: phoneNumber } = contextInfo
        return { phoneNumber, text, key: [phoneNumber, eventType, text], isContent: true }
      }),
  })
}
