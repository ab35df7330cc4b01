/** As vitest's `globalSetup`: the pages of the dashboard, built from the sources as they are. */
export { ensureBuilt as setup } from "../../packages/dashboard/build/build.ts"
