/** Takes the place of the memory adapter in the tests of the package: PostgreSQL through Drizzle. */
import { drizzleAdapter } from "better-auth/adapters/drizzle"
import { drizzle } from "drizzle-orm/node-postgres"
import { boolean, pgSchema, text, timestamp } from "drizzle-orm/pg-core"
import { Pool } from "pg"
import { onTestFinished } from "vitest"

let opened = 0

/** The tables that the command line of better-auth makes with the plugin. */
const tablesIn = (schema: ReturnType<typeof pgSchema>) => {
  const times = {
    createdAt: timestamp("created_at").notNull().defaultNow(),
    updatedAt: timestamp("updated_at").notNull().defaultNow(),
  }
  const user = schema.table("user", {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull().unique(),
    emailVerified: boolean("email_verified").notNull(),
    image: text("image"),
    phoneNumber: text("phone_number").unique(),
    phoneNumberVerified: boolean("phone_number_verified"),
    ...times,
  })
  const session = schema.table("session", {
    id: text("id").primaryKey(),
    expiresAt: timestamp("expires_at").notNull(),
    token: text("token").notNull().unique(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    userId: text("user_id").notNull(),
    ...times,
  })
  const account = schema.table("account", {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id").notNull(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: timestamp("access_token_expires_at"),
    refreshTokenExpiresAt: timestamp("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    ...times,
  })
  const verification = schema.table("verification", {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
    ...times,
  })
  return { user, session, account, verification }
}

const statements = (name: string): string => `
  CREATE SCHEMA ${name};
  SET search_path TO ${name};
  CREATE TABLE "user" (id text PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE,
    email_verified boolean NOT NULL, image text, phone_number text UNIQUE, phone_number_verified boolean,
    created_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
  CREATE TABLE session (id text PRIMARY KEY, expires_at timestamp NOT NULL, token text NOT NULL UNIQUE,
    ip_address text, user_agent text, user_id text NOT NULL REFERENCES "user",
    created_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
  CREATE TABLE account (id text PRIMARY KEY, account_id text NOT NULL, provider_id text NOT NULL,
    user_id text NOT NULL REFERENCES "user", access_token text, refresh_token text, id_token text,
    access_token_expires_at timestamp, refresh_token_expires_at timestamp, scope text, password text,
    created_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
  CREATE TABLE verification (id text PRIMARY KEY, identifier text NOT NULL, value text NOT NULL,
    expires_at timestamp NOT NULL, created_at timestamp NOT NULL DEFAULT now(),
    updated_at timestamp NOT NULL DEFAULT now());`

/** A schema of its own for each call. */
export const openDatabase = async () => {
  opened += 1
  const name = `app_${process.pid}_${opened}`
  const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 4 })
  onTestFinished(() => pool.end())
  await pool.query(statements(name))
  const tables = tablesIn(pgSchema(name))
  const database = drizzle(pool)
  return {
    adapter: drizzleAdapter(database, { provider: "pg", schema: tables }),
    rows: (table: keyof typeof tables): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
      database.select().from(tables[table]),
  }
}
