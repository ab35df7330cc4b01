/**
 * A verification and a message, through the client that @hey-api/openapi-ts generates.
 */
import {
  accountBalance,
  messagesGet,
  messagesList,
  messagesSend,
  verificationsCheck,
  verificationsSend,
} from "./countersign/index.js"
import { client } from "./countersign/client.gen.js"
import type * as Types from "./countersign/index.js"
import type { OptionalIn } from "./optional.js"

/** Answers have all their members. */
export const optional: [
  OptionalIn<
    | Types.AccountBalanceResponse
    | Types.MessagesGetResponse
    | Types.MessagesListResponse
    | Types.MessagesSendResponse
    | Types.VerificationsCheckError
    | Types.VerificationsCheckResponse
    | Types.VerificationsSendError
    | Types.VerificationsSendResponse
  >,
] extends [never]
  ? "none"
  : never = "none"

const { BASE = "", COUNTERSIGN_KEY = "", INBOX = "" } = process.env
client.setConfig({ baseUrl: BASE, auth: COUNTERSIGN_KEY })

const throwOnError = true
const digits = "8801712345678"

const { data: sent } = await verificationsSend({
  body: { phone_number: `+${digits}` },
  throwOnError,
})
const { request_id } = sent.data

const wrong = await verificationsCheck({ body: { request_id, code: "x" } })
if (wrong.error === undefined || !("data" in wrong.error)) throw new Error("a wrong code passed")
console.log(wrong.error.data.status)

const inbox = await (await fetch(`${INBOX}/messages?to=${digits}`)).text()
const code = /\b\d{6}\b/.exec(inbox)?.[0] ?? ""
const { data: checked } = await verificationsCheck({ body: { request_id, code }, throwOnError })
console.log(checked.data.status)

const body = { to: digits, message: "Your order has shipped." }
const { data: message } = await messagesSend({ body, throwOnError })
console.log(message.data.channel, message.data.status)

const { data: log } = await messagesList({ throwOnError })
const { limit, page: first, total } = log.pagination
console.log(`page ${first}, ${log.data.length} of ${total}, at most ${limit}`)

const { data: page } = await messagesList({
  query: { limit: 1, from: "2020-01-01", to: "2100-12-31T23:59:59+06:00" },
  throwOnError,
})
const id = page.data[0]?.id ?? ""
const { data: entry } = await messagesGet({ path: { id }, throwOnError })
console.log(entry.data.message)

const { data: balance } = await accountBalance({ throwOnError })
console.log(balance.data.currency)
