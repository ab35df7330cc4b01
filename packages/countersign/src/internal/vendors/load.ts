import * as Effect from "effect/Effect"

/** Makes something of a module that is loaded for it: only the vendors that are used are. */
export const load = <Module, A, E, R>(
  module: () => Promise<Module>,
  make: (module: Module) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => Effect.flatMap(Effect.promise(module), make)
