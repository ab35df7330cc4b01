/**
 * An error from within the engine, with where it comes from.
 */
import { createCountersign } from "countersign"

await createCountersign({ secret: "too short", log: () => {} }).catch((error: unknown) => {
  console.log(error instanceof Error ? error.stack : error)
})
