/**
 * Makes an API key for `/api/v2` and prints it, once and for all: only its hash is kept.
 */
import { startEngine } from "./engine.ts"
import { readSettings } from "./settings.ts"

await using countersign = await startEngine(readSettings())
const { key } = await countersign.apiKeys.create({ name: "from the command line" })
console.log(key)
