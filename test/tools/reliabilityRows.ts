/**
 * The promises and faults of `docs/explanation/reliability.md`, and what checks them. `I1` to `I33` number the promises, `F1` to `F28`
 * the faults.
 */

export interface Row {
  readonly ids: string
  /** What holds. */
  readonly text: string
  /** The checker in the test command or the release checks: the path, and its name for the reader. */
  readonly tests: ReadonlyArray<readonly [path: string, name: string]>
  readonly campaigns: ReadonlyArray<string>
}

const invariants = ["packages/testing/src/Invariants.ts", "Invariants"] as const
const model = ["packages/testing/src/Model.ts", "Model"] as const
const core = (path: string) =>
  [`packages/core/test/${path}.test.ts`, path.split("/").at(-1) ?? path] as const
const postgres = (path: string) =>
  [`packages/postgres/test/${path}.test.ts`, path.split("/").at(-1) ?? path] as const
const whole = (path: string) => [`test/${path}.test.ts`, path.split("/").at(-1) ?? path] as const
const storeSuite = ["packages/testing/src/StoreSuite.ts", "StoreSuite"] as const
const gatewaySuite = ["packages/testing/src/GatewaySuite.ts", "GatewaySuite"] as const
const httpContract = ["packages/testing/src/HttpContract.ts", "HttpContract"] as const
const simulation = whole("simulation/Simulation")
const linearizability = whole("linearizability/Linearizability")
const processFaults = whole("processes/Faults")
const mistakes = ["test/release/mistakes.ts", "planted mistakes"] as const

