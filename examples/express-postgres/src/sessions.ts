/**
 * Who is behind a cookie. A session's id exists in the browser only: the table has its hash, so a
 * reader of the table cannot take over a session.
 */
import { createHash, randomBytes } from "node:crypto"
import { Pool } from "pg"

export interface Session {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** Of the code that was sent to the number; `null` once the code was right, and the user is signed in. */
  readonly requestId: string | null
  /** When the code was sent, in milliseconds since 1970. */
  readonly sentAt: number
}

export interface Sessions {
  /** Begins a session, and gives its id. */
  readonly create: (session: Session) => Promise<string>
  readonly find: (id: string) => Promise<Session | undefined>
  /** Changes `sentAt`. Of several calls with the same time of before, one gets `true`. */
  readonly touch: (id: string, before: number, now: number) => Promise<boolean>
  /** Ends a session. Of several calls at once, one gets `true`. */
  readonly remove: (id: string) => Promise<boolean>
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
    touch: async (id, before, now) => {
      const found = kept.get(hashed(id))
      if (found === undefined || found.session.sentAt !== before) return false
      kept.set(hashed(id), { ...found, session: { ...found.session, sentAt: now } })
      return true
    },
    remove: async (id) => kept.delete(hashed(id)),
    close: async () => {},
  }
}

interface Row {
  readonly phone_number: string
  readonly request_id: string | null
  /** A bigint, which the driver gives as text. */
  readonly sent_at: string
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
    sent_at bigint NOT NULL,
    expires_at timestamptz NOT NULL
  )`)
  return {
    create: async (session) => {
      const id = newId()
      await pool.query("DELETE FROM app_sessions WHERE expires_at <= now()")
      await pool.query(
        `INSERT INTO app_sessions (id_hash, phone_number, request_id, sent_at, expires_at)
         VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
        [
          hashed(id),
          session.phoneNumber,
          session.requestId,
          session.sentAt,
          lifetimeSeconds(session),
        ],
      )
      return id
    },
    find: async (id) => {
      const { rows } = await pool.query<Row>(
        "SELECT phone_number, request_id, sent_at FROM app_sessions WHERE id_hash = $1 AND expires_at > now()",
        [hashed(id)],
      )
      const [row] = rows
      if (row === undefined) return undefined
      const { phone_number: phoneNumber, request_id: requestId, sent_at: sentAt } = row
      return { phoneNumber, requestId, sentAt: Number(sentAt) }
    },
    touch: async (id, before, now) => {
      const { rowCount } = await pool.query(
        "UPDATE app_sessions SET sent_at = $3 WHERE id_hash = $1 AND sent_at = $2",
        [hashed(id), before, now],
      )
      return rowCount === 1
    },
    remove: async (id) => {
      const { rowCount } = await pool.query("DELETE FROM app_sessions WHERE id_hash = $1", [
        hashed(id),
      ])
      return rowCount === 1
    },
    close: () => pool.end(),
  }
}
