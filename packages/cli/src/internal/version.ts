import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/** The version of this package. */
export const { version } = Schema.decodeSync(Manifest)(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
)
