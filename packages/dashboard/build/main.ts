/**
 * `node build/main.ts`: builds the dashboard's pages, unless they are built from the sources as they are.
 */
import { ensureBuilt } from "./build.ts"

await ensureBuilt()
