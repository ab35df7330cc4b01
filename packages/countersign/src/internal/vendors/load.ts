import * as Effect from "effect/Effect"

/** Loads a module and makes a value from it, so that only the modules of the configured vendors are loaded. */
export const load = <Module, A, E, R>(
  module: () => Promise<Module>,
  make: (module: Module) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => Effect.flatMap(Effect.promise(module), make)
