import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** Adds keywords to the document only. A client sends every value, and the service refuses invalid ones. */
export const keywords = (
  schema: Readonly<Record<string, unknown>>,
): SchemaAST.Filter<string | number> =>
  Schema.makeFilter(() => true, { toJsonSchema: () => schema })

/** An id that the service has made. */
export const id = (description: string) =>
  Schema.String.annotate({ description }).check(keywords({ minLength: 1 }))
