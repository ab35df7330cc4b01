/**
 * Who is behind a cookie. The browser has the id of a session; the database has its hash, the number and the
 * id of the verification request. On a PostgreSQL server every process knows every session; without one they
 * are in a file beside the engine's database.
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"

export interface Session {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** Of the code that was sent to the number; `null` once the user is signed in. */
  readonly requestId: string | null
}

export interface Sessions {
  /** Begins a session, and gives its id. */
  readonly create: (session: Session, nowMillis: number) => Promise<string>
  readonly find: (id: string, nowMillis: number) => Promise<Session | undefined>
  /** Ends a session. */
  readonly remove: (id: string) => Promise<void>
  readonly close: () => Promise<void>
}

export const cookieName = "session"

/** How long a session lasts: the code that it waits for is good for five minutes. */
export const lifetimeSeconds = ({ requestId }: Session): number =>
  requestId === null ? 12 * 60 * 60 : 15 * 60

type Row = Readonly<Record<string, unknown>>

/** Runs a statement of the SQL that PostgreSQL and SQLite share, with `$1` for the first value. */
interface Database {
  readonly query: (
    sql: string,
    values?: ReadonlyArray<string | number | null>,
  ) => Promise<ReadonlyArray<Row>>
  readonly close: () => Promise<void>
}

const onServer = async (url: string): Promise<Database> => {
  const { default: pg } = await import(/* turbopackIgnore: true */ "pg")
  const pool = new pg.Pool({ connectionString: url, max: 5 })
  // An idle connection that breaks would end the process otherwise.
  pool.on("error", (error) => console.error(`A connection was lost: ${error.message}`))
  return {
    query: async (sql, values = []) => (await pool.query<Row>(sql, [...values])).rows,
    close: () => pool.end(),
  }
}

const inFolder = async (folder: string): Promise<Database> => {
  const { DatabaseSync } = await import(/* turbopackIgnore: true */ "node:sqlite")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(join(folder, "sessions.sqlite"))
  return {
    query: async (sql, values = []) => file.prepare(sql.replaceAll("$", "?")).all(...values),
    close: async () => file.close(),
  }
}

const hashed = (id: string): string => createHash("sha256").update(id).digest("base64url")

const sessionOf = (row: Row): Session => ({
  phoneNumber: String(row["phone_number"]),
  requestId: row["request_id"] === null ? null : String(row["request_id"]),
})

/** Opens the sessions of a server, or those of a folder where `url` is `undefined`. */
export const openSessions = async (url: string | undefined, folder: string): Promise<Sessions> => {
  const { close, query } = url === undefined ? await inFolder(folder) : await onServer(url)
  await query(`CREATE TABLE IF NOT EXISTS app_sessions (
    id_hash text PRIMARY KEY,
    phone_number text NOT NULL,
    request_id text,
    expires_at bigint NOT NULL
  )`)
  return {
    create: async (session, nowMillis) => {
      const id = randomBytes(32).toString("base64url")
      const { phoneNumber, requestId } = session
      const expiresAt = nowMillis + lifetimeSeconds(session) * 1_000
      await query("DELETE FROM app_sessions WHERE expires_at <= $1", [nowMillis])
      await query("INSERT INTO app_sessions VALUES ($1, $2, $3, $4)", [
        hashed(id),
        phoneNumber,
        requestId,
        expiresAt,
      ])
      return id
    },
    find: async (id, nowMillis) => {
      const [row] = await query(
        "SELECT * FROM app_sessions WHERE id_hash = $1 AND expires_at > $2",
        [hashed(id), nowMillis],
      )
      return row === undefined ? undefined : sessionOf(row)
    },
    remove: async (id) => {
      await query("DELETE FROM app_sessions WHERE id_hash = $1", [hashed(id)])
    },
    close,
  }
}

declare global {
  // As the engine: once for the process, and not once for each bundle.
  var sessionsOfThisProcess: Promise<Sessions> | undefined
}

/** Opens them with the first call. */
export const sessions = (): Promise<Sessions> =>
  (globalThis.sessionsOfThisProcess ??= openSessions(
    process.env["DATABASE_URL"] || undefined,
    process.env["DATA_DIR"] || ".countersign",
  ).catch((error: unknown) => {
    // The database may be there the next time.
    globalThis.sessionsOfThisProcess = undefined
    throw error
  }))
