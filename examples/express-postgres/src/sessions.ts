/**
 * Who is behind a cookie. A session's id exists in the browser only: the table has its hash, so a
 * reader of the table cannot take over a session.
 */
import { createHash, randomBytes } from "node:crypto"
import { Pool } from "pg"

export interface Session {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /**
   * Of the code that was sent to the number; `null` once the user is signed in. It never leaves the server, so
   * a browser can only check codes that it has asked for.
   */
  readonly requestId: string | null
}

export interface Sessions {
  /** Begins a session, and gives its id. */
  readonly create: (session: Session) => Promise<string>
  readonly find: (id: string) => Promise<Session | undefined>
  readonly remove: (id: string) => Promise<void>
  readonly close: () => Promise<void>
}

const minuteSeconds = 60
const daySeconds = 24 * 60 * minuteSeconds

/** How long a session lasts: the code that it waits for is good for five minutes. */
export const lifetimeSeconds = ({ requestId }: Session): number =>
  requestId === null ? 30 * daySeconds : 15 * minuteSeconds

const newId = (): string => randomBytes(32).toString("base64url")

const hashed = (id: string): string => createHash("sha256").update(id).digest("base64url")

/** How many sessions are kept in memory; the oldest make room. */
const maxInMemory = 10_000

/** For the embedded database: a restart signs all users out. */
export const inMemory = (): Sessions => {
  const kept = new Map<string, { readonly session: Session; readonly until: number }>()
  return {
    create: async (session) => {
      for (const [id, { until }] of kept) {
        if (until <= Date.now() || kept.size >= maxInMemory) kept.delete(id)
      }
      const id = newId()
      kept.set(hashed(id), { session, until: Date.now() + lifetimeSeconds(session) * 1_000 })
      return id
    },
    find: async (id) => {
      const found = kept.get(hashed(id))
      return found !== undefined && found.until > Date.now() ? found.session : undefined
    },
    remove: async (id) => void kept.delete(hashed(id)),
    close: async () => {},
  }
}

interface Row {
  readonly phone_number: string
  readonly request_id: string | null
}

/** A table of the app's own, beside the engine's schema. Every node that has it knows every session. */
export const inPostgres = async (url: string): Promise<Sessions> => {
  const pool = new Pool({ connectionString: url, max: 5 })
  // A connection that breaks while it is idle would otherwise end the process.
  pool.on("error", (error) => console.error(`A connection was lost: ${error.message}`))
  await pool.query(`CREATE TABLE IF NOT EXISTS app_sessions (
    id_hash text PRIMARY KEY,
    phone_number text NOT NULL,
    request_id text,
    expires_at timestamptz NOT NULL
  )`)
  return {
    create: async (session) => {
      const id = newId()
      const { phoneNumber, requestId } = session
      await pool.query("DELETE FROM app_sessions WHERE expires_at <= now()")
      await pool.query(
        `INSERT INTO app_sessions (id_hash, phone_number, request_id, expires_at)
         VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
        [hashed(id), phoneNumber, requestId, lifetimeSeconds(session)],
      )
      return id
    },
    find: async (id) => {
      const { rows } = await pool.query<Row>(
        "SELECT phone_number, request_id FROM app_sessions WHERE id_hash = $1 AND expires_at > now()",
        [hashed(id)],
      )
      const [row] = rows
      return row && { phoneNumber: row.phone_number, requestId: row.request_id }
    },
    remove: async (id) => {
      await pool.query("DELETE FROM app_sessions WHERE id_hash = $1", [hashed(id)])
    },
    close: () => pool.end(),
  }
}
