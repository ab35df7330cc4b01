import type * as Errors from "./Errors.ts"

/** Every error that the services of the engine fail with. Its code is `ErrorCode.codes[error._tag]`. */
export type EngineError = InstanceType<(typeof Errors)[keyof typeof Errors]>
