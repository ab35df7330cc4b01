import { ConfigurationError } from "countersign"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { checkOptions, secretsOf } from "./options.ts"
import { receive } from "./receiver.ts"
import { standardWebhooks } from "./signatures.ts"
import type { Carrier, Hook, SupabaseOptions } from "./types.ts"

const name = "supabaseSmsHook"

const { NullOr, String, Struct, optional } = Schema

const text = optional(NullOr(String))

const Request = Struct({
  metadata: optional(Struct({ uuid: String })),
  user: optional(Struct({ id: text, new_phone: text, phone: text })),
  sms: Struct({ otp: String, phone: text, sms_type: text }),
})

const decode = Schema.decodeUnknownOption(Request)

const base64Of = (secret: string): string => {
  const [, base64] = /^(?:v1,)?whsec_([A-Za-z0-9+/]+=*)$/.exec(secret.trim()) ?? []
  if (base64 !== undefined) return base64
  throw new ConfigurationError(`${name}: a secret has the form v1,whsec_…, as Supabase shows it`)
}

/**
 * Receives the requests of Supabase's Send SMS hook. A refusal is what Supabase shows to the user, with the status of
 * the error.
 */
export const supabaseSmsHook = (countersign: Carrier, options: SupabaseOptions): Hook => {
  checkOptions(name, options, { secrets: true, text: true })
  const secrets = secretsOf(name, "secrets", options.secrets)
    .flatMap((given) => given.split("|"))
    .map(base64Of)
  return receive(countersign, options, {
    system: "supabase",
    secretOf: standardWebhooks(secrets),
    isSigned: true,
    read: (fields) =>
      Option.flatMap(decode(fields), ({ metadata, sms, user }) => {
        // Without its plus. Older servers name it with the user only, and send no id.
        const digits = [sms.phone, user?.new_phone, user?.phone].find((one) => one)
        if (digits === undefined || digits === null) return Option.none()
        const phoneNumber = digits.startsWith("+") ? digits : `+${digits}`
        return Option.some({
          phoneNumber,
          text: options.text({
            code: sms.otp,
            phoneNumber,
            isMfa: sms.sms_type === "mfa",
            userId: user?.id ?? undefined,
          }),
          ...(metadata === undefined
            ? { key: [phoneNumber, sms.otp], isContent: true }
            : { key: [metadata.uuid] }),
        })
      }),
    // Supabase shows every other answer than 200 as an internal error.
    refuse: ({ message, status }) => ({
      status: 200,
      body: { error: { http_code: status, message } },
    }),
  })
}
