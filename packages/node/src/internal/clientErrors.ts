import type { Duplex } from "node:stream"
import { Http } from "./builtins.ts"

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Responds to input that is not HTTP with a JSON error, as to every other invalid request. */
export const answerClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const status = statuses[error.code ?? ""] ?? 400
  const reason = Http.STATUS_CODES[status] ?? "Bad Request"
  const body = JSON.stringify({ error: reason })
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      "Connection: close",
      "Cache-Control: no-store",
      "Content-Type: application/json",
      "Countersign-Error: bad_request",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  )
}
