/**
 * A database with nodes, their clients and their vendor, and a proxy in between; and the checks of it once
 * it has come to rest.
 */
import { PgPool } from "@effect/sql-pg"
import { Settlement } from "@countersign/core/jobs/Settlement"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { Store } from "@countersign/core/ports/Store"
import * as Invariants from "@countersign/testing/Invariants"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { faultProxy } from "../../../packages/postgres/test/fixtures/faultProxy.ts"
import { freshDatabase } from "../../support/freshDatabase.ts"
import { compareAnswers } from "./answers.ts"
import { onServer } from "../../../packages/postgres/test/fixtures/onServer.ts"
import { makeNode, makeSweeper, type NodeOptions } from "./engine.ts"
import { ledgerProblems } from "./ledger.ts"
import { type Load, makeLoad, type Node, organizations, type Outcome } from "./Load.ts"
import { abilities, type Given, Vendor } from "./Vendor.ts"

export type Counts = Readonly<Record<string, number>>

export interface Setup {
  /** The address of the server. */
  readonly server: string
  /** Determines the load and the vendor. */
  readonly seed: number
  /** @defaultValue 2 */
  readonly nodes?: number | undefined
  /** @defaultValue 12 */
  readonly clients?: number | undefined
  readonly node?: ((index: number) => Omit<NodeOptions, "url" | "vendor">) | undefined
  /** Whether the faults can lose commits that the server has confirmed. @defaultValue `false` */
  readonly losesCommits?: boolean | undefined
  /** Whether the nodes drop old rows. @defaultValue `false` */
  readonly drops?: boolean | undefined
}

/** The time that the vendor waits for the database. */
const lookMillis = 400

const balances = { acme: "100000", globex: "100000", poor: "20" } as const

const open = Effect.forEach(organizations, (id) =>
  TestEngine.open({ id, balance: Money.make(balances[id]) }),
)

/** Whether the database shows that the price of a message is held. */
const holdAt = Effect.fnUntraced(function* (url: string) {
  const pool = yield* PgPool.make({ url: Redacted.make(url), maxConnections: 4 })
  return ({ organization, sequence, token }: Given): Promise<boolean | undefined> =>
    pool
      .use(({ query }) =>
        query(
          `SELECT hold FROM countersign.messages
            WHERE organization = '${organization}' AND sequence = ${sequence} AND id = '${token}'`,
          [],
          false,
        ),
      )
      .pipe(
        Effect.map(({ rows }) => rows.some(({ hold }) => hold === "open" || hold === "captured")),
        Effect.timeoutOption(lookMillis),
        Effect.match({
          onFailure: () => undefined,
          onSuccess: (found) => (found._tag === "Some" ? found.value : undefined),
        }),
        Effect.runPromise,
      )
})

export type World = Effect.Success<ReturnType<typeof makeWorld>>

