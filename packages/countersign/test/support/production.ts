/** Runs something where `NODE_ENV` is `production`. */
export const inProduction = async <A>(run: () => Promise<A>): Promise<A> => {
  const before = process.env["NODE_ENV"]
  process.env["NODE_ENV"] = "production"
  try {
    return await run()
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"]
    else process.env["NODE_ENV"] = before
  }
}

/** A pepper that may be used in production. */
export const strongPepper = "q3V8-kd71-Zm0x-PbT9-wY5r-uE2n-Lc64"
