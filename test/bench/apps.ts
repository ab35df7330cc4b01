/** What the measurements of starts share. */
import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const withFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-start-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The status of a request for the balance; 0 if the port is closed. */
export const statusOf = (port: number, authorization: string): Promise<number> =>
  new Promise((resolve) => {
    const outgoing = request(
      { port, host: "127.0.0.1", path: "/api/v2/balance", headers: { authorization } },
      (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode ?? 0))
      },
    )
    outgoing.once("error", () => resolve(0))
    outgoing.end()
  })
