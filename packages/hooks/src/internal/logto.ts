import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { checkOptions, secretsOf } from "./options.ts"
import { receive } from "./receiver.ts"
import { bearer } from "./signatures.ts"
import type { Carrier, Hook, LogtoOptions } from "./types.ts"

const name = "logtoSmsHook"

const { String, Struct, optional } = Schema

const Request = Struct({
  to: String,
  type: String,
  payload: Struct({ code: optional(String), link: optional(String), locale: optional(String) }),
})

const decode = Schema.decodeUnknownOption(Request)

/** Receives the requests of Logto's HTTP SMS connector. Logto shows the body of a refusal to its caller. */
export const logtoSmsHook = (countersign: Carrier, options: LogtoOptions): Hook => {
  checkOptions(name, options, { text: true, token: true })
  return receive(countersign, options, {
    system: "logto",
    secretOf: bearer(secretsOf(name, "token", options.token)),
    isSigned: false,
    read: (fields) =>
      Option.map(decode(fields), ({ payload: { code, link, locale }, to, type }) => {
        const phoneNumber = to.startsWith("+") ? to : `+${to}`
        return {
          phoneNumber,
          text: options.text({ code, link, locale, phoneNumber, type }),
          key: [to, type, code ?? "", link ?? ""],
          isContent: true,
        }
      }),
  })
}
