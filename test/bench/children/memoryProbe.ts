/**
 * Loaded into a service with `--import`. Reports the memory in use after a garbage collection on a Unix
 * socket, without changes to the service.
 */
import { createServer } from "node:http"

const server = createServer((_, response) => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  response.end(JSON.stringify({ heapUsed, rss }))
})
server.listen(process.env["MEMORY_PROBE"] ?? "")
server.unref()
