import { vi } from "vitest"

/** Runs something with a `NODE_ENV`; `undefined` for none. */
export const inEnvironment = async <A>(
  name: string | undefined,
  run: () => Promise<A>,
): Promise<A> => {
  vi.stubEnv("NODE_ENV", name)
  try {
    return await run()
  } finally {
    vi.unstubAllEnvs()
  }
}

/** Runs something where `NODE_ENV` is `production`. */
export const inProduction = <A>(run: () => Promise<A>): Promise<A> =>
  inEnvironment("production", run)

/** A secret that may be used in production. */
export const strongSecret = "q3V8-kd71-Zm0x-PbT9-wY5r-uE2n-Lc64"
