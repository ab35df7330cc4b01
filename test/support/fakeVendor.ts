/**
 * SSL Wireless on loopback, as far as an example needs it: every message is taken.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { end, listen } from "./loopback.ts"
import { at } from "./Quickstart.ts"

export interface FakeVendor {
  /** The settings of an example that sends through it. */
  readonly env: Readonly<Record<string, string>>
  /** What was sent, in its order. */
  readonly texts: () => ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

export const startVendor = async (): Promise<FakeVendor> => {
  const texts: Array<string> = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk)
    const message: unknown = JSON.parse(body)
    texts.push(String(at(message, "sms")))
    const info = {
      sms_status: "SUCCESS",
      msisdn: at(message, "msisdn"),
      csms_id: at(message, "csms_id"),
      reference_id: `reference-${texts.length}`,
    }
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ status: "SUCCESS", status_code: 200, smsinfo: [info] }))
  })
  const port = await listen(server)
  return {
    env: {
      SSL_WIRELESS_API_TOKEN: "a token for tests",
      SSL_WIRELESS_SID: "ACME",
      SSL_WIRELESS_BASE_URL: `http://127.0.0.1:${port}`,
    },
    texts: () => texts,
    stop: async () => {
      end(server)
      await once(server, "close")
    },
  }
}
