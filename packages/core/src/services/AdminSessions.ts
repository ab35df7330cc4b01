/**
 * The sessions of the admin pages, for sign-ins that have no store of their own. They are in the database, so that a
 * session that ends, ends on every node.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as AdminSession from "../domain/access/AdminSession.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import { Store } from "../ports/Store.ts"
import { utf8 } from "../engine/internal/utf8.ts"

export interface BeginSession {
  readonly login: string
  /** The address of the client; only its network is stored. */
  readonly address?: string | undefined
  readonly agent?: string | undefined
  /** The person who has signed in. @defaultValue unknown, as with a password */
  readonly person?: AdminSession.Person | undefined
}

export interface SessionToken {
  readonly login: string
  readonly token: string
}

type SessionEffect<A> = Effect.Effect<A, StoreUnavailable>

export class AdminSessions extends Context.Service<
  AdminSessions,
  {
    /** Begins a session and returns its token, which is stored nowhere. */
    readonly begin: (input: BeginSession) => SessionEffect<string>
    /** The session of a token, unless it has ended. Records when it was last seen. */
    readonly find: (input: SessionToken) => SessionEffect<AdminSession.AdminSession | undefined>
    /** Ends the session of a token on every node. */
    readonly end: (input: SessionToken) => SessionEffect<void>
    /** The sessions of a login, the newest first. */
    readonly list: (login: string) => SessionEffect<ReadonlyArray<AdminSession.AdminSession>>
    /** Ends sessions on every node. */
    readonly endSessions: (ids: ReadonlyArray<string>) => SessionEffect<void>
  }
>()("@countersign/core/services/AdminSessions") {}

const tokenBytes = 32

const make = Effect.gen(function* () {
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store

  const idOf = (token: string) => Effect.map(digest.digest(Digest.sha256, utf8(token)), Hex.encode)

  const found = Effect.fnUntraced(function* ({ login, token }: SessionToken) {
    const session = yield* store.adminSession(yield* idOf(token))
    const now = yield* Clock.currentTimeMillis
    if (session === undefined || session.login !== login) return undefined
    return AdminSession.isOver(session, now) ? undefined : { session, now }
  })

  const list = Effect.fnUntraced(function* (login: string) {
    const now = yield* Clock.currentTimeMillis
    return (yield* store.adminSessions).filter(
      (one) => one.login === login && !AdminSession.isOver(one, now),
    )
  })

  return AdminSessions.of({
    begin: Effect.fn("AdminSessions.begin")(function* ({
      address = "",
      agent,
      login,
      person = null,
    }) {
      const now = yield* Clock.currentTimeMillis
      const ended = AdminSession.ended(yield* store.adminSessions, { login, person }, now)
      if (ended.length > 0) yield* store.endAdminSessions(ended.map(({ id }) => id))
      const token = Base64Url.encode(yield* random.randomBytes(tokenBytes))
      yield* store.addAdminSession({
        id: yield* idOf(token),
        login,
        startedAt: now,
        seenAt: now,
        network: AdminSession.networkOf(address),
        agent: agent === undefined ? null : AdminSession.textOf(agent),
        person: person === null ? null : { ...person, name: AdminSession.textOf(person.name) },
      })
      return token
    }),
    find: Effect.fn("AdminSessions.find")(function* (input) {
      const { now, session } = (yield* found(input)) ?? {}
      if (session === undefined || now === undefined) return undefined
      if (!AdminSession.isSeen(session, now)) return session
      yield* store.seeAdminSession(session.id, now)
      return { ...session, seenAt: now }
    }),
    end: Effect.fn("AdminSessions.end")(function* (input) {
      const { session } = (yield* found(input)) ?? {}
      if (session !== undefined) yield* store.endAdminSessions([session.id])
    }),
    list: Effect.fn("AdminSessions.list")(list),
    endSessions: Effect.fn("AdminSessions.endSessions")((ids) => store.endAdminSessions(ids)),
  })
})

export const layer = Layer.effect(AdminSessions, make)
