/**
 * Checks the address of a PostgreSQL database before a connection is opened.
 */

const example = "postgres://user:password@host:5432/database"

/** The schemes of other databases. Other text before a colon may be a user, and is not quoted. */
const others = new Map([
  ["mysql:", "MySQL"],
  ["mariadb:", "MariaDB"],
  ["mongodb:", "MongoDB"],
  ["mongodb+srv:", "MongoDB"],
  ["sqlserver:", "SQL Server"],
  ["mssql:", "SQL Server"],
  ["sqlite:", "SQLite"],
  ["file:", "SQLite"],
  ["libsql:", "SQLite"],
  ["redis:", "Redis"],
  ["http:", "an HTTP service"],
  ["https:", "an HTTP service"],
])

/** The same address with a database. Users and passwords are not quoted. */
const withDatabase = ({ host, password, username }: URL): string =>
  `postgres://${username === "" && password === "" ? "" : "user:password@"}${host}/countersign`

/** The problem of an address, as a sentence without its subject; `undefined` if it names a PostgreSQL database. */
export const problemOf = (address: string): string | undefined => {
  if (address.trim() === "") {
    return `is empty, probably because its environment variable is not set: write ${example}`
  }
  const url = URL.parse(address)
  const other = others.get(url?.protocol ?? "")
  if (other !== undefined)
    return `is an address of ${other}, but must be of PostgreSQL: write ${example}`
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    return `must be a URL such as ${example}`
  const name = url.searchParams.get("dbname") ?? url.pathname.slice(1)
  return name === "" ? `names no database: write ${withDatabase(url)}` : undefined
}
