import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isUndecided } from "./carry.ts"
import { checkOptions, secretsOf } from "./options.ts"
import { type Codec, receive } from "./receiver.ts"
import { bearer } from "./signatures.ts"
import type { Carrier, Hook, TokenOptions } from "./types.ts"

const { String, Struct, optional } = Schema

const Request = Struct({
  to: String,
  text: String,
  id: optional(String),
  sender: optional(String),
})

const decode = Schema.decodeUnknownOption(Request, { onExcessProperty: "error" })

const hook = (
  name: string,
  countersign: Carrier,
  options: TokenOptions,
  own: Pick<Codec, "refuse"> = {},
): Hook => {
  checkOptions(name, options, { token: true })
  return receive(countersign, options, {
    ...own,
    system: name,
    secretOf: bearer(secretsOf(name, "token", options.token)),
    isSigned: false,
    read: (fields) =>
      Option.map(decode(fields), ({ id, sender, text, to }) => ({
        phoneNumber: to,
        text,
        // Forms have every field.
        sender: sender === "" ? undefined : sender,
        ...(id === undefined || id === "" ? { key: [to, text], isContent: true } : { key: [id] }),
      })),
  })
}

/**
 * Receives messages of every server that can post a form or JSON: `to` and `text`; optional `id`, by which a repeat is
 * recognized, and `sender`.
 */
export const textSmsHook = (countersign: Carrier, options: TokenOptions): Hook =>
  hook("textSmsHook", countersign, options)

/**
 * Receives the requests of Ory Kratos' courier, with the template `servers/kratos.jsonnet`. Accepts what cannot be sent
 * as well: Kratos would repeat the request, and with it all messages of its batch, although no repeat can succeed.
 */
export const kratosSmsHook = (countersign: Carrier, options: TokenOptions): Hook =>
  hook("kratosSmsHook", countersign, options, {
    refuse: ({ status, ...body }, error) =>
      isUndecided(error) ? { status, body } : { status: 200, body: { error: body } },
  })
