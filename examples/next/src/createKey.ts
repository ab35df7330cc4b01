/**
 * Makes an API key for `/api/v2` and prints it, once and for all: only its hash is kept.
 */
import { countersign } from "./engine.ts"

await using engine = await countersign()
const { key } = await engine.apiKeys.create({ name: "from the command line" })
console.log(key)
