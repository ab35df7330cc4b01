import { createHmac } from "node:crypto"

/** A report as a vendor sends it. */
export interface Report {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export const authToken = "an auth token for the tests"
export const appSecret = "an app secret for the tests"

/** Written from Twilio's description of its signatures. `url` is the address that Twilio knows. */
export const twilioReport = (
  url: string,
  fields: Readonly<Record<string, string>>,
  token = authToken,
): Report => {
  const form = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const signed = url + form.map(([name, value]) => name + value).join("")
  return {
    method: "POST",
    url,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": createHmac("sha1", token).update(signed).digest("base64"),
    },
    body: new URLSearchParams(fields).toString(),
  }
}

/** Sends a report to the app's own address, as a proxy of the public address does. */
export const deliver = (
  { body, headers, method, url }: Report,
  origin: string,
): Promise<Response> => {
  const { pathname, search } = new URL(url)
  return fetch(origin + pathname + search, { method, headers, body: body ?? null })
}