export const promises: ReadonlyArray<Row> = [
  {
    ids: "I1 to I5, I23",
    text: "Each amount is booked once. The account equals its ledger, and no balance falls below zero. A hold ends once, and a refund is made once. The log, the ledger and the gateway agree.",
    tests: [invariants, model, simulation],
    campaigns: ["simulation", "faults-", "smpp"],
  },
  {
    ids: "I6, I7",
    text: "A message is charged before it is sent. A gateway that ignores tokens receives it at most once; one that honours tokens receives it under one token.",
    tests: [postgres("release/Kill"), whole("gateways/smpp/Faults"), simulation],
    campaigns: ["simulation", "faults-killed-nodes", "smpp", "smpp-kill", "kannel"],
  },
  {
    ids: "I8",
    text: "An answered call survives the end of the process and of the server. A refused call leaves no effect.",
    tests: [whole("processes/Crash"), processFaults],
    campaigns: ["simulation", "faults-"],
  },
  {
    ids: "I9",
    text: "A commit whose answer was lost applies at most once, and its repeat returns the first outcome.",
    tests: [postgres("internal/batches/batches"), processFaults],
    campaigns: ["simulation", "faults-lost-commits"],
  },
  {
    ids: "I10",
    text: "Calls with one idempotency key have one effect and one answer. Another call with the key is refused.",
    tests: [core("services/Idempotency"), postgres("release/KilledCalls"), linearizability],
    campaigns: ["simulation", "linearizability-"],
  },
  {
    ids: "I11, I12",
    text: "A request takes three wrong codes, however many arrive at once. A phone number takes 100 since the last right one.",
    tests: [whole("processes/Concurrency"), core("decide/Decision.guesses"), linearizability],
    campaigns: ["simulation", "linearizability-"],
  },
  {
    ids: "I13, I14",
    text: "A request ends once: verified, failed or expired. No code verifies it after its expiry.",
    tests: [core("decide/Decision.life"), invariants, simulation],
    campaigns: ["simulation", "linearizability-"],
  },
  {
    ids: "I15, I16",
    text: "No sliding window lets more through than its limit, and a 429 means that the window is full. A number has at most five pending requests.",
    tests: [
      core("domain/limits/SlidingWindow"),
      whole("processes/Concurrency"),
      invariants,
      simulation,
    ],
    campaigns: ["simulation"],
  },
  {
    ids: "I17",
    text: "An organization sees and changes nothing of another one. A foreign id and a missing id get the same answer.",
    tests: [
      httpContract,
      storeSuite,
      mistakes,
      whole("tenants/NonInterference"),
      ["packages/http/test/Foreign.test.ts", "Foreign"],
    ],
    campaigns: ["simulation", "tenants-", "http-fuzz-"],
  },
  {
    ids: "I18, I19",
    text: "Codes, keys and secrets are in no file, dump, log, trace or answer. A dump without the engine's secret does not reveal a code.",
    tests: [whole("processes/Secrecy"), mistakes],
    campaigns: ["secrets", "stolen-codes"],
  },
  {
    ids: "I20",
    text: "Delivery reports lead to one outcome in any order and number. The first final report wins, and a contradiction moves no money.",
    tests: [core("services/Reports"), core("services/Reports.overtaking"), simulation],
    campaigns: ["simulation", "smpp"],
  },
  {
    ids: "I21",
    text: "Concurrent calls on a request, a balance and an idempotency key have an order that explains every answer.",
    tests: [whole("processes/Concurrency"), linearizability],
    campaigns: ["linearizability-"],
  },
  {
    ids: "I22",
    text: "After the last fault, every message gets an outcome by its deadline, and no amount stays held.",
    tests: [core("jobs/Settlement"), whole("processes/Crash"), simulation],
    campaigns: ["simulation", "faults-", "smpp"],
  },
  {
    ids: "I24",
    text: "Codes, keys and passwords are compared in the same time for every wrong value. Answers to wrong keys differ by microseconds.",
    tests: [core("services/ConstantTime"), core("engine/Access.wrongKeys"), whole("Timing")],
    campaigns: ["timing", "timing-over-loopback"],
  },
  {
    ids: "I25",
    text: "After the commit of a revocation, no node accepts the key.",
    tests: [core("engine/Access"), storeSuite],
    campaigns: ["simulation"],
  },
  {
    ids: "I26",
    text: "Codes are uniform, and come from a cryptographic generator.",
    tests: [core("engine/Codes"), whole("Codes")],
    campaigns: ["codes"],
  },
  {
    ids: "I27",
    text: "A clock that goes back extends no expiry and opens no window again.",
    tests: [core("engine/GuardedClock"), storeSuite],
    campaigns: ["simulation", "faults-jumping-nodes", "faults-stepping-database"],
  },
  {
    ids: "I33",
    text: "A committed send ends once: sent, refused, cancelled or expired. A sent one has one message, a rolled back one has none. None is early, and none overtakes another with its order key.",
    tests: [
      core("services/Outbox"),
      postgres("release/OutboxKills"),
      postgres("outbox"),
      model,
      simulation,
      storeSuite,
    ],
    campaigns: ["simulation", "outbox-kills"],
  },
]

