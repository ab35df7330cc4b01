import type * as Errors from "./Errors.ts"

/** Every error that the services of the engine fail with. */
export type EngineError = InstanceType<(typeof Errors)[keyof typeof Errors]>
