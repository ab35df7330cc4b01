/**
 * The libraries of `docs/guides/transaction-libraries.md`, opened on a database as their own documents do.
 */
import { MikroORM } from "@mikro-orm/postgresql"
import { drizzle } from "drizzle-orm/node-postgres"
import createKnex from "knex"
import { Kysely, PostgresDialect } from "kysely"
import { join } from "node:path"
import { Pool } from "pg"
import createSql from "postgres"
import { DataSource, EntitySchema } from "typeorm"
import { run, succeeded } from "../../tools/run.ts"
import * as drizzleExample from "./drizzle.ts"
import type { Open } from "./host.ts"
import * as knexExample from "./knex.ts"
import * as kyselyExample from "./kysely.ts"
import * as mikroormExample from "./mikroorm.ts"
import * as pgExample from "./pg.ts"
import * as postgresExample from "./postgres.ts"
import * as typeormExample from "./typeorm.ts"

const openPg: Open = async (url) => {
  const pool = new Pool({ connectionString: url })
  return { signUp: (...input) => pgExample.signUp(pool, ...input), close: () => pool.end() }
}

const openPostgres: Open = async (url) => {
  const sql = createSql(url)
  return { signUp: (...input) => postgresExample.signUp(sql, ...input), close: () => sql.end() }
}

const openDrizzle: Open = async (url) => {
  const db = drizzle(url)
  return {
    signUp: (...input) => drizzleExample.signUp(db, ...input),
    close: () => db.$client.end(),
  }
}

const openKysely: Open = async (url) => {
  const pool = new Pool({ connectionString: url })
  const db = new Kysely<kyselyExample.Database>({ dialect: new PostgresDialect({ pool }) })
  return { signUp: (...input) => kyselyExample.signUp(db, ...input), close: () => db.destroy() }
}

const openKnex: Open = async (url) => {
  const knex = createKnex({ client: "pg", connection: url })
  return { signUp: (...input) => knexExample.signUp(knex, ...input), close: () => knex.destroy() }
}

const openTypeorm: Open = async (url) => {
  const users = new EntitySchema({
    name: "users",
    columns: {
      phoneNumber: { name: "phone_number", type: "text", primary: true },
      requestId: { name: "request_id", type: "text" },
    },
  })
  const dataSource = await new DataSource({ type: "postgres", url, entities: [users] }).initialize()
  return {
    signUp: (...input) => typeormExample.signUp(dataSource, ...input),
    close: () => dataSource.destroy(),
  }
}

const openMikroorm: Open = async (url) => {
  const orm = await MikroORM.init({ clientUrl: url, entities: [mikroormExample.User] })
  return {
    signUp: (...input) => mikroormExample.signUp(orm.em.fork(), ...input),
    close: () => orm.close(),
  }
}

const prisma = join(import.meta.dirname, "prisma")

/** Its client is generated from the schema. */
const openPrisma: Open = async (url) => {
  const { open }: { readonly open: Open } = await import(join(prisma, "open.ts"))
  return open(url)
}

/** Generates the client of Prisma, and type-checks what is written with it. */
export const generatePrismaClient = async (): Promise<void> => {
  const schema = join(prisma, "schema.prisma")
  const env = {
    CHECKPOINT_DISABLE: "1",
    // `generate` needs no engine, but it would download this one.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  }
  succeeded(await run("prisma", ["generate", "--schema", schema], { env }))
  succeeded(await run("tsc", ["-p", prisma]))
}

/** In the order of the guide. */
export const libraries = {
  pg: openPg,
  "postgres.js": openPostgres,
  Drizzle: openDrizzle,
  Kysely: openKysely,
  Prisma: openPrisma,
  Knex: openKnex,
  TypeORM: openTypeorm,
  MikroORM: openMikroorm,
} as const satisfies Readonly<Record<string, Open>>
