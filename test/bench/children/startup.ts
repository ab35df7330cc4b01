/**
 * Measures the start of a process that embeds the engine: the imports, and building the services on the
 * memory store with the simulated gateway. Imports no other file, because it also runs beside the built
 * packages.
 */
import type { Engine as Services } from "@countersign/core/Engine"
import type { Layer } from "effect/Layer"

export interface StartupInput {
  /** Modules of other packages to load before the measurement starts. */
  readonly foreign: ReadonlyArray<string>
}

/** Milliseconds. */
export interface StartupResult {
  /** From the start of the process to its first line. */
  readonly boot: number
  readonly foreign: number
  readonly imports: number
  readonly layers: number
}

const boot = performance.now()
const { foreign }: StartupInput = JSON.parse(process.argv[2] ?? '{"foreign":[]}')

for (const specifier of foreign) await import(specifier)
const loaded = performance.now()

const [Engine, MemoryStore, CodeSecrets, SimulatedGateway, Node] = await Promise.all([
  import("@countersign/core/Engine"),
  import("@countersign/core/adapters/MemoryStore"),
  import("@countersign/core/engine/CodeSecrets"),
  import("@countersign/core/adapters/SimulatedGateway"),
  import("@countersign/node/Node"),
])
const [ManagedRuntime, Layers, Redacted, Effect] = await Promise.all([
  import("effect/ManagedRuntime"),
  import("effect/Layer"),
  import("effect/Redacted"),
  import("effect/Effect"),
])
const imported = performance.now()

const engine: Layer<Services> = Engine.layer.pipe(
  Layers.provide(MemoryStore.layer),
  Layers.provide(SimulatedGateway.layer()),
  Layers.provide(CodeSecrets.layer(Redacted.make("b".repeat(32)))),
  Layers.provide(Node.layerCrypto),
)
await ManagedRuntime.make(engine).runPromise(Effect.void)
const built = performance.now()

const result: StartupResult = {
  boot,
  foreign: loaded - boot,
  imports: imported - loaded,
  layers: built - imported,
}
if (process.send === undefined) console.log(result)
else process.send(result, () => process.exit(0))
