/**
 * Loaded into a service with `--import`: tells on a Unix socket how much memory is left after a
 * collection, without the service knowing of it.
 */
import { createServer } from "node:http"

const server = createServer((_, response) => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  response.end(JSON.stringify({ heapUsed, rss }))
})
server.listen(process.env["MEMORY_PROBE"] ?? "")
server.unref()
