/** As vitest's `globalSetup`: the folder that embedded databases begin with, so that no test waits for `initdb`. */
export { ensureInitialData as setup } from "../tools/initialData.ts"
