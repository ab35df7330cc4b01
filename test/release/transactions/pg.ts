/** pg: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared } from "countersign"
import type { Pool } from "pg"

export const signUp = async (pool: Pool, phoneNumber: string, later: OfRequest & Prepared) => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    await client.query(later.statement)
    const row = [phoneNumber, later.requestId]
    await client.query("insert into users (phone_number, request_id) values ($1, $2)", row)
    await client.query("commit")
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
}
