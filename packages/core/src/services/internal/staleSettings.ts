import * as Data from "effect/Data"

/** The copy of an organization that a command was made with is older than the account. Never leaves `Access.serve`. */
export class StaleSettings extends Data.TaggedError("StaleSettings") {}
