/**
 * The campaigns of `docs/explanation/{reliability,faults}.md` and `test/soak/RESULTS.md`.
 */

export interface CampaignRow {
  /** A name that ends with `-` stands for a family. */
  readonly name: string
  /** The name of its trials. */
  readonly trials: string
  readonly what: string
  /** The word for `pnpm test:soak`. */
  readonly word: string
}

export const campaigns: ReadonlyArray<CampaignRow> = [
  {
    name: "simulation",
    trials: "histories",
    what: "Random histories of several nodes, organizations and gateways on virtual time. Stores and gateways fail, nodes die.",
    word: "simulation",
  },
  {
    name: "simulation-traces",
    trials: "seeds",
    what: "The same seed in three processes, which gives the same trace.",
    word: "simulation",
  },
  {
    name: "sensitivity",
    trials: "mistakes",
    what: "Mistakes planted in the rules, the stores and the jobs. The simulation has to find each.",
    word: "sensitivity",
  },
  {
    name: "faults-lost-commits",
    trials: "lost answers",
    what: "A proxy drops the answer to COMMIT, or COMMIT itself.",
    word: "faults",
  },
  {
    name: "faults-terminated-sessions",
    trials: "ended sessions",
    what: "`pg_terminate_backend` under load.",
    word: "faults",
  },
  {
    name: "faults-terminated-with-partitions",
    trials: "ended sessions",
    what: "The same on partitioned tables.",
    word: "faults",
  },
  {
    name: "faults-terminated-with-rotation",
    trials: "ended sessions",
    what: "The same while the keys of numbers are rotated.",
    word: "faults",
  },
  {
    name: "faults-terminated-with-retention",
    trials: "ended sessions",
    what: "The same while old rows are dropped.",
    word: "faults",
  },
  {
    name: "faults-killed-sessions",
    trials: "kills",
    what: "SIGKILL of one backend of PostgreSQL.",
    word: "faults",
  },
  {
    name: "faults-server-crashes",
    trials: "kills",
    what: "SIGKILL of the postmaster, and its restart.",
    word: "faults",
  },
  {
    name: "faults-killed-nodes",
    trials: "kills",
    what: "SIGKILL of node processes.",
    word: "faults",
  },
  {
    name: "faults-stopped-nodes",
    trials: "stops",
    what: "SIGSTOP of node processes for longer than a lease.",
    word: "faults",
  },
  {
    name: "faults-bad-network",
    trials: "faults",
    what: "A network that stalls, cuts, and delivers in pieces.",
    word: "faults",
  },
  {
    name: "faults-blackhole",
    trials: "faults",
    what: "A server that does not answer any more.",
    word: "faults",
  },
  {
    name: "faults-locks",
    trials: "locks",
    what: "Locks that are held for too long, and deadlocks.",
    word: "faults",
  },
  {
    name: "faults-serializable",
    trials: "calls",
    what: "Serialization failures.",
    word: "faults",
  },
  {
    name: "faults-exhausted-sessions",
    trials: "faults",
    what: "A server without a free session.",
    word: "faults",
  },
  {
    name: "faults-busy-loops",
    trials: "loops",
    what: "A node whose thread is busy.",
    word: "faults",
  },
  {
    name: "faults-read-only",
    trials: "switches",
    what: "A server that becomes read-only, and writes again.",
    word: "faults",
  },
  {
    name: "faults-full-disks",
    trials: "fills",
    what: "A disk that is full, and has room again.",
    word: "faults",
  },
  {
    name: "faults-jumping-nodes",
    trials: "jumps",
    what: "Clocks of nodes that jump.",
    word: "faults",
  },
  {
    name: "faults-stepping-database",
    trials: "steps",
    what: "A clock of the database that goes back and ahead.",
    word: "faults",
  },
  {
    name: "faults-failovers",
    trials: "failovers",
    what: "Failover to a synchronous standby.",
    word: "faults",
  },
  {
    name: "faults-asynchronous-failovers",
    trials: "failovers",
    what: "Failover to an asynchronous standby, which may lose commits.",
    word: "faults",
  },
  {
    name: "faults-patroni",
    trials: "failovers",
    what: "Failover under Patroni.",
    word: "faults",
  },
  {
    name: "faults-restores",
    trials: "restores",
    what: "A server that is restored to an earlier moment while nodes run.",
    word: "faults",
  },
  {
    name: "faults-builds",
    trials: "rounds",
    what: "Two builds on one database while a migration runs.",
    word: "faults",
  },
  {
    name: "pglite-kills",
    trials: "kills",
    what: "SIGKILL of a process with PGlite.",
    word: "PgliteKills",
  },
  {
    name: "linearizability-memory",
    trials: "histories",
    what: "Concurrent calls over the memory store.",
    word: "linearizability",
  },
  {
    name: "linearizability-postgres",
    trials: "histories",
    what: "Concurrent calls over HTTP to several processes on PostgreSQL, with faults.",
    word: "linearizability",
  },
  {
    name: "tenants-memory",
    trials: "histories",
    what: "A history with and without the calls of other organizations, in memory.",
    word: "tenants",
  },
  {
    name: "tenants-postgres",
    trials: "histories",
    what: "The same on PostgreSQL.",
    word: "tenants",
  },
  {
    name: "http-fuzz-",
    trials: "histories",
    what: "Valid, invalid and malformed HTTP requests, on every mount. Each history has about a hundred.",
    word: "HttpFuzz",
  },
  {
    name: "timing",
    trials: "samples",
    what: "The time of comparisons, with Welch's t-test and a positive control.",
    word: "Timing.soak",
  },
  {
    name: "timing-over-loopback",
    trials: "samples",
    what: "The same for answers over HTTP.",
    word: "TimingOverLoopback",
  },
  {
    name: "secrets",
    trials: "secrets",
    what: "Codes, keys and numbers that are searched in files, dumps, logs and answers, in every spelling.",
    word: "Secrecy",
  },
  {
    name: "stolen-codes",
    trials: "codes",
    what: "Brute force over all codes of a dump, without and with the secret.",
    word: "Secrecy",
  },
  {
    name: "codes",
    trials: "codes",
    what: "Chi-square tests of drawn codes, for each length.",
    word: "Codes",
  },
  {
    name: "outbox-kills",
    trials: "kills",
    what: "SIGKILL of nodes that send what is due in one outbox, on PostgreSQL, at random points of their work.",
    word: "outbox-kills",
  },
  {
    name: "smpp",
    trials: "histories",
    what: "Messages over SMPP to a centre that stops, resets, hangs up and answers late. Each history has 31 messages.",
    word: "smpp.soak",
  },
  {
    name: "smpp-kill",
    trials: "kills",
    what: "SIGKILL of processes that send over SMPP, on PostgreSQL, with messages in flight.",
    word: "smpp-kill",
  },
  {
    name: "kannel",
    trials: "rounds",
    what: "Messages through a real Kannel of which a process or a connection fails. Each round has 12 messages in flight.",
    word: "kannel",
  },
  {
    name: "bulk",
    trials: "recipients",
    what: "A batch of a million recipients on PostgreSQL, and direct sends of the same process. Another organization queues messages meanwhile.",
    word: "bulk",
  },
]
