import type { Pool } from "pg"
import type { HostDriver } from "@countersign/postgres/HostPool"

/** A driver with `query` and `transaction`, as hosts write it over what they use. */
export const driverOver = (pool: Pool): HostDriver => ({
  query: (text, values) => pool.query(text, values),
  transaction: async (run) => {
    const client = await pool.connect()
    let failed: unknown
    try {
      await client.query("BEGIN")
      const result = await run(client)
      await client.query("COMMIT")
      return result
    } catch (error) {
      failed = error
      await client.query("ROLLBACK").catch(ignore)
      throw error
    } finally {
      client.release(failed !== undefined)
    }
  },
})

const ignore = (): void => {}