export const faults: ReadonlyArray<Row> = [
  {
    ids: "F1 to F4",
    text: "A node is killed: before its charge, after it, before or after the gateway has the message. Another node refunds the message, or finishes it. It is sent again only under a token that the gateway honours.",
    tests: [
      postgres("release/Kill"),
      postgres("release/KilledCalls"),
      postgres("release/OutboxKills"),
      whole("processes/Crash"),
      processFaults,
    ],
    campaigns: ["faults-killed-nodes", "outbox-kills", "smpp-kill", "simulation"],
  },
  {
    ids: "F5, F6",
    text: "A gateway does not answer, resets, or answers nonsense. The outcome is `unknown`, and the price stays held until a report, a look-up or the deadline decides.",
    tests: [gatewaySuite, whole("gateways/smpp/Faults"), simulation],
    campaigns: ["simulation", "smpp", "kannel"],
  },
  {
    ids: "F7",
    text: "A gateway cannot be reached. The message fails, and its price is refunded before the answer.",
    tests: [gatewaySuite, whole("gateways/smpp/Faults")],
    campaigns: ["simulation", "smpp"],
  },
  {
    ids: "F8",
    text: "Reports come twice, in any order, before the gateway's answer, after the deadline, for unknown ids, or forged. See I20; a forged report is refused.",
    tests: [core("services/Reports"), gatewaySuite, simulation],
    campaigns: ["simulation", "smpp"],
  },
  {
    ids: "F9",
    text: "A caller repeats its call, also many times at once. See I10.",
    tests: [core("services/Idempotency"), httpContract, linearizability],
    campaigns: ["simulation", "linearizability-"],
  },
  {
    ids: "F10, F11",
    text: "COMMIT or its answer is lost. The store repeats only what was not committed.",
    tests: [
      postgres("internal/batches/batches"),
      postgres("internal/batches/transactions"),
      processFaults,
    ],
    campaigns: ["faults-lost-commits", "simulation"],
  },
  {
    ids: "F12, F13",
    text: "A session is terminated, or a backend is killed. Calls are repeated under the same signature, and the process stays alive.",
    tests: [postgres("internal/batches/batches"), processFaults],
    campaigns: ["faults-terminated-", "faults-killed-sessions"],
  },
  {
    ids: "F14",
    text: "The server is killed, and recovers. See I8.",
    tests: [],
    campaigns: ["faults-server-crashes"],
  },
  {
    ids: "F15",
    text: "A node stands still for longer than its lease. It does not send, and its late outcome changes nothing.",
    tests: [core("delivery/Dispatcher.lease"), simulation],
    campaigns: ["faults-stopped-nodes", "simulation"],
  },
  {
    ids: "F16, F17",
    text: "The server or the network is slow, stops, or delivers in pieces. Every wait ends at its limit, and no permit is lost.",
    tests: [postgres("PostgresClient"), postgres("internal/connection/pipeline")],
    campaigns: ["faults-bad-network", "faults-blackhole"],
  },
  {
    ids: "F18",
    text: "Locks, deadlocks and serialization failures. A lock delays its own organization only; commands are repeated within a bound.",
    tests: [core("jobs/Settlement.busy"), postgres("internal/batches/batches")],
    campaigns: ["faults-locks", "faults-serializable"],
  },
  {
    ids: "F19, F20",
    text: "Failover to a standby. A synchronous one loses nothing; an asynchronous one loses the commits that it does not have.",
    tests: [postgres("internal/batches/restore"), core("services/Restore")],
    campaigns: [
      "faults-failovers",
      "faults-asynchronous-failovers",
      "faults-patroni",
      "faults-restores",
    ],
  },
  {
    ids: "F21, F22",
    text: "The clock of a node or of the database jumps. See I27.",
    tests: [core("engine/GuardedClock"), storeSuite, simulation],
    campaigns: ["simulation", "faults-jumping-nodes", "faults-stepping-database"],
  },
  {
    ids: "F23, F24",
    text: "The disk is full, the server is read-only, or its connections are used up. Calls get 503, and nothing is charged for them.",
    tests: [postgres("PostgresClient"), ["packages/http/test/Failing.test.ts", "Failing"]],
    campaigns: [
      "faults-full-disks",
      "faults-read-only",
      "faults-exhausted-sessions",
      "faults-busy-loops",
    ],
  },
  {
    ids: "F25",
    text: "Malformed requests. They get a 4xx that the interface documents.",
    tests: [
      httpContract,
      ["packages/http/test/Requests.test.ts", "Requests"],
      whole("fuzz/Fuzz"),
      whole("fuzz/RawSockets"),
    ],
    campaigns: ["http-fuzz-"],
  },
  {
    ids: "F26",
    text: "A secret is rotated while codes are pending. They can be checked until they expire.",
    tests: [core("engine/CodeSecrets"), postgres("NumberKeys")],
    campaigns: ["simulation", "faults-terminated-with-rotation"],
  },
  {
    ids: "F27",
    text: "Two builds use one database during a migration. Both are correct, or the older one refuses to start.",
    tests: [postgres("Migrations"), postgres("internal/schema/migrate")],
    campaigns: ["faults-builds"],
  },
  {
    ids: "F28",
    text: "A process with PGlite is killed, or a second process opens its folder. No answered call is lost, and the second process is refused.",
    tests: [postgres("release/PgliteClient"), postgres("internal/pglite/folderLock")],
    campaigns: ["pglite-kills"],
  },
]
