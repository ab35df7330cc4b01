/**
 * The application's own tables, on the same client as the engine's store.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { User } from "./Api.ts"

export class Users extends Context.Service<
  Users,
  {
    /** Gets or makes the user with this number, and records the sign-in. */
    readonly signIn: (verified: {
      readonly requestId: string
      readonly phoneNumber: string
    }) => Effect.Effect<User, SqlError>
    readonly find: (id: string) => Effect.Effect<User | undefined, SqlError>
  }
>()("effect-native/Users") {
  static readonly layer = Layer.effect(
    Users,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE IF NOT EXISTS app_users (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        phone_number text NOT NULL UNIQUE
      )`
      yield* sql`CREATE TABLE IF NOT EXISTS app_sign_ins (
        request_id text PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES app_users,
        at timestamptz NOT NULL DEFAULT now()
      )`

      const find = Effect.fn("Users.find")(function* (id: string) {
        const [user] = yield* sql<User>`
          SELECT id::text AS id, phone_number AS "phoneNumber",
            (SELECT count(*)::int FROM app_sign_ins WHERE user_id = app_users.id) AS "signIns"
          FROM app_users WHERE id::text = ${id}`
        return user
      })

      return Users.of({
        find,
        signIn: Effect.fn("Users.signIn")(
          function* ({ phoneNumber, requestId }) {
            const [user] = yield* sql<{ readonly id: string }>`
              INSERT INTO app_users (phone_number) VALUES (${phoneNumber})
              ON CONFLICT (phone_number) DO UPDATE SET phone_number = excluded.phone_number
              RETURNING id::text AS id`
            const id = user?.id ?? ""
            yield* sql`
              INSERT INTO app_sign_ins (request_id, user_id) VALUES (${requestId}, ${id}::uuid)`
            return (yield* find(id)) ?? (yield* Effect.die("a user is gone that was just made"))
          },
          (effect) => sql.withTransaction(effect),
        ),
      })
    }),
  )
}
