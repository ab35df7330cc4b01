import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { onTestFinished } from "vitest"
import { end, listen } from "../../../../test/support/loopback.ts"

/** Serves on loopback until the test is over; gives the origin. */
export const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  onTestFinished(() => end(server))
  return `http://127.0.0.1:${await listen(server)}`
}

/** A request to the vendor. */
export interface VendorRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly body: string
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** A vendor on loopback, and its requests. */
export const startVendor = async (answer: (request: VendorRequest) => Answer) => {
  const requests: Array<VendorRequest> = []
  const origin = await serve((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      const { headers, method = "", url = "" } = incoming
      const request = { method, url, headers, body }
      requests.push(request)
      const { body: text, status } = answer(request)
      response.writeHead(status, { "content-type": "application/json" }).end(text)
    })
  })
  return { origin, requests }
}

/** A Twilio that takes everything. */
export const startTwilio = () => {
  let sent = 0
  return startVendor(() => {
    const sid = `SM${String(++sent).padStart(32, "0")}`
    return {
      status: 201,
      body: JSON.stringify({ sid, status: "queued", num_segments: "1", error_code: null }),
    }
  })
}

/** A vendor that is not there. */
export const nowhere = "http://127.0.0.1:47"
