/** One or more nodes of the engine on one fresh database. */
import type { Context } from "./Measurement.ts"
import {
  freshDatabase,
  type Service,
  type ServiceOptions,
  startService,
} from "./services/Service.ts"

export interface Nodes {
  readonly services: ReadonlyArray<Service>
  readonly databaseUrl: string
  /** The keys of the organizations. All nodes serve them. */
  readonly keys: ReadonlyArray<string>
}

/** Starts this many nodes, and ends them and their database after `use`, also after a failure. */
export const withNodes = async <A>(
  context: Context,
  count: number,
  options: Omit<ServiceOptions, "databaseUrl" | "share">,
  use: (nodes: Nodes) => Promise<A>,
): Promise<A> => {
  const database = await freshDatabase(await context.postgresUrl())
  const services: Array<Service> = []
  const start = async (share?: ReadonlyArray<string>): Promise<Service> => {
    const service = await startService("countersign", {
      ...options,
      share,
      databaseUrl: database.url,
    })
    services.push(service)
    return service
  }
  try {
    const { keys } = await start()
    await Promise.all(Array.from({ length: count - 1 }, () => start(keys)))
    return await use({ services, keys, databaseUrl: database.url })
  } finally {
    await Promise.all(services.map((service) => service.stop()))
    await database.drop()
  }
}

/** Returns the phone number of a rank, one of ninety million numbers. */
export const numberOf = (rank: number): string => `+88017${10_000_000 + (rank % 89_999_999)}`
