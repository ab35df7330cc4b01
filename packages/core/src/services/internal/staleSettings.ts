import * as Data from "effect/Data"

/**
 * The copy of an organization that a command was made with is older than the account. `Access.serve` handles
 * this error; callers never see it.
 */
export class StaleSettings extends Data.TaggedError("StaleSettings") {}