export const makeWorld = Effect.fnUntraced(function* (setup: Setup) {
  const { clients = 12, nodes: count = 2, seed, server } = setup
  const url = Redacted.value(yield* freshDatabase(server))
  const proxy = yield* faultProxy(url)
  // The vendor has its own way to the database, which has no faults.
  const direct = yield* faultProxy(url)
  const ability = abilities[seed % abilities.length] ?? "lookup"
  const vendor = new Vendor(ability, yield* holdAt(direct.url), setup.losesCommits ?? false)
  const scope = yield* Effect.acquireRelease(
    Effect.sync(() => Scope.makeUnsafe()),
    (scope) => Scope.close(scope, Exit.void),
  )
  const options = (index: number) => ({ ...setup.node?.(index), url: proxy.url, vendor })
  const addNode = (index: number) => Scope.provide(makeNode(options(index)), scope)
  const first = yield* addNode(0)
  yield* Effect.provideContext(open, first)
  const others = yield* Effect.forEach(Array.from({ length: count - 1 }), (_, index) =>
    addNode(index + 1),
  )
  let nodes: readonly [Node, ...ReadonlyArray<Node>] = [first, ...others]
  const load = makeLoad({
    nodes: () => nodes,
    seed,
    first: 0,
    clients,
    codeFor: vendor.codeFor,
    reports: vendor.reports,
  })
  let current = url
  return {
    load,
    proxy,
    vendor,
    /** The address of the database, past the proxy. */
    url: () => current,
    /** Statements on the database, past the proxy. */
    ask: (...statements: ReadonlyArray<string>) => onServer(current, ...statements),
    /** Leads everything to another server with the same database. */
    repoint: (other: string): void => {
      current = Object.assign(new URL(other), { pathname: new URL(url).pathname }).href
      proxy.repoint(current)
      direct.repoint(current)
    },
    /** Ends the nodes, and continues with one on which everything that is open is due. */
    rest: Effect.gen(function* () {
      yield* Scope.close(scope, Exit.void)
      const time = { aheadMillis: 120_000 }
      const sweeper = yield* makeSweeper({
        ...options(0),
        url: current,
        aheadMillis: () => time.aheadMillis,
      })
      nodes = [sweeper]
      yield* Effect.provideContext(settled, sweeper)
      yield* load.bringAll
      yield* load.resolve
      time.aheadMillis *= 2
      yield* Effect.provideContext(settled, sweeper)
      yield* load.bringAll
      return yield* problemsOf(current, load, vendor, Context.get(sweeper, Store), setup)
    }),
  }
})

/** Rounds until nothing is due. */
const settled = Settlement.use(({ lookup, round }) =>
  Effect.repeat(
    Effect.zipWith(round, lookup, (due, found) => due + found),
    {
      while: (count) => count > 0,
      times: 1_000,
    },
  ),
)

const problemsOf = Effect.fnUntraced(function* (
  url: string,
  load: Load,
  vendor: Vendor,
  store: Store["Service"],
  { drops = false, losesCommits = false }: Setup,
) {
  const { lost, problems, unknown } = yield* compareAnswers(url, {
    outcomes: load.outcomes,
    vendor,
    mayLose: (outcome) =>
      drops || (losesCommits && (outcome === undefined || load.mayBeLost(outcome))),
  })
  const snapshots = yield* Effect.forEach(organizations, (id) =>
    Invariants.read(store, OrganizationId(id)),
  )
  // Requests are dropped apart from their messages.
  const droppedBefore = drops ? Infinity : undefined
  const bounds = { ...Invariants.standardBounds, droppedBefore }
  const broken = snapshots.flatMap((one) =>
    one === undefined ? ["An organization is lost"] : Invariants.problems(one, bounds),
  )
  const outcomes = [...load.outcomes.values()]
  const answered = (answer: Outcome["answer"]): number =>
    outcomes.filter((one) => one.answer === answer).length
  return {
    problems: [...load.problems, ...problems, ...(yield* ledgerProblems(url)), ...broken],
    counts: {
      intents: outcomes.length,
      done: answered("done"),
      failed: answered("failed"),
      refused: answered("refused"),
      forgotten: outcomes.filter(({ isForgotten }) => isForgotten === true).length,
      submissions: vendor.taken.size,
      holdsSeen: vendor.held,
      unavailable: load.seen.unavailable,
      unknown,
      lost,
    } satisfies Counts,
  }
})

/** Plays faults under load, and throws what did not hold. Returns what the faults and the checks have counted. */
export const play = (
  setup: Setup,
  faults: (world: World) => Effect.Effect<Counts, unknown, Scope.Scope>,
): Promise<Counts> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const world = yield* makeWorld(setup)
        const clients = yield* Effect.forkChild(world.load.run)
        const counts = yield* faults(world)
        world.load.stop()
        yield* Fiber.join(clients)
        const { counts: more, problems } = yield* world.rest
        if (problems.length > 0) {
          const some = problems.slice(0, 10).join("\n")
          throw new Error(
            `${problems.length} problems in the campaign with the seed ${setup.seed}:\n${some}`,
          )
        }
        return { ...counts, ...more }
      }),
    ),
  )
