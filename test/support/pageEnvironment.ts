/**
 * The environment of vitest for tests of components: the document of happy-dom. The globals that Node has as well, such
 * as `fetch` and `Uint8Array`, stay those of Node, because the engine that such a test calls runs in the same process.
 */
import { Window } from "happy-dom-window"
import { type Environment, populateGlobal } from "vitest/runtime"

/** Node has these as well, but here they belong to the document. */
const ofDocument: ReadonlySet<string | symbol> = new Set(["Event", "navigator"])

export default {
  name: "page",
  viteEnvironment: "ssr",
  setup: (global: object) => {
    const window = new Window({ url: "http://127.0.0.1" })
    const { keys, originals } = populateGlobal(global, window, { bindFunctions: true })
    const restore = (isKept: (key: string | symbol) => boolean): void => {
      for (const [key, original] of originals)
        if (!isKept(key)) Object.defineProperty(global, key, original)
    }
    restore((key) => ofDocument.has(key))
    return {
      teardown: async () => {
        await window.happyDOM.close()
        for (const key of keys) Reflect.deleteProperty(global, key)
        restore(() => false)
      },
    }
  },
} satisfies Environment
