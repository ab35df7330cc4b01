import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type * as Server from "./server.ts"

const file = (): string => pathToFileURL(join(process.cwd(), "src/server.ts")).href

/**
 * Loads `server.ts` by Node and not by the bundler. Next makes a bundle of each route, and in development a new one after
 * each change, so a bundled module would start several engines. `next build` loads each route, and starts none.
 */
export const load = (): Promise<typeof Server> => import(/* turbopackIgnore: true */ file())
