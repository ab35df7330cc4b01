/**
 * Ports of loopback for servers that have to be told theirs, or that come back to the one they had.
 */
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:net"
import { portOf } from "./loopback.ts"

/** Below the ports that systems assign to connections, so no other process gets them by chance. */
const range = { from: 20_000, to: 32_000 } as const

const listening = async (): Promise<Server> => {
  for (;;) {
    const server = createServer()
    try {
      server.listen(randomInt(range.from, range.to), "127.0.0.1")
      await once(server, "listening")
      return server
    } catch {
      // Taken: another one.
    }
  }
}

/** Ports that are free, and differ. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(Array.from({ length: count }, listening))
  const ports = servers.map(portOf)
  for (const server of servers) {
    server.close()
    await once(server, "close")
  }
  return ports
}
